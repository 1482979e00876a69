import { Option } from "commander";
import { AnalyticsError, quoteWord } from "../../errors.ts";
import type { Call, CallOptions } from "../../operations/call.ts";
import { timeseries } from "../../operations/index.ts";
import { type JsonSchema, parameterSchemas } from "../../operations/json-schema.ts";
import { formatNotes, forPeople } from "../../operations/note.ts";
import { flagOf, formatCommand } from "../../operations/shell-command.ts";
import type { View } from "../../operations/view.ts";
import { drawSparkline } from "../../render/block-graphics.ts";
import type { Screen } from "../../render/terminal-screen.ts";
import { findQuery } from "../../reports/queries.ts";
import type { Answer, Query } from "../../reports/query.ts";
import { MAX_WINDOW_DAYS } from "../../reports/windows.ts";
import { formatCountrySetup, PLACES_OPTION } from "../../sources/country-package.ts";
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

const TREND_DAYS = 14;
/** One request each: more would use up much of the service's quota per minute. */
const MAX_TRENDS = 40;
const TREND_TIMEOUT_MS = 5_000;

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
    const { call, options: source } = openQuerySource(io, flags, params);
    const ask = async () => {
      const given = await query
        .ask(call, params, options)
        .catch(async (error) => fail(error, source, await readDefaultSite(io, flags)));
      const answer = proposeFilter(proposeLastDays(query, given, source), source);
      return proposeCountries(ranksByDefault ? proposeLists(answer) : answer, source);
    };
    if (flags.watch !== undefined) {
      const { readInterval, watch } = await import("./query-watch.ts");
      return watch(io, ask, readInterval(flags.watch), output);
    }
    const askWithPictures = async () => {
      const answer = await ask();
      if (output.format !== "table" || output.fields !== undefined) return answer;
      const screen = readScreen(io, "stdout", output);
      if (shell.trendOf && params.period === undefined) await addTrends(call, answer, shell.trendOf, screen);
      if (name === timeseries.name && screen.pictures) await addHours(call, answer);
      return answer;
    };
    await printAnswer(io, await showProgress(io, askWithPictures), output);
  });
}

/** Adds the command for the last days with data, if those asked for are after them. */
function proposeLastDays(query: Query, answer: Answer, source: readonly string[]): Answer {
  const { params, empty, lastDays } = answer;
  if (empty === undefined || lastDays === undefined) return answer;
  const { days: _, against: __, ...kept } = params;
  const asked = Object.entries({ ...kept, period: lastDays }).filter(([, value]) => value !== undefined);
  const command = formatCommand(query, Object.fromEntries(asked), source);
  return { ...answer, empty: `${empty} Its last days: ${command}` };
}

/** Adds the command that asks about the first row alone: the pages of a country, the referrers of a page. */
function proposeFilter(answer: Answer, source: readonly string[]): Answer {
  const { params, result, ofFirst, views } = answer;
  const [view, ...others] = views;
  if (ofFirst === undefined || view === undefined) return answer;
  const { limit: _, with: __, filter: ___, days, ...given } = params;
  const { site } = result as { site?: { domain: string } };
  const asked = {
    ...given,
    ...(site && { site: site.domain }),
    ...(given.period === undefined && { days }),
    ...ofFirst,
  };
  const known = Object.entries(asked).filter(([, value]) => value !== undefined);
  const command = formatCommand({ name: "breakdown" }, Object.fromEntries(known), source);
  const note = forPeople(`For the first row alone: ${command}`);
  return { ...answer, views: [{ ...view, notes: [...view.notes, note] }, ...others] };
}

/** Says how to choose another list, where none was named. */
function proposeLists(answer: Answer): Answer {
  const note = forPeople("For another list, name it: analytics-mcp breakdown referrers (all: --help)");
  return { ...answer, views: answer.views.map((view) => ({ ...view, notes: [note, ...view.notes] })) };
}

/** Adds the command line that adds countries, where an answer lacks them for want of a database. */
function proposeCountries(answer: Answer, source: readonly string[]): Answer {
  const lacks = ({ notes }: View) =>
    formatNotes(notes, "people").some((note) => note.includes(`without ${PLACES_OPTION}`));
  if (!answer.views.some(lacks)) return answer;
  const note = forPeople(`To add countries: ${formatCountrySetup(source)}`);
  const views = answer.views.map((view) => (lacks(view) ? { ...view, notes: [...view.notes, note] } : view));
  return { ...answer, views };
}

/**
 * Adds each site's visitors of the last 14 days, as a number and a sparkline. They are an extra: a series that fails or is
 * late leaves its cells empty.
 */
async function addTrends(
  call: Call,
  answer: Answer,
  readSite: (row: Record<string, unknown>) => string,
  { pictures }: Screen,
): Promise<void> {
  const [view] = answer.views;
  if (!view) return;
  const signal = AbortSignal.timeout(TREND_TIMEOUT_MS);
  const series = await Promise.all(
    view.rows.map(async (row, index) => {
      if (index >= MAX_TRENDS) return undefined;
      return readTrend(call, readSite(row), { signal }).catch(() => undefined);
    }),
  );
  view.columns.push({ key: "visitors", label: `visitors, ${TREND_DAYS} days`, kind: "count" });
  if (pictures) view.columns.push({ key: "trend", label: "to today", kind: "time", spare: true });
  view.rows = view.rows.map((row, index) => {
    const { counts, visitors = null } = series[index] ?? {};
    return { ...row, visitors, trend: counts ? drawSparkline(counts) : "" };
  });
}

/** The visitors of each day, and of all days where they can be added up. */
async function readTrend(call: Call, site: string, options: CallOptions) {
  const [{ points }, addUp = true] = await Promise.all([
    call(timeseries, { site, days: TREND_DAYS }, options),
    call.addsUp?.(site, TREND_DAYS, options),
  ]);
  const counts = points.map(({ visitors, missing }) => (missing ? null : visitors));
  const known = counts.filter((count) => count !== null);
  const sum = known.reduce((total, count) => total + count, 0);
  // Nobody knows that there were none on days without data.
  return { counts, ...(addUp && known.length > 0 && { visitors: sum }) };
}

/** Draws the hours of a single day, whose row alone would have no picture. */
async function addHours(call: Call, answer: Answer): Promise<void> {
  const { readDayHours } = await import("../../reports/series-answer.ts");
  const signal = AbortSignal.timeout(TREND_TIMEOUT_MS);
  const series = await readDayHours(call, answer, { signal });
  const [view] = answer.views;
  if (view && series) view.series = series;
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
