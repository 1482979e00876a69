import type { McpClient } from "../mcp-client.ts";
import { buildStdio, placeholder } from "../server-command.ts";

/** https://modelcontextprotocol.io/docs/develop/connect-local-servers: the file only starts programs; no variables mentioned. */
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
          "Its file cannot name remote servers, so mcp-remote connects and opens the browser to sign in. You can add a connector on the internet without a file: Settings → Connectors → Add custom connector.",
        ]
      : []),
    "Quit Claude Desktop and restart it: closing the window is not enough.",
  ],
};
