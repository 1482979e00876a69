import type { McpClient } from "../mcp-client.ts";
import { buildStdio, placeholder } from "../server-command.ts";

/** https://www.jetbrains.com/help/ai-assistant/mcp.html: pasted into a dialog; signing in is not mentioned. */
export const jetbrains: McpClient = {
  id: "jetbrains",
  title: "JetBrains AI Assistant",
  aliases: "intellij idea webstorm pycharm phpstorm goland rider ai-assistant junie".split(" "),
  format: "json",
  at: "mcpServers",
  where: "Settings → Tools → AI Assistant → Model Context Protocol (MCP) → Add → As JSON",
  isRemote: false,
  isWritable: false,
  buildEntry: (spec) => buildStdio(spec, placeholder),
  notes: ({ server }) => [
    ...(server.kind === "remote"
      ? [
          "Its manual describes no way to sign in to a remote server, so mcp-remote connects and opens the browser to sign in.",
        ]
      : []),
    "Apply, and check the server's status in the same list.",
  ],
};
