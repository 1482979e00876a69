import { type McpClient, needsKey, quote } from "../mcp-client.ts";
import { buildStdio } from "../server-command.ts";

/**
 * https://docs.cline.bot/mcp/mcp-overview. A remote server without `type` means SSE. The extension fills in `${env:NAME}`; the
 * command line has a file of its own, leaves references as they are, and passes on its whole environment.
 */
export const cline: McpClient = {
  id: "cline",
  title: "Cline",
  aliases: ["cline-bot"],
  format: "json",
  at: "mcpServers",
  where: "MCP Servers → Configure → Configure MCP Servers",
  alsoIn: [
    "~/Library/Application Support/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json",
    "~/AppData/Roaming/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json",
    "~/.config/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json",
  ],
  isRemote: true,
  isWritable: false,
  keyFrom: "its environment",
  buildEntry: (spec) =>
    spec.server.kind === "remote"
      ? { type: "streamableHttp", url: spec.server.url }
      : buildStdio(spec, (name) => `\${env:${name}}`),
  notes: (spec) => [
    "The server starts when you save the file.",
    ...(spec.server.kind === "remote" ? ["Sign in there with Authenticate."] : []),
    ...(needsKey(spec)
      ? [
          "If you start the editor from the dock or a menu, it does not have your shell's variables: start it from the shell.",
          "For the command line, add the entry without env to ~/.cline/data/settings/cline_mcp_settings.json: cline passes on its environment.",
        ]
      : []),
  ],
  buildShellCommand: ({ name, server }) =>
    server.kind === "remote"
      ? `cline mcp install ${name} --transport streamableHttp --yes ${quote(server.url)}`
      : undefined,
};
