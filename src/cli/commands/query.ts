import { Option } from "commander";
import { AnalyticsError, quoteWord } from "../../errors.ts";
import { type JsonSchema, parameterSchemas } from "../../operations/json-schema.ts";
import { readParams } from "../../operations/parameters.ts";
import { refuseDaysWithPeriod } from "../../operations/period-words.ts";
import { suggest } from "../../render/suggest.ts";
import { findQuery, type Query } from "../../reports/queries.ts";
import { MAX_WINDOW_DAYS } from "../../reports/windows.ts";
import type { SourceFlags } from "../../sources/source-types.ts";
import type { Io } from "../io.ts";
import { printAnswer } from "../output/print-answer.ts";
import type { Format } from "../output/streams.ts";
import { readScreen } from "../output/terminal.ts";
import { openSource } from "../source.ts";
import { refuseOptionAsWord, seeHelp } from "../usage-error.ts";
import { access, ShellCommand } from "./command.ts";
import { readInterval, watch } from "./query-watch.ts";
import { addTrends } from "./site-trends.ts";

interface QueryFlags extends SourceFlags, Format {
  watch?: true | string;
}

/** The command of a query: its parameters become options, and its views the output. */
export function createQueryCommand(io: Io, name: string): ShellCommand {
  const query = findQuery(name);
  const { shell, summary } = query;
  const command = new ShellCommand(name)
    .taking(access.all)
    .withExamples(...shell.examples)
    .description(`${summary}.`);
  for (const [parameter, schema] of parameterSchemas(query.params)) {
    const metavar = schema.type === "integer" ? "number" : parameter;
    const choices = schema.enum ? ` One of: ${schema.enum.join(", ")}.` : "";
    const option = new Option(
      `--${parameter} <${metavar}>`,
      `${schema.description ?? ""}${choices}${describeRange(schema)}`,
    );
    if (schema.enum) option.choices(schema.enum.map(String));
    // Keeps all values, so that a repeated option is refused like a repeated parameter.
    command.addOption(option.argParser((value: string, earlier: string[] = []) => [...earlier, value]));
  }
  if (takesPeriod(query)) {
    command.option("--from <date>", "first day, instead of --period; until --to, or today");
    command.option("--to <date>", "last day, included");
  }
  if (shell.canWatch)
    command.option("--watch [seconds]", "ask again every 10 seconds (or as given) until Ctrl-C");
  command
    .option("--json", "print the service's answer as JSON")
    .option("--csv", "print comma-separated values")
    .option("--fields <names>", `only these columns, in this order, such as ${shell.fields}`)
    .allowExcessArguments();
  return command.action(async (_, self: ShellCommand) => {
    const flags = self.optsWithGlobals<QueryFlags>();
    refuseWords(query, self.args);
    const input = readInput(query, flags);
    const { call } = openSource(io, flags);
    const ask = () => query.ask(call, input, {}).catch((error) => Promise.reject(explainSite(error, input)));
    if (flags.watch !== undefined) return watch(io, ask, readInterval(flags.watch), flags);
    const answer = await ask();
    const isForPeople = io.stdout.isTTY && !flags.json && !flags.csv && flags.fields === undefined;
    if (shell.trendOf && isForPeople) {
      await addTrends(call, answer, shell.trendOf, readScreen(io, "stdout", flags));
    }
    await printAnswer(io, answer, flags);
  });
}

function describeRange({ type, minimum, maximum, default: fallback }: JsonSchema): string {
  const why = maximum === MAX_WINDOW_DAYS ? ", since it compares with as many days before" : "";
  const parts = [
    ...(type === "integer" ? [`${minimum} to ${maximum}${why}`] : []),
    ...(fallback === undefined ? [] : [`default: ${fallback}`]),
  ];
  return parts.length === 0 ? "" : ` (${parts.join("; ")})`;
}

function refuseWords({ name, params }: Query, [word]: string[]): void {
  if (word === undefined) return;
  refuseOptionAsWord(word, name);
  throw new AnalyticsError("usage", `${name} takes only options, not ${quoteWord(word)}.`, {
    hint: "site" in params.shape ? `Did you mean --site ${word}?` : seeHelp(name),
  });
}

function readInput(query: Query, flags: Record<string, unknown>): Record<string, unknown> {
  const names = [...parameterSchemas(query.params).keys()];
  const given = new Map(
    names.flatMap((name) => (flags[name] === undefined ? [] : [[name, flags[name] as string[]]])),
  );
  if (takesPeriod(query)) readDates(flags, given);
  try {
    const params = readParams(query.params, given);
    refuseDaysWithPeriod((name) => given.has(name));
    return params;
  } catch (error) {
    throw error instanceof AnalyticsError ? explain(query, error, given) : error;
  }
}

const takesPeriod = ({ params }: Query) => "period" in params.shape;

/** Reads `--from` and `--to` as a period. */
function readDates({ from, to }: { from?: string; to?: string }, given: Map<string, string[]>): void {
  if (from === undefined && to === undefined) return;
  const other = ["period", "days"].find((name) => given.has(name));
  if (other !== undefined) throw new AnalyticsError("usage", `Use --from and --to, or --${other}, not both.`);
  if (from === undefined) {
    throw new AnalyticsError("usage", "--to needs --from.", {
      hint: "Such as --from 2026-11-01 --to 2026-11-15.",
    });
  }
  given.set("period", [`${from}/${to ?? "today"}`]);
}

/** Adds the option to use, or a suggestion, to the error on a missing or unknown site. */
function explainSite(error: unknown, { site = "" }: Record<string, unknown>): unknown {
  if (!(error instanceof AnalyticsError)) return error;
  const sites = error.parameters.find(({ parameter }) => parameter === "site")?.allowed;
  if (sites === undefined) return error;
  const { code, message, hint, status, parameters } = error;
  const isMissing = code === "missing_parameter";
  const advice = isMissing ? "Name one with --site. " : suggest(String(site), sites);
  return new AnalyticsError(code, message, {
    hint: `${advice}${hint ?? ""}`,
    status,
    parameters,
    cause: error,
  });
}

/** Adds suggestions and the command's help to an error on parameters. */
function explain({ name }: Query, error: AnalyticsError, given: Map<string, string[]>): AnalyticsError {
  const guesses = error.parameters.map(({ parameter, allowed }) =>
    suggest(given.get(parameter)?.[0] ?? "", allowed ?? []),
  );
  const isOfWindows = error.parameters.some(({ maximum }) => maximum === MAX_WINDOW_DAYS);
  const why = isOfWindows ? `${name} compares with as many days before. ` : "";
  return new AnalyticsError(error.code, error.message, {
    hint: `${guesses.join("")}${why}${seeHelp(name)}`,
    parameters: error.parameters,
    cause: error,
  });
}
