import { AnalyticsError, createParameterError, quoteIfNeeded } from "../errors.ts";
import { readMember } from "../member.ts";
import { findCountry } from "../names/countries.ts";
import { groupReferrer } from "../names/referrers.ts";
import { foldName, hasOtherName, NONE, nameNone, nameValue } from "../names/value-names.ts";
import type { Call } from "../operations/call.ts";
import type { Days } from "../operations/days.ts";
import type { Dimension } from "../operations/dimensions.ts";
import { DEFAULT_DAYS } from "../operations/fields.ts";
import {
  type Condition,
  conditionOf,
  type Filter,
  formatCondition,
  formatFilter,
  isOfHits,
  isOnHits,
  parseFilter,
} from "../operations/filter.ts";
import { splitConditions } from "../operations/filter-input.ts";
import { createMatch } from "../operations/filter-matching.ts";
import { breakdown, stats } from "../operations/index.ts";
import type { AnswerOf } from "../operations/operation.ts";
import { hasNoCounts, type View } from "../operations/view.ts";
import { FOLDED_FILTER, NO_SUCH_VALUE, type Warning } from "../operations/warning.ts";
import { findNearest } from "../suggest.ts";
import type { QueryOptions } from "./default-days.ts";
import { listSpans } from "./empty-answer.ts";
import { readGoal } from "./goal.ts";
import { askDays, askSpan } from "./site-period.ts";
import { ROW_LIMIT } from "./windows.ts";

/*
 * People name rows as they read them: Google; Paris, France; (none). A filter takes values, exactly. Here such a name becomes the value
 * that it stands for, above the `Call`, so that every source gets values alone. A question with values that occur takes no request more,
 * unless a condition leaves something out or has alternatives: whether each of those occurs, its answer does not show.
 */

interface Asked {
  filter?: Filter | undefined;
  goal?: Condition | undefined;
}

interface Reply {
  result: Record<string, unknown>;
  views: View[];
}

/**
 * Asks with the conditions as given. What finds nothing, or may not occur, is looked up in the rows of its dimension, and asked for by its
 * value if it is the name of one. Throws AnalyticsError `invalid_parameter` for a name of several values.
 *
 * @param params Of the query, with the site.
 * @returns The reply, with the parameters and the options that it is of, and a sentence if nothing can meet the filter.
 */
export async function replyByName<Options extends QueryOptions>(
  call: Call,
  params: Record<string, unknown>,
  options: Options,
  reply: (params: Record<string, unknown>, options: Options) => Promise<Reply>,
) {
  const goal = typeof params.goal === "string" ? readGoal(params.goal) : undefined;
  const addGoal = ({ goal }: Asked) => ({ ...params, ...(goal && { goal: formatCondition(goal) }) });
  const addFilter = ({ filter }: Asked) => ({ ...options, ...(filter && { filter }) });
  const { result, views, ...asked } = await replyTo(
    call,
    { filter: options.filter, goal },
    params,
    options,
    (each) => reply(addGoal(each), addFilter(each)),
  );
  const { filter } = asked;
  assertPossible(filter ?? []);
  const nothing = findNothing(filter, result.warnings as readonly Warning[] | undefined);
  return {
    ...{ result, views, nothing, options: addFilter(asked) },
    params: { ...addGoal(asked), ...(filter && { filter: formatFilter(filter) }) },
  };
}

/** What is said of a condition whose values all do not occur, so that nothing meets it. */
function findNothing(filter: Filter = [], warnings: readonly Warning[] = []): string | undefined {
  const missing = new Map(
    warnings.flatMap(({ code, values, detail }) =>
      code === NO_SUCH_VALUE ? [[values?.filter, detail] as const] : [],
    ),
  );
  for (const condition of filter) {
    const said = namesOf(condition, "filter").flatMap(({ key }) => missing.get(key) ?? []);
    if (!condition.isNot && said.length === condition.alternatives.length) return said.join(" ");
  }
  return undefined;
}

/**
 * Refuses two conditions that nothing can meet: two values where a visit, or a hit, has one, or all but the value that it has. Their 0
 * would read as an answer.
 */
function assertPossible(filter: Filter): void {
  const single = filter.filter((condition) => isOnHits(condition) || !isOfHits(condition.dimension));
  for (const [index, one] of single.entries()) {
    const other = single
      .slice(index + 1)
      .find((each) => each.dimension === one.dimension && excludes(one, each));
    if (other === undefined) continue;
    if (one.isNot || other.isNot)
      throw createParameterError(
        "filter",
        `has ${formatCondition(one)} and ${formatCondition(other)}, which nothing meets at once`,
        { hint: "Leave out one of them." },
      );
    const either = formatCondition({ ...one, alternatives: [...one.alternatives, ...other.alternatives] });
    const [first, second] = [one, other].map((each) => formatCondition({ ...each, ofVisit: true }));
    const both = isOnHits(one) ? `; ${first} with ${second} keeps visits that have both` : "";
    throw createParameterError(
      "filter",
      `has ${formatCondition(one)} and ${formatCondition(other)}, which nothing meets at once`,
      { hint: `${either} keeps either${both}.` },
    );
  }
}

/** Whether two conditions name whole values alone, and none that meets both. */
function excludes(one: Condition, other: Condition): boolean {
  const list = ({ alternatives }: Condition) =>
    alternatives.map((parts) => (parts === null || parts.length === 1 ? (parts?.[0] ?? null) : undefined));
  const [values, others] = [list(one), list(other)];
  if ([...values, ...others].includes(undefined) || (one.isNot && other.isNot)) return false;
  if (one.isNot) return others.every((value) => values.includes(value));
  return !values.some((value) => others.includes(value) !== other.isNot);
}

async function replyTo(
  call: Call,
  asked: Asked,
  params: Record<string, unknown>,
  options: QueryOptions,
  reply: (asked: Asked) => Promise<Reply>,
): Promise<Reply & Asked> {
  let first: Reply | undefined;
  let refusal: unknown;
  try {
    first = await reply(asked);
  } catch (error) {
    if (!(await isAboutValue(call, error, options))) throw error;
    refusal = error;
    const known = replaceNames(asked, recallValue);
    if (known.warnings.length > 0) {
      const answer = await replyTo(call, known.asked, params, options, reply);
      return { ...addWarnings(answer, known.warnings), filter: answer.filter, goal: answer.goal };
    }
  }
  const findsNothing = first === undefined || first.result.converted === 0 || first.views.every(hasNoCounts);
  const sought = listNames(asked, findsNothing);
  if (first !== undefined && sought.length === 0) return { ...first, ...asked };
  const meanings = await lookUp(call, sought, params, options, first?.result);
  const { asked: named, warnings } = replaceNames(asked, ({ key }) => readMeaning(meanings.get(key)));
  const missing = warnOfMissing(asked, meanings);
  if (warnings.length === 0) {
    if (first === undefined) throw refusal;
    return { ...addWarnings(first, missing), ...asked };
  }
  return { ...addWarnings(await reply(named), [...warnings, ...missing]), ...named };
}

/** Whether a source that has filters refused a value. */
async function isAboutValue(call: Call, error: unknown, options: QueryOptions): Promise<boolean> {
  if (!(error instanceof AnalyticsError) || error.code !== "invalid_parameter") return false;
  const isOfCondition = error.parameters.some(({ parameter }) => ["filter", "goal"].includes(parameter));
  return isOfCondition && ((await call.offersFilter?.(breakdown, options)) ?? false);
}

/** A text of a condition: a whole value, the name of one, or a pattern. */
interface Name {
  dimension: Dimension;
  /** Of a pattern, what is around its asterisks. */
  text: string;
  isPattern: boolean;
  /** Keeps this value alone. */
  condition: Condition;
  /** The condition as text. */
  key: string;
  parameter: keyof Asked;
}

/** @param all Also those that occur if anything was found. */
function listNames({ filter = [], goal }: Asked, all: boolean): Name[] {
  const list = (condition: Condition, parameter: keyof Asked) =>
    all || condition.isNot || condition.alternatives.length > 1 ? namesOf(condition, parameter) : [];
  const names = [...filter.flatMap((each) => list(each, "filter")), ...(goal ? list(goal, "goal") : [])];
  return [...new Map(names.map((name) => [name.key, name])).values()];
}

const namesOf = ({ dimension, alternatives }: Condition, parameter: keyof Asked): Name[] =>
  alternatives.flatMap((parts) => {
    if (parts === null) return [];
    const condition = { ...conditionOf(dimension, null), alternatives: [parts] };
    const about = { text: parts.join(""), isPattern: parts.length > 1 };
    return [{ dimension, ...about, condition, key: formatCondition(condition), parameter }];
  });

/** A value as a source has it; null is none. */
interface Value {
  value: string | null;
  label: string;
}

interface Meaning {
  /** Undefined if nothing of this name was found. */
  found?: Value | undefined;
  /** Whether the text is itself a value that occurs, or nobody can tell. */
  isExact?: true;
  /** What has a name like it. */
  nearest?: readonly Value[];
  /** What occurs most, if nothing has a name like it. */
  frequent?: readonly Value[];
  /** Set if the list of values is not complete. */
  listed?: number | undefined;
}

const readMeaning = (meaning: Meaning | undefined) => (meaning?.isExact ? undefined : meaning?.found);

/** The conditions with values in place of names, and what the names mean. */
function replaceNames({ filter, goal }: Asked, find: (name: Name) => Value | undefined) {
  const byText = new Map<string, Warning>();
  const replace = (condition: Condition, parameter: keyof Asked): Condition => {
    const alternatives = condition.alternatives.map((parts) => {
      const [name] = namesOf({ ...condition, alternatives: [parts] }, parameter);
      const found = name && find(name);
      if (name === undefined || found === undefined) return parts;
      byText.set(name.key, warnOfName(name, found));
      return found.value === null ? null : [found.value];
    });
    return { ...condition, alternatives };
  };
  // Again in canonical order, and each alternative once.
  const parse = (conditions: Filter) => parseFilter(conditions.map(formatCondition));
  const asked: Asked = {
    filter: filter && parse(filter.map((each) => replace(each, "filter"))),
    goal: goal && parse([replace(goal, "goal")])[0],
  };
  return { asked, warnings: [...byText.values()] };
}

function warnOfName({ dimension, key }: Name, { value, label }: Value): Warning {
  const means = formatCondition(conditionOf(dimension, value));
  const what =
    value === null ? " (no value)" : hasOtherName(value, label) ? ` (${quoteIfNeeded(label)})` : "";
  const detail = `${quoteIfNeeded(key)} means ${quoteIfNeeded(means)}${what}.`;
  return { code: "named_value", detail, values: { filter: means } };
}

/** The value of a name that is known without asking: of a country, of a referrer, or of no value. */
function recallValue({ dimension, text, isPattern }: Name): Value | undefined {
  if (isPattern) return undefined;
  const name = foldName(text);
  if (name === NONE || name === nameNone(dimension)) return { value: null, label: nameNone(dimension) };
  const value =
    dimension === "countries"
      ? findCountry(text)
      : dimension === "referrers"
        ? groupReferrer(name)
        : undefined;
  // A host is a value already, and a part of another's is not the same.
  if (value === undefined || value === text || (dimension === "referrers" && name.includes(".")))
    return undefined;
  return value === name ? undefined : { value, label: nameValue(dimension, value) };
}

type Breakdown = AnswerOf<typeof breakdown>;

/** How many values beyond the end of a list are asked for one by one. */
const MAX_ASKED = 10;

/**
 * Finds what names mean, in the rows of the answer's days, or else in those of the query.
 *
 * @param result Of the answer that found nothing; undefined if it was refused.
 */
async function lookUp(
  call: Call,
  names: readonly Name[],
  params: Record<string, unknown>,
  { filter: _, ...options }: QueryOptions,
  result: Record<string, unknown> | undefined,
): Promise<Map<string, Meaning>> {
  const { days = result === undefined ? DEFAULT_DAYS : 1, period } = params;
  const site = String(params.site);
  const { spans, asOf = "" } = listSpans(result ?? {});
  const about = (days: Days) => ({ site, today: asOf.slice(0, "2026-11-20".length), ...days });
  const list = (dimension: Dimension, span: Days | undefined): Promise<Breakdown> => {
    const asked = { dimension, limit: ROW_LIMIT };
    if (span) return askSpan(call, breakdown, asked, about(span), options);
    return askDays(call, breakdown, { ...asked, site, days, period }, options);
  };
  const occurs = async ({ condition }: Name, span: Days | undefined): Promise<boolean> => {
    const given = { ...options, filter: [condition] };
    const {
      visitors,
      pageviews,
      events = 0,
    } = span
      ? await askSpan(call, stats, {}, about(span), given)
      : await askDays(call, stats, { site, days, period }, given);
    return (visitors ?? pageviews) + events > 0;
  };
  const meanings = new Map<string, Meaning>();
  let asked = 0;
  for (const span of spans.length > 0 ? spans : [undefined]) {
    const open = names.filter(({ key }) => !meanings.get(key)?.isExact && !meanings.get(key)?.found);
    for (const dimension of new Set(open.map((each) => each.dimension))) {
      const own = open.filter((each) => each.dimension === dimension);
      const answer = await list(dimension, span).catch((error) => recallAll(error, own, meanings));
      if (answer === undefined) continue;
      const find = indexValues(dimension, answer);
      for (const name of own) {
        const meaning = find(name);
        const isOpen = meaning.listed !== undefined && !meaning.found && asked++ < MAX_ASKED;
        meanings.set(name.key, isOpen && (await occurs(name, span)) ? { isExact: true } : meaning);
      }
    }
  }
  return meanings;
}

/** What can be said where the rows cannot be listed. Throws AnalyticsError if that is for a while. */
function recallAll(error: unknown, names: readonly Name[], meanings: Map<string, Meaning>): undefined {
  if (!(error instanceof AnalyticsError)) throw error;
  const isSpent = error.code === "rate_limited";
  if (!isSpent && error.code !== "invalid_parameter" && error.code !== "not_found") throw error;
  for (const name of names) {
    const { dimension, text, isPattern, key, parameter } = name;
    const found = recallValue(name);
    meanings.set(key, found ? { found } : { isExact: true });
    // A pattern is no name of another value.
    if (found || !isSpent || isPattern) continue;
    const detail = `cannot be checked now: whether ${dimension} has ${quoteIfNeeded(text)} takes a request, and ${error.message}`;
    throw new AnalyticsError("rate_limited", `${parameter} ${detail}`, {
      hint: `Later, list the ${dimension}. ${error.hint ?? ""}`.trim(),
      status: error.status,
      quota: error.quota,
      parameters: [{ parameter, detail }],
      cause: error,
    });
  }
  return undefined;
}

const PAGES: ReadonlySet<Dimension> = new Set(["pages", "entry_pages", "exit_pages"]);

/** The path of a page's address as people paste it. */
function readPasted(dimension: Dimension, text: string): string[] {
  if (!PAGES.has(dimension) || !/^https?:\/\//i.test(text) || !URL.canParse(text)) return [];
  const { pathname, search } = new URL(text);
  return search === "" ? [pathname] : [pathname + search, pathname];
}

/** Rows by their values and names. */
function indexValues(dimension: Dimension, { rows, truncated }: Breakdown): (name: Name) => Meaning {
  const values = rows.filter(({ other }) => !other);
  const isComplete = !truncated && values.length === rows.length;
  const exact = new Set(values.map(({ value }) => value));
  // Whoever writes a value in other letters means it before what is only called so.
  const tiers = [nameByValue, nameByLabel, nameByPart].map((list) => {
    const index = new Map<string, Value[]>();
    for (const row of values)
      for (const name of new Set(list(dimension, row).map(foldName)))
        index.set(name, [...(index.get(name) ?? []), row]);
    return index;
  });
  const listed = isComplete ? {} : { listed: rows.length };
  return ({ text, parameter, isPattern, condition }) => {
    if (isPattern) {
      const isMet = createMatch(condition);
      if (values.some(({ value }) => isMet(value))) return { isExact: true };
      // What `/blgo/*` nearly names is `/blog`.
      return { nearest: findLike(dimension, text.replace(/\/$/, ""), values), ...listed };
    }
    if (exact.has(text)) return { isExact: true };
    const names = [text, ...readPasted(dimension, text)].map(foldName);
    const [matches = []] = tiers
      .flatMap((index) => names.map((name) => index.get(name) ?? []))
      .filter(hasSome);
    if (matches.length > 1) throw createSeveralError(parameter, dimension, text, matches);
    const [found] = matches;
    if (found !== undefined) return { found };
    const nearest = findLike(dimension, text, values);
    return {
      nearest,
      // The first pages of a site say nothing about another.
      ...(nearest.length === 0 && !PAGES.has(dimension) && { frequent: values.slice(0, MAX_FREQUENT) }),
      ...listed,
    };
  };
}

const hasSome = (list: readonly unknown[]) => list.length > 0;

const nameByValue = (_: Dimension, { value }: Value) => (value === null ? [] : [value]);

const nameByLabel = (dimension: Dimension, { value, label }: Value) => [
  ...(value === null ? [NONE] : []),
  label,
  nameValue(dimension, value),
];

/** The names without what tells namesakes apart: the city of `Paris, France`, the language of `German (Germany)`. */
function nameByPart(dimension: Dimension, { value, label }: Value): string[] {
  if (value === null) return [];
  if (dimension === "cities") return label.split(", ").slice(0, 1);
  return dimension === "languages" ? [nameValue(dimension, value.split("-")[0] ?? "")] : [];
}

const MAX_SHOWN = 3;
const MAX_FREQUENT = 5;
const MAX_SEVERAL = 10;

function createSeveralError(
  parameter: keyof Asked,
  dimension: Dimension,
  text: string,
  matches: readonly Value[],
): AnalyticsError {
  const shown = matches.slice(0, MAX_SEVERAL).map(describeValue);
  const more = matches.length > MAX_SEVERAL ? [`and ${matches.length - MAX_SEVERAL} more`] : [];
  return createParameterError(
    parameter,
    `has ${quoteIfNeeded(text)}, which several ${dimension} are called: ${[...shown, ...more].join(", ")}; give the value of one, or of several with | between them`,
  );
}

const describeValue = ({ value, label }: Value): string =>
  value === null
    ? quoteIfNeeded(label)
    : `${quoteIfNeeded(value)}${hasOtherName(value, label) ? ` (${quoteIfNeeded(label)})` : ""}`;

const MIN_PART = 3;
const MIN_START = 4;

/** What people ask for, and the values that have it, perhaps with more. */
const PARTS: Readonly<Record<string, string>> = {
  iphone: "ios",
  ipad: "ios",
  ipados: "ios",
  phone: "mobile",
  smartphone: "mobile",
};

/** The values with a name like a text: the site that a host belongs to, the names that contain it, the one spelled nearly so, or
 * those that begin so. */
export function findLike(dimension: Dimension, text: string, values: readonly Value[]): readonly Value[] {
  const name = foldName(text);
  const wanted = readMember(PARTS, name) ?? name;
  const host = dimension === "referrers" ? groupReferrer(wanted) : undefined;
  const site = values.filter(({ value }) => value !== null && value === host);
  if (site.length > 0) return site;
  const byName = new Map(
    values.flatMap((row) =>
      [nameByValue, nameByLabel, nameByPart].flatMap((list) =>
        list(dimension, row).map((name) => [foldName(name), row] as const),
      ),
    ),
  );
  const containing = [...byName].filter(([name]) => wanted.length >= MIN_PART && name.includes(wanted));
  if (containing.length > 0) return [...new Set(containing.map(([, row]) => row))].slice(0, MAX_SHOWN);
  const alike = [...byName.keys()].filter(
    (name) => Math.abs(name.length - wanted.length) <= name.length / 3 + 1,
  );
  const nearest = byName.get(findNearest(wanted, alike) ?? "");
  return nearest === undefined ? findByStart(wanted, byName) : [nearest];
}

/** The values that share the longest start with a text, if it is most of the text: `/thank-you` of `/thanks`. */
function findByStart(wanted: string, byName: ReadonlyMap<string, Value>): readonly Value[] {
  const least = Math.max(MIN_START, (wanted.length * 3) / 4);
  const starts = [...byName].map(([name, row]) => ({ row, length: countSameStart(name, wanted) }));
  const longest = Math.max(least, ...starts.map(({ length }) => length));
  const rows = starts.flatMap(({ row, length }) => (length === longest ? [row] : []));
  return [...new Set(rows)].slice(0, MAX_SHOWN);
}

function countSameStart(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length++;
  return length;
}

/** Refuses a condition without such a value that reads as several: its 0 would read as an answer. */
function assertOne(condition: Condition): void {
  const conditions = splitConditions(formatCondition(condition));
  if (conditions === undefined) return;
  const list = conditions.map(quoteIfNeeded).join(", ");
  throw createParameterError("filter", `takes one condition at a time: ${list}`, { allowed: conditions });
}

const MAX_MISSING = 5;

/** Says which values do not occur: what leaves one out leaves out nothing. */
function warnOfMissing({ filter = [], goal }: Asked, meanings: ReadonlyMap<string, Meaning>): Warning[] {
  const missing = [...filter, ...(goal ? [goal] : [])].flatMap((condition) =>
    namesOf(condition, "filter").flatMap(({ key }) => {
      const meaning = meanings.get(key);
      if (meaning === undefined || meaning.isExact || meaning.found) return [];
      return [{ condition, key, meaning }];
    }),
  );
  for (const { condition } of missing) assertOne(condition);
  return missing
    .slice(0, MAX_MISSING)
    .map(({ condition, key, meaning: { nearest = [], frequent = [], listed } }) => {
      const shown = quoteIfNeeded(key);
      const start =
        listed === undefined
          ? `Nothing in these days has ${shown}`
          : `${shown} is not among the first ${listed} ${condition.dimension} of these days`;
      const effect = condition.isNot ? ", so leaving it out changes nothing" : "";
      const [word, values] = nearest.length > 0 ? ["Nearest", nearest] : ["Most frequent", frequent];
      const near = values.length === 0 ? "" : ` ${word}: ${values.map(describeValue).join(", ")}.`;
      return { code: NO_SUCH_VALUE, detail: `${start}${effect}.${near}`, values: { filter: key } };
    });
}

function addWarnings<R extends Reply>({ result, views, ...rest }: R, found: readonly Warning[]) {
  const { warnings: given = [] } = result as { warnings?: readonly Warning[] };
  // What may have been folded is not said to be missing.
  const isFolded = given.some(({ code }) => code === FOLDED_FILTER);
  const added = found.filter(({ code }) => !isFolded || code !== NO_SUCH_VALUE);
  if (added.length === 0) return { result, views, ...rest };
  const isReplaced = added.some(({ code }) => code === NO_SUCH_VALUE);
  const dropped = given.filter(({ code }) => isReplaced && code === NO_SUCH_VALUE);
  const texts = new Set<unknown>(dropped.map(({ detail }) => detail));
  const [view, ...others] = views.map((each) => ({
    ...each,
    warnings: (each.warnings ?? []).filter((warning) => !texts.has(warning)),
  }));
  const shown = view && { ...view, warnings: [...added.map(({ detail }) => detail), ...view.warnings] };
  return {
    ...rest,
    result: { ...result, warnings: [...added, ...given.filter((warning) => !dropped.includes(warning))] },
    views: shown ? [shown, ...others] : [],
  };
}
