import { encodeBase64 } from "../install-link.ts";
import { underHome } from "../machine.ts";
import type { Client } from "../mcp-client.ts";
import { buildStdio, placeholder } from "../server-command.ts";
import type { Wish } from "../server-spec.ts";

/** https://lmstudio.ai/docs/app/mcp (Cursor's notation; no variables are named there), /docs/app/mcp/deeplink, /docs/integrations/mcp-remote. */
export const lmStudio: Client = {
  id: "lm-studio",
  title: "LM Studio",
  aliases: ["lmstudio", "lms"],
  format: "json",
  at: "mcpServers",
  places: underHome(".lmstudio/mcp.json"),
  isRemote: true,
  isWritable: false,
  buildEntry,
  notes: ({ server }) => [
    "In LM Studio: Program → Install → Edit mcp.json; the server starts when it is saved.",
    ...(server.kind === "remote" ? ["It opens the browser to sign in (LM Studio 0.4 or newer)."] : []),
  ],
  buildLink: (wish) => `lmstudio://add_mcp?name=${wish.name}&config=${encodeBase64(buildEntry(wish))}`,
};

function buildEntry(wish: Wish) {
  return wish.server.kind === "remote" ? { url: wish.server.url } : buildStdio(wish, placeholder);
}
