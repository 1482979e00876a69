import { underHome } from "../machine.ts";
import { type Client, needsKey } from "../mcp-client.ts";
import { buildCommand, buildVariables } from "../server-command.ts";
import type { Members, Wish } from "../server-spec.ts";

/** https://opencode.ai/docs/mcp-servers. Version 2 reads this form of version 1 too (/docs/migrate-v1). */
export const opencode: Client = {
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
  buildEntry: (wish) =>
    wish.server.kind === "remote" ? { type: "remote", url: wish.server.url } : buildLocal(wish),
  notes: (wish) => [
    "Start opencode again. For one project alone the file is opencode.json in its folder.",
    ...(wish.server.kind === "remote" ? [`Sign in: opencode mcp auth ${wish.name}`] : []),
    ...(needsKey(wish) ? ["Start opencode in a shell where the variables are set."] : []),
  ],
};

function buildLocal(wish: Wish): Members {
  const environment = buildVariables(wish, (name) => `{env:${name}}`);
  return {
    type: "local",
    command: buildCommand(wish),
    ...(environment === undefined ? {} : { environment }),
  };
}
