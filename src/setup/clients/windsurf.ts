import { underHome } from "../machine.ts";
import { type Client, needsKey } from "../mcp-client.ts";
import { buildStdio } from "../server-command.ts";

/** https://docs.windsurf.com/windsurf/cascade/mcp: a remote server is `serverUrl`; `url` is not read. */
export const windsurf: Client = {
  id: "windsurf",
  title: "Windsurf",
  aliases: ["cascade", "codeium", "devin-desktop"],
  format: "json",
  at: "mcpServers",
  places: underHome(".codeium/windsurf/mcp_config.json"),
  isRemote: true,
  isWritable: false,
  keyFrom: "its environment",
  buildEntry: (wish) =>
    wish.server.kind === "remote"
      ? { serverUrl: wish.server.url }
      : buildStdio(wish, (name) => `\${env:${name}}`),
  notes: (wish) => [
    "In Cascade: MCPs, then refresh.",
    ...(wish.server.kind === "remote" ? ["It opens the browser to sign in."] : []),
    ...(needsKey(wish)
      ? ["Start Windsurf where the variables are set, or write the values in their place."]
      : []),
  ],
};
