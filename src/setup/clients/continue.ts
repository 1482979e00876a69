import { underHome } from "../machine.ts";
import { type McpClient, needsKey } from "../mcp-client.ts";
import { buildStdio } from "../server-command.ts";

/** https://docs.continue.dev/customize/deep-dives/mcp: a list of servers; secrets are in .env files or the environment. */
export const continueDev: McpClient = {
  id: "continue",
  title: "Continue",
  aliases: ["continue-dev", "continuedev", "cn"],
  format: "yaml",
  at: "mcpServers",
  isList: true,
  places: underHome(".continue/config.yaml"),
  folderVariable: "CONTINUE_GLOBAL_DIR",
  isRemote: true,
  isWritable: false,
  keyFrom: "its secrets",
  buildEntry: (spec) =>
    spec.server.kind === "remote"
      ? { type: "streamable-http", url: spec.server.url }
      : { type: "stdio", ...buildStdio(spec, (name) => `\${{ secrets.${name} }}`) },
  notes: (spec) => [
    "A new file also needs name, version and schema at its top. The tools are only there in agent mode.",
    ...(spec.server.kind === "remote" ? ["It opens the browser to sign in."] : []),
    ...(needsKey(spec)
      ? ["Continue looks up secrets in ~/.continue/.env, then in a project's .env, then in its environment."]
      : []),
  ],
};
