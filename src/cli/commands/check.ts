import { Option } from "commander";
import { AnalyticsError, quoteWord } from "../../errors.ts";
import { formatNotes, type Note } from "../../operations/note.ts";
import { NO_SUCH_VALUE, showWarnings, type Warning } from "../../operations/warning.ts";
import { cleanText } from "../../render/clean-text.ts";
import { type CheckResult, checkResult, createCheck } from "../../reports/check.ts";
import type { Conditions } from "../../reports/check-conditions.ts";
import { type Sensitivity, sensitivities } from "../../reports/usual-range.ts";
import type { SourceFlags } from "../../sources/source-types.ts";
import { exitCodes, SilentExit } from "../exit-codes.ts";
import type { Io } from "../io.ts";
import { printNote, writeData } from "../output/streams.ts";
import { type Appearance, readScreen } from "../output/terminal.ts";
import { openQuerySource, readDefaultSite } from "../source.ts";
import { assertNotOption, seeHelp } from "../usage-error.ts";
import { access, type CommandDefinition, ShellCommand } from "./command.ts";
import { addQueryOptions } from "./query.ts";
import { readQueryInput } from "./query-input.ts";

/** The options on conditions, as commander reads them. */
interface ConditionFlags {
  below?: string;
  above?: string;
  change?: string;
  unusual?: true;
  sensitivity?: Sensitivity;
  deadLinks?: string;
  serverErrors?: string;
}

interface CheckFlags extends SourceFlags, Appearance, ConditionFlags {
  explain?: true;
  quiet?: true;
}

/** The query without a condition, for its options. */
const anyCheck = createCheck({});

/** `analytics-mcp check`: says nothing, unless a condition is met. */
export const command: CommandDefinition = {
  group: "Ask:",
  summary: anyCheck.summary,
  create: (io) => {
    const command = new ShellCommand("check")
      .withAccess(access.all)
      .withExamples(...anyCheck.shell.examples)
      .description(
        `${anyCheck.summary}. It prints a sentence and exits with ${exitCodes.found} if a condition is met, and prints nothing and exits with 0 if none is. While a site is too young to tell, it says so at a terminal or with --explain, and exits with 0. Where else data is missing, it says so on stderr and exits with ${exitCodes.incomplete}.`,
      )
      .option("--below <number>", "met if the metric is less")
      .option("--above <number>", "met if the metric is more")
      .option(
        "--change <percent>",
        "met if it changed by so many percent or more, compared with the days before; of the bounce rate, percentage points. -25 only by a fall, +25 only by a rise",
      )
      .option(
        "--unusual",
        "met if it is far from what is expected after the eight weeks before; for at most 7 days",
      )
      .addOption(
        new Option(
          "--sensitivity <level>",
          "how soon --unusual is met: high finds smaller changes, with more false alarms (default: normal)",
        ).choices(sensitivities),
      )
      .option(
        "--dead-links <number>",
        "met if people asked so many times or more for a path that is not there",
      )
      .option(
        "--server-errors <number>",
        "met if the server failed to answer (5xx) so many requests or more for a path",
      );
    addQueryOptions(command, anyCheck);
    return command
      .option("--explain", "also say what was checked and not found")
      .option("-q, --quiet", "do not say that a site is too young, or that nobody ever met --filter")
      .allowExcessArguments()
      .action(async () => {
        const flags = command.optsWithGlobals<CheckFlags>();
        for (const word of command.args) assertNotOption(word, "check");
        const conditions = readConditions(flags);
        const query = createCheck(conditions);
        const { params, options, fail } = await readQueryInput(query, command, flags, readOwn(flags));
        assertUsed(conditions, params);
        const source = openQuerySource(io, flags, params);
        const answer = await query
          .ask(source.call, params, options)
          .catch(async (error) => fail(error, source.options, await readDefaultSite(io, flags)));
        await report(io, checkResult().parse(answer.result), flags);
      });
  },
};

/** Prints what was found. Throws SilentExit unless everything was checked and nothing found. */
async function report(
  io: Io,
  { findings, neverMet, warnings = [] }: CheckResult,
  flags: CheckFlags,
): Promise<void> {
  const format = createFormatter(io, flags);
  const found = findings.filter(({ state }) => state === "met");
  const unknown = findings.filter(({ state }) => state === "unknown");
  const passed = flags.explain ? findings.filter(({ state }) => state === "not met") : [];
  const learning = findings.filter(({ state }) => state === "learning");
  for (const { text } of found) await writeData(io, format(text));
  for (const { text } of passed) await writeData(io, `ok: ${format(text)}`);
  // Cron mails what a job prints, on both streams: a young site is no news.
  for (const { text } of learning) {
    if (flags.explain) await writeData(io, `learning: ${format(text)}`);
    else if (io.stderr.isTTY && !flags.quiet) await printNote(io, `learning: ${format(text)}`);
  }
  for (const { text } of unknown) await printNote(io, `warning: Not checked: ${format(text)}`);
  const says = found.length + passed.length > 0;
  // A condition on what was mistyped could never be met, or always is.
  const told = warnings.filter((warning) =>
    isAboutValue(warning) ? (says || neverMet) && !flags.quiet : says,
  );
  for (const warning of showWarnings(told)) await printNote(io, format(warning));
  if (neverMet && !flags.quiet) await printNote(io, NEVER_MET);
  if (found.length > 0) throw new SilentExit(exitCodes.found);
  if (unknown.length > 0) throw new SilentExit(exitCodes.incomplete);
}

const NEVER_MET = "No visitor matched --filter in the four weeks before either: check its spelling.";

const isAboutValue = ({ code }: Warning) => code === NO_SUCH_VALUE;

const MAX_LENGTH = 1_000;

/** Writes sentences with numbers as in tables, and without what visitors could do harm with. */
function createFormatter(io: Io, flags: Appearance): (text: Note) => string {
  const numbers = new Intl.NumberFormat(readScreen(io, "stdout", flags).locale);
  return (text) =>
    cleanText(formatNotes([text], "people", (value) => numbers.format(value)).join(""), MAX_LENGTH);
}

/** The options on conditions by their names, as they were typed. */
function readOwn({ below, above, change, unusual, sensitivity, deadLinks, serverErrors }: ConditionFlags) {
  const lists = { "dead-links": deadLinks, "server-errors": serverErrors };
  const own = Object.entries({ below, above, change, unusual, sensitivity, ...lists });
  return Object.fromEntries(own.filter(([, value]) => value !== undefined));
}

/** Reads what to look for. Throws AnalyticsError `usage` for something else than a number, and for no condition. */
function readConditions({
  below,
  above,
  change,
  unusual,
  sensitivity,
  deadLinks,
  serverErrors,
}: ConditionFlags): Conditions {
  if (sensitivity !== undefined && !unusual) {
    throw new AnalyticsError("usage", "--sensitivity needs --unusual.", {
      hint: `Such as --unusual --sensitivity ${sensitivity}.`,
    });
  }
  const conditions: Conditions = {
    below: readNumber("--below", below),
    above: readNumber("--above", above),
    change: readChange(change),
    unusual: unusual && (sensitivity ?? "normal"),
    deadLinks: readNumber("--dead-links", deadLinks),
    serverErrors: readNumber("--server-errors", serverErrors),
  };
  if (Object.values(conditions).some((condition) => condition !== undefined)) return conditions;
  throw new AnalyticsError("usage", "check needs something to look for.", {
    hint: "Add --below, --above, --change, --unusual, --dead-links or --server-errors, such as analytics-mcp check example.com --below 100",
  });
}

const NUMBER = /^\d{1,12}(?:\.\d{1,6})?$/;

function readNumber(flag: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (NUMBER.test(text)) return Number(text);
  throw new AnalyticsError("usage", `${flag} must be a number such as 100, not ${quoteWord(text)}.`, {
    hint: seeHelp("check"),
  });
}

function readChange(text: string | undefined): Conditions["change"] {
  if (text === undefined) return undefined;
  const [, sign, number = ""] = /^([+-]?)([^%]*)%?$/.exec(text) ?? [];
  if (!NUMBER.test(number) || Number(number) === 0) {
    throw new AnalyticsError("usage", `--change must be a percentage such as 50, not ${quoteWord(text)}.`, {
      hint: "-25 is met only by a fall, +25 only by a rise, and 25 by both.",
    });
  }
  const direction = sign === "+" ? "up" : sign === "-" ? "down" : undefined;
  return { least: Number(number), direction };
}

/** Refuses options that no condition uses, and a filter of what no filter can choose among. */
function assertUsed(conditions: Conditions, { metric, against, filter }: Record<string, unknown>): void {
  const { below, above, change, unusual, deadLinks, serverErrors } = conditions;
  if (against !== undefined && change === undefined) {
    throw new AnalyticsError("usage", "--against needs --change.", {
      hint: "Such as --change 50 --against year_before.",
    });
  }
  const flag =
    deadLinks !== undefined ? "--dead-links" : serverErrors !== undefined ? "--server-errors" : undefined;
  if (flag === undefined) return;
  if (filter !== undefined) {
    throw new AnalyticsError("usage", `${flag} cannot be combined with --filter.`, {
      hint: "These requests belong to no visit, so a filter cannot apply to them. Check them with a separate command.",
    });
  }
  const usesMetric = below !== undefined || above !== undefined || change !== undefined || unusual;
  if (metric !== undefined && !usesMetric) {
    throw new AnalyticsError("usage", `${flag} has no --metric.`, { hint: "Leave out --metric." });
  }
}
