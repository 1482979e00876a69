import type { ParameterError } from "../errors.ts";
import { readMember } from "../member.ts";
import { findDimension, findOtherList } from "../operations/dimension-names.ts";
import { MAX_DAYS } from "../operations/fields.ts";
import { escapeValue } from "../operations/filter.ts";
import type { JsonSchema } from "../operations/json-schema.ts";
import { suggestListed, suggestName } from "../render/suggest-name.ts";
import { findInterval, SERIES_INTERVALS } from "../reports/profile.ts";
import { suggest } from "../suggest.ts";
import { explainNotRecorded, listNames } from "./not-recorded.ts";
import { toolList } from "./tool-list.ts";

/** Arguments that hosts add to those of every tool and then pass on: Gemini CLI and n8n. */
const HOST_ARGUMENTS = new Set(["wait_for_previous", "toolCallId"]);

const DIMENSION_PARAMETERS = new Set(["dimension", "by"]);

const WHOLE_NUMBER = /^(0|[1-9]\d*)$/;

/**
 * Reads a tool's arguments as hosts and models really send them: without the host's own, without nulls and empty texts, with
 * a number for a text of digits where the tool takes a number, with a list for a text where it takes a list, and with a
 * dimension for any name that the command line takes for it. Everything else stays, to be checked and refused.
 */
export function readArguments(tool: string, given: Record<string, unknown>): Record<string, unknown> {
  const properties = readProperties(tool);
  return Object.fromEntries(
    Object.entries(given)
      .filter(([name, value]) => value !== null && value !== "" && !HOST_ARGUMENTS.has(name))
      .map(([name, value]) => {
        if (takes(properties.get(name), "array")) return [name, readList(value)];
        if (DIMENSION_PARAMETERS.has(name) && typeof value === "string")
          return [name, findDimension(value) ?? value];
        if (name === "interval" && typeof value === "string") return [name, findInterval(value) ?? value];
        const [, days] =
          (name === "days" && typeof value === "string" && /^(\d{1,4}) days?$/i.exec(value)) || [];
        if (days !== undefined) return [name, Number(days)];
        const isDigits = typeof value === "string" && WHOLE_NUMBER.test(value);
        return [name, isDigits && takes(properties.get(name), "integer") ? Number(value) : value];
      }),
  );
}

const takes = ({ type, anyOf }: JsonSchema = {}, wanted: string): boolean =>
  type === wanted || (Array.isArray(anyOf) && anyOf.some((branch: JsonSchema) => takes(branch, wanted)));

/** Some hosts send a list as its JSON, or a list of one as its entry. An empty list is nothing given. */
function readList(value: unknown): unknown {
  const list = typeof value === "string" ? (parseList(value) ?? [value]) : value;
  if (!Array.isArray(list)) return readConditions(list) ?? list;
  const kept = list
    .flatMap((each) => readConditions(each) ?? [each])
    .filter((each) => each !== null && each !== "");
  return kept.length === 0 ? undefined : kept;
}

/** The conditions that an object of dimensions and values means: `{"country": ["DE", "AT"]}` as `country=DE|AT`. */
function readConditions(given: unknown): string[] | undefined {
  if (typeof given !== "object" || given === null || Array.isArray(given)) return undefined;
  const conditions = Object.entries(given).map(([name, value]) => {
    const values = [value].flat();
    const isMeant = findDimension(name) !== undefined && values.every((each) => typeof each === "string");
    return isMeant ? `${name}=${values.join("|")}` : undefined;
  });
  return conditions.includes(undefined) ? undefined : conditions.filter((each) => each !== undefined);
}

function parseList(text: string): unknown[] | undefined {
  if (!text.startsWith("[") || text.length > MAX_LIST_LENGTH) return undefined;
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) ? list : undefined;
  } catch {
    return undefined;
  }
}

/** No filter is longer. */
const MAX_LIST_LENGTH = 16_000;

type Advise = (tool: string, value: unknown) => string;

/** Tools whose requests belong to no visit: the rows of a breakdown are about other requests. */
const WITHOUT_VISITS: Readonly<Record<string, string>> = {
  get_not_found: "There are no filters here: the list has all dead links, with limit up to 1000.",
  get_crawlers:
    "There are no filters here: the list has all crawlers, with limit up to 1000, not what each read.",
};

/** How to ask for one value of a dimension, where a tool has filters; how to rank all of them elsewhere. */
const only =
  (dimension: string, example: string): Advise =>
  (tool, value) => {
    const own = readMember(WITHOUT_VISITS, tool);
    if (own !== undefined) return own;
    if (!readProperties(tool).has("filter"))
      return `There are no filters here: get_breakdown with dimension=${dimension} ranks them.`;
    const given = typeof value === "string" && value.length < 100 ? escapeValue(value) : example;
    return `Use filter: ${JSON.stringify([`${dimension}=${given}`])}.`;
  };

/** The same for an event or a page, which may also be a goal. */
const onlyOrGoal =
  (dimension: string, example: string): Advise =>
  (tool, value) => {
    if (!readProperties(tool).has("goal")) return only(dimension, example)(tool, value);
    const given = typeof value === "string" && value.length < 100 ? escapeValue(value) : example;
    return `Use goal: ${JSON.stringify(`${dimension}=${given}`)}.`;
  };

/** How to rank by a dimension. */
function describeRanking(tool: string): string {
  if (readProperties(tool).has("by")) return "Use by, such as by=channels.";
  if (tool === "get_realtime")
    return "What active visitors look at is not listed: filter counts those of one page, such as pages=/pricing, and get_breakdown with days=1 has the pages of today.";
  return "get_breakdown ranks by a dimension; get_timeseries has one point a day.";
}

/** How models name the times at which people come. */
const WHEN = /^(weekdays?|days?_?of_?(the_?)?week|hours?(_?of_?(the_?)?day)?|when|heat_?map)$/i;

const METRICS =
  "Every answer has all numbers that are known, and nothing else is measured. Visitors are counted once a day. Failing pages: get_not_found with status=5xx.";

const INTERVALS = `get_timeseries has interval: ${SERIES_INTERVALS.join(", ")}.`;

/** What to do instead of an argument that models make up, by the argument's name. */
const ALTERNATIVES: readonly [RegExp, string | Advise][] = [
  [/^(filters?|segments?|where|query|conditions?)$/i, (tool) => only("countries", "DE")(tool, undefined)],
  [/^(pages?|paths?|urls?)$/i, onlyOrGoal("pages", "/pricing")],
  [/^(events?|conversions?|actions?)$/i, onlyOrGoal("events", "signup")],
  [
    /^(funnels?|steps?)$/i,
    "get_conversions has steps of one visit, such as pages=/cart, then pages=/thanks.",
  ],
  [/^goals?$/i, "get_conversions has goals, such as events=signup or pages=/thanks*."],
  [/^(crawlers?|bots?)$/i, "There are no filters: get_crawlers lists the crawlers."],
  [/^(metrics?|measures?|fields)$/i, METRICS],
  [
    /^(sort|order|rank)(_?(by|direction|order))?$/i,
    "Lists are ranked, the most first; limit has more of their rows.",
  ],
  [
    /^(minutes?|seconds?|window)$/i,
    (tool) =>
      tool === "get_realtime"
        ? "It counts the last five minutes; get_timeseries with interval=hour has the hours of a day."
        : "Days are whole; get_timeseries with interval=hour has their hours, and get_realtime the last five minutes.",
  ],
  [
    /^(from|to|since|until|(start|end|begin)(_?date)?|date(_?range)?|range)$/i,
    "Use period, such as 2026-11-01/2026-11-15.",
  ],
  [/^(dimension|group_?by|breakdown)$/i, describeRanking],
  [/^(interval|granularity|resolution|hours?)$/i, INTERVALS],
  [/^(domain|site_?(id|name)|website)$/i, "Use site: an id or a domain."],
  [
    /^(period_?[12ab]|(current|previous|base|compare(d_?to)?|comparison|baseline)(_?period)?)$/i,
    "compare_periods has period, and against for the other days: by default those before.",
  ],
  [WHEN, INTERVALS],
];

const asksWhen = (parameter: string, value: unknown) =>
  DIMENSION_PARAMETERS.has(parameter) && typeof value === "string" && WHEN.test(value);

function describeAlternative(tool: string, parameter: string, value: unknown): string | undefined {
  const [, alternative] = ALTERNATIVES.find(([pattern]) => pattern.test(parameter)) ?? [];
  if (typeof alternative === "function") return alternative(tool, value);
  const dimension = findDimension(parameter);
  return alternative ?? (dimension && only(dimension, "…")(tool, value));
}

/** What a model can do about refused arguments, in sentences. */
export function adviseOnArguments(
  tool: string,
  given: Record<string, unknown>,
  refused: readonly ParameterError[],
): string[] {
  const properties = readProperties(tool);
  const advice = refused.map((refusal) => {
    const { parameter, allowed = [] } = refusal;
    const value = readMember(given, parameter);
    const [reason] = [parameter, ...listNames(parameter, value)].flatMap(
      (name) => explainNotRecorded(name) ?? [],
    );
    if (reason !== undefined) return reason;
    // The error says which site is near.
    if (parameter === "site") return "";
    if (parameter === "filter" && properties.has("filter")) return suggestName(refusal);
    const own = properties.has(parameter)
      ? adviseOnValue(parameter, value, properties.has("period"))
      : undefined;
    if (own !== undefined) return own;
    const isTime = asksWhen(parameter, value);
    if (properties.has(parameter) && !isTime)
      return typeof value === "string" ? suggestListed(refusal, value) : "";
    return describeAlternative(tool, isTime ? "when" : parameter, value) ?? suggest(parameter, allowed);
  });
  return [...new Set(advice.map((sentence) => sentence.trim()))].filter((sentence) => sentence !== "");
}

/** What to give in place of a value of a parameter that the tool has. */
function adviseOnValue(parameter: string, value: unknown, hasPeriod: boolean): string | undefined {
  if (parameter === "days" && hasPeriod && Number(value) > MAX_DAYS)
    return `For more days use period, such as last_${Number(value)}_days, 2025 or all.`;
  const [, count] = (parameter === "days" && /^(\d{1,3})d$/.exec(String(value))) || [];
  if (count !== undefined && hasPeriod)
    return `Use days: ${count}, or period: last_${count}_days for complete days.`;
  if (parameter === "goal" && value === undefined)
    return "It is an event or a page, such as events=signup or pages=/thanks*; steps has several, in order.";
  const list = DIMENSION_PARAMETERS.has(parameter) ? findOtherList(String(value)) : undefined;
  return list && `These have a list of their own: get_${list.replace("-", "_")}.`;
}

/** The parameters of a tool by name. A map, because a model may send `__proto__`. */
function readProperties(tool: string): ReadonlyMap<string, JsonSchema> {
  const { inputSchema } = toolList.find(({ name }) => name === tool) ?? {};
  return new Map<string, JsonSchema>(Object.entries(Object(inputSchema?.properties)));
}
