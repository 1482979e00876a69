import type { McpClient } from "../mcp-client.ts";
import { buildStdio, placeholder } from "../server-command.ts";

/** https://www.jetbrains.com/help/ai-assistant/mcp.html: pasted in a dialogue; nothing is said there of signing in. */
export const jetbrains: McpClient = {
  id: "jetbrains",
  title: "JetBrains AI Assistant",
  aliases: [
    "intellij",
    "idea",
    "webstorm",
    "pycharm",
    "phpstorm",
    "goland",
    "rider",
    "ai-assistant",
    "junie",
  ],
  format: "json",
  at: "mcpServers",
  where: "Settings → Tools → AI Assistant → Model Context Protocol (MCP) → Add → As JSON",
  isRemote: false,
  isWritable: false,
  buildEntry: (spec) => buildStdio(spec, placeholder),
  notes: ({ server }) => [
    ...(server.kind === "remote"
      ? [
          "Its manual names no way to sign in to a remote server, so mcp-remote stands between and opens the browser.",
        ]
      : []),
    "Apply, and look at the server's status in the same list.",
  ],
};
