import { Option } from "commander";
import { AnalyticsError, quoteWord } from "../../errors.ts";
import { findQuery, type Query } from "../../reports/queries.ts";
import { gatherByInterval, type Interval, intervals } from "../../reports/series-intervals.ts";
import type { SourceFlags } from "../../sources/source-types.ts";
import type { Io } from "../io.ts";
import { addOutputOptions, type OutputFlags, readOutput } from "../output/output-format.ts";
import { printAnswer } from "../output/print-answer.ts";
import { readScreen } from "../output/terminal.ts";
import { openSource } from "../source.ts";
import { refuseOptionAsWord, seeHelp } from "../usage-error.ts";
import { access, ShellCommand } from "./command.ts";
import { readQueryInput, takesSite } from "./query-input.ts";
import { addQueryOptions } from "./query-options.ts";

interface QueryFlags extends SourceFlags, OutputFlags {
  watch?: true | string;
  by?: Interval;
}

/** The command of a query: its parameters become options, and its views the output. */
export function createQueryCommand(io: Io, name: string): ShellCommand {
  const query = findQuery(name);
  const { shell, summary } = query;
  const command = new ShellCommand(name)
    .taking(access.all)
    .withExamples(...shell.examples)
    .description(`${summary}.`);
  addQueryOptions(command, query);
  if (shell.canGather) {
    command.addOption(
      new Option(
        "--by <interval>",
        "add up the days by week (from Monday) or month: day, week, month (default: day)",
      ).choices(intervals),
    );
  }
  if (shell.canWatch)
    command.option("--watch [seconds]", "ask again every 10 seconds (or as given) until Ctrl-C");
  addOutputOptions(command, shell.fields).allowExcessArguments();
  return command.action(async () => {
    const flags = command.optsWithGlobals<QueryFlags>();
    refuseWords(query, command.args);
    const { params, fail } = await readQueryInput(query, command, flags);
    const output = readOutput(io, flags);
    const { call } = openSource(io, flags);
    const ask = async () =>
      gatherByInterval(await query.ask(call, params, {}).catch(fail), flags.by ?? "day");
    if (flags.watch !== undefined) {
      const { readInterval, watch } = await import("./query-watch.ts");
      return watch(io, ask, readInterval(flags.watch), output);
    }
    const answer = await ask();
    if (shell.trendOf && output.format === "table" && output.fields === undefined) {
      const { addTrends } = await import("./site-trends.ts");
      await addTrends(call, answer, shell.trendOf, readScreen(io, "stdout", output));
    }
    await printAnswer(io, answer, output);
  });
}

/** Refuses words where the command takes none, and those that look like options. */
function refuseWords(query: Query, words: readonly string[]): void {
  for (const word of words) refuseOptionAsWord(word, query.name);
  const [word] = words;
  if (word === undefined || takesSite(query)) return;
  throw new AnalyticsError("usage", `${query.name} takes only options, not ${quoteWord(word)}.`, {
    hint: seeHelp(query.name),
  });
}
