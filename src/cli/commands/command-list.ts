import { queries } from "../../reports/queries.ts";
import type { Group } from "./command.ts";
import { commandLoaders } from "./index.ts";

/** A command as the program's help lists it. */
export interface CommandSummary {
  name: string;
  group: Group;
  summary: string;
}

/**
 * All commands in the order of help. The build computes the list (`.ci/build/computed.ts`), because every start would otherwise
 * load every command for one sentence each.
 */
export const commandList: readonly CommandSummary[] = [
  ...queries.map(({ name, summary }) => ({ name, group: "Ask:" as const, summary })),
  ...(await Promise.all(
    Object.entries(commandLoaders).map(async ([name, load]) => {
      const { group, summary } = (await load()).command;
      return { name, group, summary };
    }),
  )),
];
