import type { Group } from "./command.ts";
import list from "./command-list.json" with { type: "json" };

/** A command as the program's help lists it. */
export interface CommandSummary {
  name: string;
  group: Group;
  summary: string;
}

/**
 * All commands in the order of help. The list is generated (`npm run lists`), because every start would otherwise load
 * every command for one sentence each.
 */
export const commandList = list as readonly CommandSummary[];
