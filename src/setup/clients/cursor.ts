import { encodeBase64 } from "../install-link.ts";
import { underHome } from "../machine.ts";
import { type McpClient, needsKey } from "../mcp-client.ts";
import { buildStdio } from "../server-command.ts";
import type { ServerSpec } from "../server-spec.ts";

/** https://cursor.com/docs/mcp and https://cursor.com/docs/mcp/install-links. */
export const cursor: McpClient = {
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
  notes: (spec) => [
    "Reload the window: Developer: Reload Window. For a single project, use .cursor/mcp.json.",
    ...(spec.server.kind === "remote"
      ? ["Sign in: Settings → Tools & MCP, then Connect beside the server."]
      : []),
    ...(needsKey(spec)
      ? [
          "If you start Cursor from the dock or a menu, it does not have your shell's variables: start it from the shell, or set them for your session.",
        ]
      : []),
  ],
  buildLink: (spec) =>
    `cursor://anysphere.cursor-deeplink/mcp/install?name=${spec.name}&config=${encodeBase64(buildEntry(spec))}`,
};

function buildEntry(spec: ServerSpec) {
  return spec.server.kind === "remote"
    ? { url: spec.server.url }
    : buildStdio(spec, (name) => `\${env:${name}}`);
}
