import type { CommandSummary } from "../../src/cli/commands/command-list.ts";
import { commandLoaders } from "../../src/cli/commands/index.ts";
import { defineTool } from "../../src/mcp/tool-definitions.ts";
import { queries } from "../../src/reports/queries.ts";

export const buildToolList = () => queries.map(defineTool);

export const buildCommandList = async (): Promise<CommandSummary[]> => [
  ...queries.map(({ name, summary }) => ({ name, group: "Ask:" as const, summary })),
  ...(await Promise.all(
    Object.entries(commandLoaders).map(async ([name, load]) => {
      const { group, summary } = (await load()).command;
      return { name, group, summary };
    }),
  )),
];
