import { AnalyticsError } from "../../../errors.ts";
import { readMember } from "../../../member.ts";
import { nameValue } from "../../../names/value-names.ts";
import type { Dimension } from "../../../operations/dimensions.ts";
import type { RankedRow } from "../../data-source.ts";
import { sumRows } from "../row-sums.ts";
import { count, type Row } from "./matomo-api.ts";

/** The columns of a report. The visitors of a period are those of each day, added up, as in the contract. */
interface Columns {
  /** It is above 0 if anybody is in the row. */
  some: string;
  visitors: string;
  hits: string;
  visits?: { visits: string; bounces: string; seconds: string };
}

const VISITS: Columns = {
  some: "nb_visits",
  visitors: "nb_uniq_visitors",
  hits: "nb_actions",
  visits: { visits: "nb_visits", bounces: "bounce_count", seconds: "sum_visit_length" },
};
const PAGES: Columns = { some: "nb_hits", visitors: "nb_uniq_visitors", hits: "nb_hits" };
const ENTRIES: Columns = {
  some: "entry_nb_visits",
  visitors: "entry_nb_uniq_visitors",
  hits: "entry_nb_actions",
  visits: { visits: "entry_nb_visits", bounces: "entry_bounce_count", seconds: "entry_sum_visit_length" },
};
/** Matomo does not tell the page views of the visits that ended on a page. */
const EXITS: Columns = { some: "exit_nb_visits", visitors: "exit_nb_uniq_visitors", hits: "nb_hits" };
const EVENTS: Columns = { some: "nb_events", visitors: "nb_uniq_visitors", hits: "nb_events" };

/** A report of Matomo that has the rows of a dimension, or some of them. */
export interface MatomoReport {
  method: string;
  params?: Readonly<Record<string, string>>;
  columns: Columns;
  /** The contract's value of a row; null if there is none, undefined for a row that is not of this dimension. */
  value(row: Row): string | null | undefined;
}

const named = (method: string, columns = VISITS): MatomoReport => ({ method, columns, value: readLabel });
const pages = (method: string, columns: Columns): MatomoReport => ({
  method,
  params: { flat: "1" },
  columns,
  value: readPath,
});

/** The plugin that keeps sources, mediums, terms and contents. Matomo's cloud has it; others may install it. */
export const CAMPAIGNS_PLUGIN = "MarketingCampaignsReporting";
const campaigns = (name: string) => named(`${CAMPAIGNS_PLUGIN}.${name}`);

/** The reports that together have a dimension's rows. */
export const REPORTS: Partial<Record<Dimension, readonly MatomoReport[]>> = {
  pages: [pages("Actions.getPageUrls", PAGES)],
  entry_pages: [pages("Actions.getEntryPageUrls", ENTRIES)],
  exit_pages: [pages("Actions.getExitPageUrls", EXITS)],
  referrers: [
    {
      ...named("Referrers.getReferrerType"),
      value: (row) => (readSegment(row, "referrerType") === "direct" ? null : undefined),
    },
    named("Referrers.getSearchEngines"),
    named("Referrers.getSocials"),
    named("Referrers.getWebsites"),
  ],
  channels: [named("Referrers.getReferrerType")],
  utm_campaigns: [named("Referrers.getCampaigns")],
  countries: [{ ...named("UserCountry.getCountry"), value: readCountry }],
  regions: [{ ...named("UserCountry.getRegion"), value: readRegion }],
  cities: [
    {
      ...named("UserCountry.getCity"),
      value: (row) => (row.city_name === "Unknown" ? null : readLabel(row)),
    },
  ],
  languages: [{ ...named("UserLanguage.getLanguageCode"), value: readLanguage }],
  devices: [{ ...named("DevicesDetection.getType"), value: readDevice }],
  browsers: [named("DevicesDetection.getBrowsers")],
  operating_systems: [named("DevicesDetection.getOsFamilies")],
  events: [named("Events.getAction", EVENTS)],
};

/** The reports of a Matomo with the plugin for campaigns. */
export const REPORTS_WITH_CAMPAIGNS: typeof REPORTS = {
  ...REPORTS,
  utm_sources: [campaigns("getSource")],
  utm_mediums: [campaigns("getMedium")],
  utm_campaigns: [campaigns("getName")],
  utm_terms: [campaigns("getKeyword")],
  utm_contents: [campaigns("getContent")],
};

/** How Matomo calls the devices of the contract. */
export const DEVICES: Readonly<Record<string, readonly string[]>> = {
  desktop: ["desktop"],
  mobile: ["smartphone", "phablet", "feature phone"],
  tablet: ["tablet"],
  tv: ["tv"],
  console: ["console"],
  wearable: ["wearable"],
};

/** The columns to ask for: the visitors of a single day have another name than those of several days, added up. */
export const listColumns = ({ columns: { some, visitors, hits, visits } }: MatomoReport): string =>
  [...new Set(["label", some, visitors, sumOf(visitors), hits, ...Object.values(visits ?? {})])].join(",");

const sumOf = (visitors: string) => `sum_daily_${visitors}`;

/**
 * The rows of a dimension's reports in the contract's terms. Rows of one value, such as kinds of phones, are added up. The
 * row of the values that Matomo does not keep has `other`: it adds up the visitors of all of them.
 */
export function readRows(
  dimension: Dimension,
  answers: readonly { report: MatomoReport; rows: readonly Row[] }[],
): RankedRow[] {
  const read = (report: MatomoReport, row: Row): RankedRow[] => {
    const isOther = isSummary(row);
    const value = isOther ? null : report.value(row);
    const counts = value === undefined ? undefined : readCounts(report, row);
    if (value === undefined || counts === undefined) return [];
    return [{ ...describe(dimension, value, row, isOther), ...counts }];
  };
  return sumRows(answers.flatMap(({ report, rows }) => rows.flatMap((row) => read(report, row))));
}

const isSummary = ({ label, segment, is_summary }: Row) =>
  is_summary === true || (label === "Others" && segment === undefined);

function describe(dimension: Dimension, value: string | null, row: Row, isOther: boolean) {
  if (isOther) return { value: null, label: "(other)", other: true as const };
  const isCode = dimension === "regions" && value !== null;
  return { value, label: isCode ? String(row.label) : nameOf(dimension, value) };
}

/** A referrer is Matomo's name of it, not a host. */
const nameOf = (dimension: Dimension, value: string | null) =>
  dimension === "referrers" && value !== null ? value : nameValue(dimension, value);

type Counts = Omit<RankedRow, "value" | "label" | "other">;

/** Undefined for a row that nobody had, such as a page on which no visit began. */
function readCounts({ method, columns }: MatomoReport, row: Row): Counts | undefined {
  const read = (name: string) => {
    const { success, data } = count.safeParse(readMember(row, name));
    if (!success) throw createColumnError(method, name);
    return data;
  };
  if (readMember(row, columns.some) === undefined || read(columns.some) === 0) return undefined;
  const names = [sumOf(columns.visitors), columns.visitors];
  // The row of the values of a folder that Matomo does not keep has no visitors: they are at most as many as its visits.
  if (isSummary(row)) names.push(columns.some);
  const visitors = names.find((name) => readMember(row, name) !== undefined) ?? columns.visitors;
  const counts = { visitors: read(visitors), hits: read(columns.hits) };
  if (columns.visits === undefined) return counts;
  const { visits, bounces, seconds } = columns.visits;
  return { ...counts, ...describeVisits(read(visits), read(bounces), read(seconds)) };
}

/** Matomo adds a second to the length of each visit of more than one action. */
export const describeVisits = (visits: number, bounces: number, seconds: number) => ({
  visits,
  bounces,
  visitSeconds: Math.max(0, seconds - (visits - bounces)),
});

function readLabel({ label }: Row): string | null {
  const text = `${label ?? ""}`;
  return text === "" || text === "Unknown" ? null : text;
}

/** A page's path with its query, as Matomo keeps it; null for a page that was tracked without an address. */
function readPath({ url }: Row): string | null {
  return typeof url === "string" ? /^[a-z]+:\/\/[^/?#]*(.*)$/is.exec(url)?.[1] || "/" : null;
}

/** The value of a condition in a row's segment, such as the `de` of `languageCode==de`. */
function readSegment({ segment }: Row, name: string): string | undefined {
  const text = typeof segment === "string" ? segment : "";
  return text.startsWith(`${name}==`)
    ? (new URLSearchParams(text.replace("==", "=")).get(name) ?? undefined)
    : undefined;
}

function readCountry({ code }: Row): string | null {
  return typeof code === "string" && /^[a-z]{2}$/.test(code) && code !== NO_CODE ? code.toUpperCase() : null;
}

function readRegion({ country, region }: Row): string | null {
  const code = readCountry({ code: country });
  const isKnown = typeof region === "string" && /^[A-Z0-9]{1,3}$/i.test(region) && region !== NO_CODE;
  return code !== null && isKnown ? `${code}-${region.toUpperCase()}` : null;
}

const NO_CODE = "xx";

function readLanguage(row: Row): string | null {
  const code = readSegment(row, "languageCode");
  if (code === undefined) throw createColumnError("UserLanguage.getLanguageCode", "segment");
  return code === NO_CODE || !/^[a-z]{2,3}(-[a-z]{2,4})?$/i.test(code)
    ? null
    : (Intl.getCanonicalLocales(code)[0] ?? null);
}

function readDevice(row: Row): string | null {
  const type = readSegment(row, "deviceType") ?? "";
  return Object.entries(DEVICES).find(([, types]) => types.includes(type))?.[0] ?? null;
}

const createColumnError = (method: string, name: string) =>
  new AnalyticsError("bad_answer", `Matomo's report ${method} has no usable ${name} in a row.`, {
    status: 200,
    hint: "Nothing was shown, because the numbers could be wrong. docs/services.md says which versions of Matomo are known.",
  });
