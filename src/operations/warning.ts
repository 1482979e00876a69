import * as z from "zod";
import type { Note } from "./note.ts";

export const warnings = z
  .array(
    z.object({
      code: z
        .string()
        .describe(
          "`before_data_since`: the period starts before the site had any data, or the site has none yet.",
        ),
      detail: z.string().describe("The warning in words."),
      // `values` of another form is a service's own member, to be ignored like all that is not in the contract.
      values: z
        .record(z.string(), z.union([z.string(), z.number(), z.null()]))
        .optional()
        .catch(undefined)
        .describe(
          "The dates and numbers that `detail` is about, by name, if the service sends them. `before_data_since` has `data_since`, as in /sites.",
        ),
    }),
  )
  .optional()
  .describe("What to know before using the numbers; absent if there are no warnings.");

export type Warning = NonNullable<z.output<typeof warnings>>[number];

/** The code of a warning that something is not quite what the contract means by it. */
export const NEAR = "near";
/** The same of page views alone: nothing to say where they are not shown. */
export const NEAR_VIEWS = "near_pageviews";

export const NO_EVENTS: Warning = { code: NEAR, detail: "This service has no events." };
export const UNKNOWN_EVENTS: Warning = {
  code: NEAR,
  detail: "Events of these days are not known: the service has them only for other numbers of days.",
};

/** The code of a warning that a source records only some events, and that there are none. */
export const ONLY_EVENTS = "only_events";
/** The same of a source that records no events at all. */
export const NOT_RECORDED_EVENTS = "no_events";

/** Whether the events of an answer, 0, are no count of what happened. */
export const areUncounted = ({
  events,
  warnings = [],
}: {
  events?: number | undefined;
  warnings?: Warning[] | undefined;
}): boolean =>
  events === 0 && warnings.some(({ code }) => code === ONLY_EVENTS || code === NOT_RECORDED_EVENTS);

/** The code of a warning that days are left out because a proxy hides their visitors. */
export const PROXIED = "proxied";

/** Whether a warning is about days inside the data that have no numbers. Its values say how many, the first and the last. */
export const isGap = ({ code }: Warning): boolean => code === "gap" || code === PROXIED;

/** The warning that days from `from` on are before the first day with data, if they are. @param since Null if there is no data yet. */
export function warnOfDataStart(since: string | null, from: string): Warning[] {
  if (since !== null && since <= from) return [];
  const detail =
    since === null
      ? "The site has no data yet: every number is zero."
      : `The site has had data since ${since}: earlier days are missing, not zero.`;
  return [{ code: BEFORE_DATA, detail, values: { data_since: since } }];
}

/** The code of a warning that days are before the first day with data. */
export const BEFORE_DATA = "before_data_since";

export const isBeforeData = ({ code }: Warning): boolean => code === BEFORE_DATA;

/** The first day with data, if a warning says that some days are before it; null if there is none. */
export function readDataStart(warnings: readonly Warning[] = []): string | null | undefined {
  const { values } = warnings.find(isBeforeData) ?? {};
  return values?.data_since === null ? null : readDate(values?.data_since);
}

/** A value of a warning as a day; undefined if it is none. */
export const readDate = (value: unknown): string | undefined =>
  typeof value === "string" && /^\d{4}-\d\d-\d\d$/.test(value) ? value : undefined;

/** The dates in a text, the earliest first. A longer text is no sentence about days. */
export const listDates = (text: string): string[] =>
  (text.slice(0, 500).match(/(?<!\d)\d{4}-\d\d-\d\d(?!\d)/g) ?? []).sort();

/** The code of a warning that the days it names, such as yesterday, can still grow a little. */
export const PROVISIONAL = "provisional";

/** The code of a warning that downloads are no events, because nobody's visit has them. */
export const STRAYS = "strays";

/** The code of a warning that numbers of some days are ranges: values were folded that a filter may ask for. */
export const FOLDED_FILTER = "folded_filter";

/** The contract's code of a warning that nobody had a value of a filter. */
export const NO_SUCH_VALUE = "no_such_value";

/** The code of a warning that visitors of days do not add up to those of the whole. */
export const PERIOD_VISITORS = "period_visitors";

/** What a service does whose visitors of days do not add up to those of the whole, as far as it shows: the end of a sentence. */
export const ONCE_PER_PERIOD = "seems to count each visitor once per period";

/** The code of a warning that sites are not in the list of sites. */
export const NOT_LISTED = "not_listed";

/** The code of the warning that days cannot be compared with those before, which the source does not reach. */
export const NOT_COMPARED = "not_compared";

/** The code of a warning that a list is not ranked by visitors, so that rows beyond its end may have more. */
export const OTHER_ORDER = "other_order";

/** The code of the warning that it is not known which days a list covers. Its values have the words of the service, quoted, if it has any. */
export const UNKNOWN_DAYS = "unknown_days";

/** The code of the warning that a list covers other days than those that were asked for. */
export const OTHER_DAYS = "other_days";

/** The code of the warnings that this program itself adds to numbers that it computed. */
export const SUBTRACTED = "subtracted";

/** What such a warning is about: a range of events, a list that was cut, or rows that may be missing. */
type SubtractedValues =
  | { events: number; events_at_most: number }
  | { row_limit: number }
  | { more_rows: number };

export const warnOfSubtraction = (values: SubtractedValues): Warning => ({
  code: SUBTRACTED,
  detail: describeSubtracted(values),
  values,
});

function describeSubtracted(values: SubtractedValues): string {
  if ("events" in values)
    return `Events arrived while they were read: there are ${values.events} to ${values.events_at_most}.`;
  if ("row_limit" in values)
    return "The service did not list all rows, so rows with few visitors may be missing.";
  const { more_rows: rows } = values;
  return `${rows} more ${rows === 1 ? "row" : "rows"} may have had visitors in these days.`;
}

/** The warning that some rows are ranges. The rows themselves have the ends of their ranges. */
export const rangeWarning: Warning = {
  code: SUBTRACTED,
  detail:
    "Some rows are known only as a range, because visits arrived meanwhile or the service cut its list. They are ranked by their least value.",
};

/** Whether a warning is about events alone. */
export const isOfEvents = ({ code, detail, values = {} }: Warning): boolean =>
  [ONLY_EVENTS, NOT_RECORDED_EVENTS, STRAYS].includes(code) ||
  [NO_EVENTS, UNKNOWN_EVENTS].some((each) => each.detail === detail) ||
  (code === SUBTRACTED && "events" in values);

/** The warnings as sentences. Their counts are separate, so that each output formats them. */
export const showWarnings = (given: readonly Warning[] = []): Note[] => given.map(showWarning);

/** Its counts are the numbers of `values` that stand in `detail`, but not in a date or a time. */
function showWarning({ detail, values = {} }: Warning): Note {
  const counts = Object.values(values).filter((value) => typeof value === "number");
  if (counts.length === 0) return detail;
  // Every other part is a number.
  const texts = detail.split(/(\d+)/);
  const findCount = (text: string, index: number) =>
    index % 2 === 1 && /(^|[\s(])$/.test(texts[index - 1] ?? "") && !/^[-:/]/.test(texts[index + 1] ?? "")
      ? counts.find((count) => `${count}` === text)
      : undefined;
  return { parts: texts.map((text, index) => findCount(text, index) ?? text) };
}
