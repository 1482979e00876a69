import { encodeBase64 } from "../install-link.ts";
import { underHome } from "../machine.ts";
import { type Client, needsKey } from "../mcp-client.ts";
import { buildStdio } from "../server-command.ts";
import type { Wish } from "../server-spec.ts";

/** https://cursor.com/docs/mcp and https://cursor.com/docs/mcp/install-links. */
export const cursor: Client = {
  id: "cursor",
  title: "Cursor",
  aliases: [],
  format: "json",
  at: "mcpServers",
  places: underHome(".cursor/mcp.json"),
  alsoIn: [".cursor/mcp.json"],
  isRemote: true,
  isWritable: true,
  keyFrom: "its environment",
  buildEntry,
  notes: (wish) => [
    "Reload the window: Developer: Reload Window. For one project alone the file is .cursor/mcp.json.",
    ...(wish.server.kind === "remote" ? ["Sign in: Settings → Tools & MCP, Connect beside the server."] : []),
    ...(needsKey(wish)
      ? [
          "Cursor started from the dock or the menu does not have your shell's variables: start it from the shell, or set them for your session.",
        ]
      : []),
  ],
  buildLink: (wish) =>
    `cursor://anysphere.cursor-deeplink/mcp/install?name=${wish.name}&config=${encodeBase64(buildEntry(wish))}`,
};

function buildEntry(wish: Wish) {
  return wish.server.kind === "remote"
    ? { url: wish.server.url }
    : buildStdio(wish, (name) => `\${env:${name}}`);
}
