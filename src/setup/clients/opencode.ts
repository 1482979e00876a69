import { underHome } from "../machine.ts";
import { type McpClient, needsKey } from "../mcp-client.ts";
import { buildCommand, buildVariables } from "../server-command.ts";
import type { Members, ServerSpec } from "../server-spec.ts";

/** https://opencode.ai/docs/mcp-servers. Version 2 still reads this form of version 1 (/docs/migrate-v1). */
export const opencode: McpClient = {
  id: "opencode",
  title: "opencode",
  aliases: ["open-code"],
  format: "json",
  at: "mcp",
  places: underHome(".config/opencode/opencode.json"),
  alsoIn: ["opencode.json"],
  isRemote: true,
  isWritable: false,
  keyFrom: "its environment",
  buildEntry: (spec) =>
    spec.server.kind === "remote" ? { type: "remote", url: spec.server.url } : buildLocal(spec),
  notes: (spec) => [
    "Restart opencode. For a single project, use opencode.json in its folder.",
    ...(spec.server.kind === "remote" ? [`Sign in: opencode mcp auth ${spec.name}`] : []),
    ...(needsKey(spec) ? ["Start opencode in a shell where the variables are set."] : []),
  ],
};

function buildLocal(spec: ServerSpec): Members {
  const environment = buildVariables(spec, (name) => `{env:${name}}`);
  return {
    type: "local",
    command: buildCommand(spec),
    ...(environment === undefined ? {} : { environment }),
  };
}
