import { encodeBase64 } from "../install-link.ts";
import { underHome } from "../machine.ts";
import type { McpClient } from "../mcp-client.ts";
import { buildStdio, placeholder } from "../server-command.ts";
import type { ServerSpec } from "../server-spec.ts";

/** https://lmstudio.ai/docs/app/mcp (Cursor's notation, no variables mentioned), /docs/app/mcp/deeplink, /docs/integrations/mcp-remote. */
export const lmStudio: McpClient = {
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
    "In LM Studio: Program → Install → Edit mcp.json. The server starts when you save the file.",
    ...(server.kind === "remote" ? ["It opens the browser to sign in (LM Studio 0.4 or newer)."] : []),
  ],
  buildLink: (spec) => `lmstudio://add_mcp?name=${spec.name}&config=${encodeBase64(buildEntry(spec))}`,
};

function buildEntry(spec: ServerSpec) {
  return spec.server.kind === "remote" ? { url: spec.server.url } : buildStdio(spec, placeholder);
}
