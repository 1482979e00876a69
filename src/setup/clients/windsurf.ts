import { underHome } from "../machine.ts";
import { type McpClient, needsKey } from "../mcp-client.ts";
import { buildStdio } from "../server-command.ts";

/** https://docs.windsurf.com/windsurf/cascade/mcp: a remote server needs `serverUrl`; `url` is ignored. */
export const windsurf: McpClient = {
  id: "windsurf",
  title: "Windsurf",
  aliases: ["cascade", "codeium", "devin-desktop"],
  format: "json",
  at: "mcpServers",
  places: underHome(".codeium/windsurf/mcp_config.json"),
  isRemote: true,
  isWritable: false,
  keyFrom: "its environment",
  buildEntry: (spec) =>
    spec.server.kind === "remote"
      ? { serverUrl: spec.server.url }
      : buildStdio(spec, (name) => `\${env:${name}}`),
  notes: (spec) => [
    "In Cascade: open MCPs, then refresh.",
    ...(spec.server.kind === "remote" ? ["It opens the browser to sign in."] : []),
    ...(needsKey(spec)
      ? ["Start Windsurf where the variables are set, or replace them with their values."]
      : []),
  ],
};
