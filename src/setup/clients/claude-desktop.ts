import type { McpClient } from "../mcp-client.ts";
import { buildStdio, placeholder } from "../server-command.ts";

/** https://modelcontextprotocol.io/docs/develop/connect-local-servers: its file starts programs; no variables are named there. */
export const claudeDesktop: McpClient = {
  id: "claude-desktop",
  title: "Claude Desktop",
  aliases: ["claudedesktop", "claude-app"],
  format: "json",
  at: "mcpServers",
  places: {
    macos: "~/Library/Application Support/Claude/claude_desktop_config.json",
    windows: "%APPDATA%\\Claude\\claude_desktop_config.json",
    linux: "~/.config/Claude/claude_desktop_config.json",
  },
  isRemote: false,
  isWritable: true,
  buildEntry: (spec) => buildStdio(spec, placeholder),
  notes: ({ server }) => [
    ...(server.kind === "remote"
      ? [
          "Its file takes no remote servers, so mcp-remote stands between, and opens the browser to sign in. A connector that is on the internet is added without a file: Settings → Connectors → Add custom connector.",
        ]
      : []),
    "Quit Claude Desktop and start it again: closing the window is not enough.",
  ],
};
