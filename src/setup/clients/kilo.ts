import { underHome } from "../machine.ts";
import { type McpClient, needsKey } from "../mcp-client.ts";
import { opencode } from "./opencode.ts";

/** https://kilo.ai/docs/automate/mcp/using-in-kilo-code: built on opencode, with its form and files of its own. */
export const kilo: McpClient = {
  id: "kilo",
  title: "Kilo Code",
  aliases: ["kilo-code", "kilocode", "kilo-cli"],
  format: "json",
  at: "mcp",
  places: underHome(".config/kilo/kilo.jsonc"),
  alsoIn: ["~/.config/kilo/kilo.json", "kilo.jsonc", "kilo.json", ".kilo/kilo.jsonc", ".kilo/kilo.json"],
  isRemote: true,
  isWritable: false,
  keyFrom: "its environment",
  buildEntry: opencode.buildEntry,
  notes: (spec) => [
    "Restart Kilo. For a single project, use kilo.jsonc in its folder.",
    ...(spec.server.kind === "remote" ? [`Sign in: kilo mcp auth ${spec.name}`] : []),
    ...(needsKey(spec) ? ["Start kilo, or the editor, in a shell where the variables are set."] : []),
  ],
};
