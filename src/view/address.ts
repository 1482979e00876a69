import { readMember } from "../member.ts";
import type { Call, CallOptions } from "../operations/call.ts";
import { dimensions } from "../operations/dimensions.ts";
import { DEFAULT_DAYS } from "../operations/fields.ts";
import { isAll } from "../operations/period-words.ts";
import { flagOf } from "../operations/shell-command.ts";
import { mayCountGoals } from "../reports/conversions-answer.ts";
import type { QueryOptions } from "../reports/default-days.ts";
import { findQuery } from "../reports/queries.ts";
import type { Query } from "../reports/query.ts";
import { reportQuery } from "../reports/site-report.ts";

/** What a page shows. Its address has it whole, in the words of the command line: `/example.com/pages?period=last_7_days`. */
export interface Address {
  /** Absent on the page of all sites. */
  site: string | undefined;
  /** A dimension, the name of a query, or empty for the site at a glance. */
  page: string;
  given: ReadonlyMap<string, readonly string[]>;
}

/** The first page: all sites, or the only one. */
export const START: Address = { site: undefined, page: "", given: new Map() };

/** The pages of a site beside the lists of dimensions, in the order of the bar. */
export const sitePages: Readonly<Record<string, string>> = {
  "": "Overview",
  timeseries: "Days",
  when: "When",
  compare: "Compare",
  conversions: "Conversions",
  "not-found": "Not found",
  crawlers: "Crawlers",
};

const needs =
  (name: string) =>
  async (call: Call): Promise<boolean> =>
    (await call.mayOffer?.({ name })) !== false;

/** Whether a source may have what a page shows: it may lack the hours of a week, for example. */
const MAY_HAVE: Readonly<Record<string, (call: Call, options: CallOptions) => Promise<boolean>>> = {
  when: needs("hours"),
  conversions: mayCountGoals,
  "not-found": needs("not-found"),
  crawlers: needs("crawlers"),
};

/** The pages whose tabs a source has, as far as is known. */
export async function listPages(call: Call, options: CallOptions): Promise<string[]> {
  const pages = await Promise.all(
    Object.keys(sitePages).map(async (page) => {
      const mayHave = readMember(MAY_HAVE, page);
      return mayHave === undefined || (await mayHave(call, options)) ? [page] : [];
    }),
  );
  return pages.flat();
}

export const DEFAULT_PERIOD = `last_${DEFAULT_DAYS}_days`;

/** The periods of the bar with their keys, which are those of Plausible where it has one. */
export const PERIODS: readonly [key: string, period: string, title: string][] = [
  ["d", "today", "Today"],
  ["e", "yesterday", "Yesterday"],
  ["w", "last_7_days", "7 days"],
  ["f", DEFAULT_PERIOD, "28 days"],
  ["n", "last_91_days", "91 days"],
  ["k", "this_week", "This week"],
  ["m", "this_month", "This month"],
  ["y", "this_year", "This year"],
  ["a", "all", "All"],
];
/** Whether a period of the bar can have days before it: today has no complete day yet, and before all days there are none. */
export const isCompared = (period: string) => !["today", "all"].includes(period);

/** A list in full. */
const ROWS = "1000";
/** Pages that are a query with one parameter fixed: by weekday and hour, 7 × 24. */
const FIXED: Readonly<Record<string, { query: string; name: string; value: string }>> = {
  when: { query: "timeseries", name: "interval", value: "week_hour" },
};

/** Reads the path below the secret, and the search of an address. Undefined if there is no such page. */
export function readAddress(path: string, search: URLSearchParams): Address | undefined {
  const parts = path.split("/").filter((part) => part !== "");
  const [site, page = "", ...more] = parts.map(decode);
  const isKnown = Object.hasOwn(sitePages, page) || isDimension(page);
  if (more.length > 0 || !isKnown || parts.some((part) => decode(part) === undefined)) return undefined;
  const given = new Map([...new Set(search.keys())].map((name) => [name, search.getAll(name)]));
  return { site, page, given };
}

const isDimension = (page: string) => dimensions.some((dimension) => dimension === page);

function decode(part: string): string | undefined {
  try {
    return decodeURIComponent(part);
  } catch {
    return undefined;
  }
}

/** The path and search of an address, below the secret. */
export function formatAddress({ site, page, given }: Address): string {
  const search = new URLSearchParams(
    [...given].flatMap(([name, values]) => values.map((value): [string, string] => [name, value])),
  );
  const path =
    site === undefined ? "" : [site, ...(page === "" ? [] : [page])].map(encodeURIComponent).join("/");
  return `/${path}${search.size === 0 ? "" : `?${search}`}`;
}

/** The same page with other parameters; those that are undefined are left out. */
export function change(address: Address, changes: Record<string, readonly string[] | undefined>): Address {
  const given = new Map(address.given);
  for (const [name, values] of Object.entries(changes)) {
    if (values === undefined || values.length === 0) given.delete(name);
    else given.set(name, values);
  }
  return { ...address, given };
}

/** What the person asks for beside the parameters of a query. */
const OWN = ["search", "format"];

/** How days are fitted to what a source has: any become the nearest that it has, and the page says so. */
export type Fit = Required<Pick<QueryOptions, "usesDefaultDays" | "takesNearDays">>;

/** The query that answers a page, and its parameters as texts. `others` are names that no page knows. */
export function readQuestion({ site, page, given }: Address): {
  query: Query;
  texts: Map<string, string[]>;
  fit: Fit;
  others: string[];
} {
  const query =
    site === undefined
      ? findQuery("sites")
      : page === ""
        ? reportQuery
        : findQuery(isDimension(page) ? "breakdown" : queryOf(page));
  const fixed = readMember(FIXED, page);
  const names = Object.keys(query.params.shape);
  const isDated = given.has("period") || given.has("days");
  const texts = new Map(
    names.flatMap((name): [string, string[]][] => {
      const values = given.get(flagOf(name));
      if (name === "site") return site === undefined ? [] : [[name, [site]]];
      if (name === "dimension" && isDimension(page)) return [[name, [page]]];
      if (name === fixed?.name) return [[name, [fixed.value]]];
      if (values !== undefined) return [[name, [...values]]];
      if (name === "limit" && isDimension(page)) return [[name, [ROWS]]];
      return name === "period" && !isDated ? [[name, [DEFAULT_PERIOD]]] : [];
    }),
  );
  const known = new Set([...OWN, ...listNames()]);
  const [period = ""] = texts.get("period") ?? [];
  const isButton = PERIODS.some(([, name]) => name === period);
  const fit = {
    usesDefaultDays: isButton && /^last_\d+_days$/.test(period),
    takesNearDays: isDimension(page) || !isAll(period),
  };
  return { query, texts, fit, others: [...given.keys()].filter((name) => !known.has(name)) };
}

const queryOf = (page: string) => readMember(FIXED, page)?.query ?? page;

/** The parameters of all pages. */
const listNames = () =>
  [
    findQuery("sites"),
    reportQuery,
    findQuery("breakdown"),
    ...Object.keys(sitePages)
      .slice(1)
      .map((page) => findQuery(queryOf(page))),
  ]
    .flatMap(({ params }) => Object.keys(params.shape))
    .map(flagOf);
