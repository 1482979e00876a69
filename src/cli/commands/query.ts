import { Option } from "commander";
import { AnalyticsError, quoteWord } from "../../errors.ts";
import { timeseries } from "../../operations/index.ts";
import { type JsonSchema, parameterSchemas } from "../../operations/json-schema.ts";
import { findNext } from "../../operations/note.ts";
import { flagOf } from "../../operations/shell-command.ts";
import { findQuery } from "../../reports/queries.ts";
import type { Query } from "../../reports/query.ts";
import { MAX_WINDOW_DAYS } from "../../reports/windows.ts";
import type { SourceFlags } from "../../sources/source-types.ts";
import type { Io } from "../io.ts";
import { addOutputOptions, type Output, type OutputFlags, readOutput } from "../output/output-format.ts";
import { printAnswer } from "../output/print-answer.ts";
import { showProgress } from "../output/progress-line.ts";
import { readScreen } from "../output/terminal.ts";
import { openQuerySource, readDefaultSite } from "../source.ts";
import { assertNotOption, seeHelp } from "../usage-error.ts";
import { access, ShellCommand } from "./command.ts";
import { DEFAULT_DIMENSION, needsDimension, readQueryInput, takesPeriod, takesSite } from "./query-input.ts";

interface QueryFlags extends SourceFlags, OutputFlags {
  watch?: true | string;
  explain?: true;
}

/** The command of a query: its parameters become options, and its views the output. */
export function createQueryCommand(io: Io, name: string): ShellCommand {
  const query = findQuery(name);
  const { shell, summary } = query;
  const command = new ShellCommand(name)
    .withAccess(access.all)
    .withExamples(...shell.examples)
    .description(`${summary}.`);
  addQueryOptions(command, query);
  if (shell.canWatch)
    command.option("--watch [seconds]", "ask again every 10 seconds (or as given) until Ctrl-C");
  addOutputOptions(command, shell.fields)
    .option("--explain", "all notes, not only the first three lines")
    .allowExcessArguments();
  return command.action(async () => {
    const flags = command.optsWithGlobals<QueryFlags>();
    assertNoExtraWords(query, command.args);
    const { params, options, ranksByDefault, fail } = await readQueryInput(query, command, flags);
    const output: Output = { ...readOutput(io, flags), brief: flags.explain !== true };
    const opened = openQuerySource(io, flags, params);
    const { call, options: source } = opened;
    const ask = async () => {
      const given = await query
        .ask(call, params, options)
        .catch(async (error) => fail(error, source, await readDefaultSite(io, flags)));
      const { ofFirst, instead, result, views } = given;
      const proposing = [
        ofFirst,
        instead,
        result.missing,
        ...views.flatMap(({ notes }) => notes.map(findNext)),
      ];
      if (!ranksByDefault && proposing.every((each) => each === undefined)) return given;
      const { proposeNext } = await import("./query-next.ts");
      return proposeNext(query, given, source, { ranksByDefault, ...options });
    };
    if (flags.watch !== undefined) {
      const { readInterval, watch } = await import("./query-watch.ts");
      return watch(io, () => showProgress(io, opened, ask), readInterval(flags.watch), output);
    }
    const askWithPictures = async () => {
      const answer = await ask();
      if (output.format !== "table" || output.fields !== undefined) return answer;
      const screen = readScreen(io, "stdout", output);
      const readSite = params.period === undefined ? shell.trendOf : undefined;
      const hasHours = name === timeseries.name && screen.pictures;
      if (!readSite && !hasHours) return answer;
      const { addHours, addTrends } = await import("./query-trends.ts");
      await (readSite ? addTrends(call, answer, readSite, screen) : addHours(call, answer));
      return answer;
    };
    await printAnswer(io, await showProgress(io, opened, askWithPictures), output);
  });
}

/** Adds a query's parameters to its command. A site may also be given as a word, and a period as two dates. */
export function addQueryOptions(command: ShellCommand, query: Query): void {
  if (takesSite(query)) command.usage("[site] [options]").argument("[site]");
  for (const [parameter, schema] of parameterSchemas(query.params)) {
    const metavar = nameValue(parameter, schema);
    const isNeeded = parameter === "dimension" && needsDimension(query);
    const word = isNeeded
      ? ` ${DEFAULT_DIMENSION} by default; its name alone also does: breakdown countries.`
      : "";
    const choices = schema.enum?.[1] ? ` One of: ${schema.enum.join(", ")}.` : "";
    const option = new Option(
      `--${flagOf(parameter)} <${metavar}>`,
      `${schema.description ?? ""}${choices}${word}${describeRange(schema)}`,
    );
    if (schema.enum) option.choices(schema.enum.map(String));
    // Keeps all values, so that a repeated option is refused like a repeated parameter.
    command.addOption(option.argParser((value: string, earlier: string[] = []) => [...earlier, value]));
  }
  if (takesPeriod(query)) {
    command.option("--from <date>", "first day, instead of --period; the last is --to, or today");
    command.option("--to <date>", "last day, included");
  }
}

/** What help calls an option's value. Completion finds candidates by it. */
function nameValue(parameter: string, { type }: JsonSchema): string {
  if (type === "array") return "condition";
  if (type === "integer") return "number";
  return parameter === "by" ? "dimension" : parameter;
}

function describeRange({ type, minimum, maximum, default: fallback }: JsonSchema): string {
  const why = maximum === MAX_WINDOW_DAYS ? ", since it compares with as many days before" : "";
  const parts = [
    ...(type === "integer" ? [`${minimum} to ${maximum}${why}`] : []),
    ...(fallback === undefined ? [] : [`default: ${fallback}`]),
  ];
  return parts.length === 0 ? "" : ` (${parts.join("; ")})`;
}

/** Refuses words where the command takes none, and those that look like options. */
function assertNoExtraWords(query: Query, words: readonly string[]): void {
  for (const word of words) assertNotOption(word, query.name);
  const [word] = words;
  if (word === undefined || takesSite(query)) return;
  throw new AnalyticsError("usage", `${query.name} takes only options, not ${quoteWord(word)}.`, {
    hint: seeHelp(query.name),
  });
}
