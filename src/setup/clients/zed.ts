import type { McpClient } from "../mcp-client.ts";
import { buildStdio, placeholder } from "../server-command.ts";

/** https://zed.dev/docs/ai/mcp mentions no variables; in headers they stay literal (zed-industries/zed#60459). */
export const zed: McpClient = {
  id: "zed",
  title: "Zed",
  aliases: [],
  format: "json",
  at: "context_servers",
  places: {
    macos: "~/.config/zed/settings.json",
    windows: "%APPDATA%\\Zed\\settings.json",
    linux: "~/.config/zed/settings.json",
  },
  isRemote: true,
  isWritable: false,
  buildEntry: (spec) =>
    spec.server.kind === "remote" ? { url: spec.server.url } : buildStdio(spec, placeholder),
  notes: ({ server }) => [
    "Open the file with the command zed: open settings file. The server starts when you save the file, and its dot in Settings → AI → MCP Servers turns green.",
    ...(server.kind === "remote" ? ["Sign in there with Authenticate."] : []),
  ],
};
