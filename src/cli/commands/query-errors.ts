import { AnalyticsError, type ParameterError, quotePath, quoteWord } from "../../errors.ts";
import { findDimension, findOtherList } from "../../operations/dimension-names.ts";
import { dimensions } from "../../operations/dimensions.ts";
import { MAX_DAYS } from "../../operations/fields.ts";
import { isCondition } from "../../operations/filter-input.ts";
import { isPeriod, resolvePeriod } from "../../operations/period-words.ts";
import { flagOf, formatCommand, quoteForShell } from "../../operations/shell-command.ts";
import { suggestDimension, suggestListed, suggestName } from "../../render/suggest-name.ts";
import { adviseOnRefusal, type CompleteQuestion, isOfService } from "../../reports/next-question.ts";
import { findInterval } from "../../reports/profile.ts";
import type { Query } from "../../reports/query.ts";
import { MAX_WINDOW_DAYS } from "../../reports/windows.ts";
import { describePlacesSetup, findLackingPlaces, PLACES_OPTION } from "../../sources/country-package.ts";
import { askIfMeant, findDays, guessDays, replaceWords } from "../guess-days.ts";
import { seeHelp } from "../usage-error.ts";
import type { ShellCommand } from "./command.ts";

/** What the command line gave: the texts of each parameter, and the words that are not options. */
export interface GivenWords {
  texts: ReadonlyMap<string, readonly string[]>;
  words: readonly string[];
  command?: ShellCommand | undefined;
  /** Options of the command that are no parameters, to be kept in a command to try. */
  own?: Readonly<Record<string, unknown>> | undefined;
  /** `--from` and `--to` as given, which together are the period. */
  dates?: string | undefined;
  /** The options that choose the source, for a command line to try next. */
  source?: readonly string[] | undefined;
  /** The site of a question that names none. */
  defaultSite?: string | undefined;
}

/** A list of more characters than this goes into the hint, after the suggestion. */
const MAX_LIST_LENGTH = 70;
const MAX_VALUE_LENGTH = 60;

/** Refuses words beside the site, with the command line that they are meant for if they are days. */
export function createStrayWordsError(
  query: Query,
  command: ShellCommand,
  texts: GivenWords["texts"],
  words: readonly string[],
): AnalyticsError {
  const days = findDays(query, texts, words);
  const isFound = days.used.length > 0;
  const extra = isFound ? days.used.join(" ") : words[texts.has("site") ? 0 : 1];
  const isWhole = words.length <= days.used.length + (texts.has("site") ? 0 : 1);
  const condition = words.find(isCondition);
  if (!isFound && condition !== undefined) {
    return new AnalyticsError(
      "usage",
      `${query.name} takes a site, but ${quoteWord(condition)} is a filter.`,
      {
        hint: adviseOnFilter(query, condition),
      },
    );
  }
  const mistyped = isFound ? undefined : words.find((word) => suggestList(query, texts, word) !== "");
  if (mistyped !== undefined) {
    return new AnalyticsError("usage", `${query.name} has no list ${quoteWord(mistyped)}.`, {
      hint: suggestList(query, texts, mistyped).trim(),
    });
  }
  const hint = isFound
    ? `${askIfMeant(days.meant)}${isWhole ? replaceWords(command, days) : ""}`.trim()
    : "Ask about one site at a time.";
  return new AnalyticsError(
    "usage",
    `${query.name} takes one site, but ${quoteWord(extra ?? "")} was given as well.`,
    { hint },
  );
}

/** Refuses the path of a file in place of a site. */
export function createFileError(query: Query, path: string): AnalyticsError {
  // With those that were rotated.
  const logs = path.endsWith(".log") ? `${path}*` : path;
  return new AnalyticsError("usage", `${query.name} takes a site, but ${quotePath(path)} is a file.`, {
    hint: `Did you mean ${formatCommand(query, {}, ["--logs", logs])}?`,
  });
}

/** The list that a word beside the options is meant for, where none was named. */
const suggestList = ({ params }: Query, texts: GivenWords["texts"], word: string): string =>
  "dimension" in params.shape && !texts.has("dimension") ? suggestDimension(word, dimensions) : "";

/** Rewrites an error on parameters for the command line: options with their dashes, and the values given. */
export function explainParameters(query: Query, error: unknown, given: GivenWords): unknown {
  if (!(error instanceof AnalyticsError)) return error;
  const wrong = error.code === "usage" ? findWrongPeriod(given) : undefined;
  if (wrong !== undefined) return explainParameters(query, wrong, given);
  const { code, parameters, status } = error;
  const advice = adviseOnRefusal(query, error, readGiven(given));
  const { hint = "" } = advice;
  const next = nameCommands(advice.next, given);
  const guesses = given.words.map((word) => guess(query, given, word).trim());
  if (parameters.length === 0) {
    const [meant] = guesses.filter((sentence) => sentence !== "");
    if (meant === undefined || code !== "usage") return error;
    return new AnalyticsError(code, error.message, { hint: `${meant} ${hint}`.trim(), cause: error });
  }
  const [first] = parameters;
  if (first?.parameter === "site" && first.allowed !== undefined) return explainSite(query, error, given);
  const parts = parameters.map((parameter) => explainParameter(query, parameter, given));
  const isOfWindows = parameters.some(({ maximum }) => maximum === MAX_WINDOW_DAYS);
  return new AnalyticsError(code, parts.map(({ message }) => message).join(" "), {
    hint: [
      ...guesses,
      ...parts.map((part) => part.hint),
      hint,
      parameters.some(({ maximum, detail }) => maximum === MAX_DAYS && !isOfService(detail)) &&
      Number(given.texts.get("days")?.[0]) > MAX_DAYS
        ? "For all days that there are: --period all."
        : "",
      isOfWindows ? `${query.name} compares these days with as many before.` : "",
      next || (parts.some((part) => part.hint.includes(PLACES_OPTION)) ? "" : seeHelp(query.name)),
    ]
      .filter((sentence) => sentence !== "")
      .join(" "),
    status,
    parameters,
    cause: error,
  });
}

/** What is wrong with the period in words, which is said first if the source refuses: without it, nobody asks for the date there. */
function findWrongPeriod({ texts }: GivenWords): unknown {
  const [period] = texts.get("period") ?? [];
  if (period === undefined || isPeriod(period)) return undefined;
  try {
    resolvePeriod(period, new Date().toISOString().slice(0, 10));
    return undefined;
  } catch (error) {
    return error;
  }
}

interface Explanation {
  message: string;
  hint: string;
}

function explainParameter(query: Query, refusal: ParameterError, given: GivenWords): Explanation {
  const { parameter, detail, allowed } = refusal;
  const texts = given.texts.get(parameter) ?? [];
  const [value = ""] = texts;
  if (parameter === "period" && given.dates !== undefined) return explainDates(given.dates, detail);
  const name = `--${flagOf(parameter)}`;
  const list = allowed?.join(", ") ?? readList(detail);
  if (detail === "is required") return explainMissing(name, list);
  const own = explainPlaces(refusal, given) ?? explainServiceDays(refusal);
  if (own !== undefined) return own;
  if (quotesGiven(parameter, texts)) {
    const conditions = (allowed ?? []).filter(isCondition).map((each) => `${name} ${quoteForShell(each)}`);
    const hint = conditions.length > 0 ? `Write ${conditions.join(" ")}.` : suggestName(refusal).trim();
    return { message: `${name} ${detail}.`, hint };
  }
  if (texts.length > 1) return { message: `${name} ${detail} (${texts.map(shorten).join(", ")}).`, hint: "" };
  if (list !== undefined && value !== "") return explainChoice(refusal, value, list);
  if (detail.endsWith(" with days")) {
    return { message: `${name} cannot be combined with --days.`, hint: "Leave out one of the two." };
  }
  const [, other, example] = /^needs (\w+), such as \w+=(\S+)$/.exec(detail) ?? [];
  if (other !== undefined)
    return { message: `${name} needs --${other}.`, hint: `Such as --${other} ${example}.` };
  const isRule = value !== "" && detail.startsWith("must be ");
  return {
    message: `${name} ${detail}${isRule ? `, not ${shorten(value)}` : ""}.`,
    hint: parameter === "days" ? guess(query, given, value).trim() : "",
  };
}

/** Says what a service has in place of a number of days; what to ask instead follows. */
const explainServiceDays = ({ parameter, detail }: ParameterError): Explanation | undefined =>
  parameter === "days" && isOfService(detail) ? { message: `--days ${detail}.`, hint: "" } : undefined;

/** What can be asked instead, as commands. A command to paste ends the hint. */
const nameCommands = (questions: readonly CompleteQuestion[], { source = [] }: GivenWords): string =>
  questions.map((next) => `${next.why}: ${formatCommand(next, next.params, source)}`).join("; ");

/** Explains that a list or a condition needs a database of places. */
function explainPlaces({ detail }: ParameterError, given: GivenWords): Explanation | undefined {
  const lacking = findLackingPlaces(detail);
  if (lacking === undefined) return undefined;
  const hint = describePlacesSetup(lacking, given.source);
  const message = `The logs have no ${lacking} yet: addresses have no place without ${PLACES_OPTION}.`;
  return { message, hint };
}

/** Explains a value that is none of a list. */
function explainChoice(refusal: ParameterError, value: string, list: string): Explanation {
  const { parameter, detail } = refusal;
  const [unrecorded, without = ""] = /this source does not record( without --\w+)?/.exec(detail) ?? [];
  const why = unrecorded === undefined ? "" : `: this source does not record it${without}`;
  const near = suggestListed(refusal, value).trim();
  return {
    message: `--${flagOf(parameter)} cannot be ${shorten(value)}${why}.`,
    hint: near || `${suggestCommand(parameter, value)}It can be ${list}.`,
  };
}

/** The command that has what was asked of another, as a sentence or an empty text. */
function suggestCommand(parameter: string, value: string): string {
  const interval = findInterval(value);
  const dimension = findDimension(value);
  if (parameter === "interval" && dimension !== undefined)
    return `For a list of ${dimension}: analytics-mcp breakdown --dimension ${dimension}. `;
  if (parameter === "dimension" && interval !== undefined)
    return `For each ${interval}: analytics-mcp timeseries --by ${interval}. `;
  const list = parameter === "dimension" ? findOtherList(value) : undefined;
  if (list !== undefined) return `These have a list of their own: analytics-mcp ${list}. `;
  return "";
}

function explainMissing(name: string, list: string | undefined): Explanation {
  const example = name === "--goal" ? "Name one, such as --goal events=signup or --goal pages=/thanks." : "";
  return { message: `${name} is missing.`, hint: list === undefined ? example : `It can be ${list}.` };
}

/** Whether the sentences about a parameter quote what was given. */
const quotesGiven = (parameter: string, texts: readonly string[]) =>
  parameter === "filter" || (parameter === "goal" && texts.length === 1);

/** Explains an error on a period that was given as `--from` and perhaps `--to`. */
function explainDates(dates: string, detail: string): Explanation {
  const isPair = dates.includes(" --to ");
  const [, today] = /^ends on (\S+), before/.exec(detail) ?? [];
  const what = !isPair && today !== undefined ? `is in the future: today at the site is ${today}` : detail;
  const form = isPair ? "are not both dates such as 2026-11-15" : "is not a date such as 2026-11-15";
  return { message: `${dates} ${readList(detail) === undefined ? what : form}.`, hint: "" };
}

/** The values that a detail lists, if they are too many for one sentence with the value given. */
function readList(detail: string): string | undefined {
  const [, list = ""] = /^must be (?:one of )?(.*)$/s.exec(detail) ?? [];
  return list.length > MAX_LIST_LENGTH ? list : undefined;
}

const shorten = (value: string) => quoteWord(value, { maxLength: MAX_VALUE_LENGTH });

/** What was given, to be repeated in a command. */
const readGiven = ({ texts, own }: GivenWords): Record<string, unknown> => ({
  ...Object.fromEntries([...texts].map(([name, values]) => [name, values.length > 1 ? values : values[0]])),
  ...own,
});

/** The option that a word is meant for, as a question or an empty text. */
const guess = (query: Query, { texts }: GivenWords, word: string) =>
  askIfMeant(guessDays(query, texts, word));

/** Adds to the error on a missing or unknown site how to name one. */
function explainSite(query: Query, error: AnalyticsError, given: GivenWords) {
  const { source = [] } = given;
  const { code, message, hint = "", status, parameters } = error;
  const [first] = parameters.flatMap(({ allowed = [] }) => allowed);
  const isMissing = code === "missing_parameter";
  const name = `Name one: ${formatCommand(query, readGiven(given), [first ?? "", ...source])}`;
  const missing = first === undefined ? hint : name;
  return new AnalyticsError(code, message, {
    hint: isMissing ? missing : explainWord(query, given, hint, first),
    status,
    parameters,
    cause: error,
  });
}

const adviseOnFilter = ({ name, params }: Query, condition: string): string =>
  "filter" in params.shape
    ? `Did you mean --filter ${quoteForShell(condition)}?`
    : `${name} takes no filter.`;

const PAGE = /^\/[\w./*-]{0,200}$/;

/** Says which option the word was meant for that was taken for a site. */
function explainWord(query: Query, given: GivenWords, hint: string, site: string | undefined): string {
  const { texts, words, command, defaultSite } = given;
  const near = suggestList(query, texts, words[0] ?? "").trim();
  if (near !== "") return `${near} ${hint}`;
  const word = words.find((each) => guessDays(query, texts, each)) ?? "";
  const condition = words.find(isCondition);
  if (condition !== undefined) return `${adviseOnFilter(query, condition)} ${hint}`;
  const page = words.find((each) => PAGE.test(each));
  if (page !== undefined && "filter" in query.params.shape)
    return `For a page: --filter ${quoteForShell(`page=${page}`)}. ${hint}`;
  const meant = guessDays(query, texts, word);
  if (meant === undefined) return hint;
  const isNew = Object.keys(meant).every((name) => !texts.has(name));
  const days = { meant, used: [word] };
  const others = defaultSite === undefined && site !== undefined ? [site] : [];
  const line = command && site !== undefined && isNew ? replaceWords(command, days, ...others) : "";
  return `${askIfMeant(meant)}${hint} ${line}`.trim();
}
