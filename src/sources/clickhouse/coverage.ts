import { listDays } from "../../operations/days.ts";
import type { Warning } from "../../operations/warning.ts";
import { dateAt } from "../calendar.ts";
import type { Span } from "../data-source.ts";
import { describeDates, warnOfEnd, warnOfScanners } from "../data-warnings.ts";

/** What the table has of a day. */
export interface LoadedDay {
  visitors: number;
  pageviews: number;
  /** With a page view. */
  scanners: number;
  /** Whether a row marks it as loaded. */
  isLoaded: boolean;
  /** How many page views it should have, according to those rows. */
  expected: number;
  /** The oldest and the newest version of the rules that it was counted by. */
  definitions: readonly [number, number];
}

/** What is known of a site's data. */
export interface Coverage {
  /** The last day that is marked as loaded. */
  lastDay: string;
  days: ReadonlyMap<string, LoadedDay>;
  /** How many page views of the site have no time. */
  timeless: number;
}

/** What a reader must know about these days before using their numbers. */
export function coverageWarnings(
  { site, from, to, now }: Span,
  { lastDay, days, timeless }: Coverage,
): Warning[] {
  const warnings: Warning[] = [];
  const warn = (code: string, detail: string, values?: Warning["values"]) =>
    void warnings.push({ code, detail, ...(values && { values }) });
  const first = site.dataSince ?? from;
  const today = dateAt(now, site.timezone);
  const dates = listDays(from > first ? from : first, to);

  const missing = dates.filter((date) => isGap({ lastDay, days }, date));
  if (missing.length > 0) {
    warn(
      "gap",
      `The table has not been loaded for ${list(missing)}: numbers are missing, not zero.`,
      describeDates(missing),
    );
  }
  const incomplete = dates.filter((date) => {
    const day = days.get(date);
    // Today is incomplete because the query ends now.
    return date !== today && day?.isLoaded && day.pageviews !== day.expected;
  });
  if (incomplete.length > 0) {
    warn(
      "incomplete",
      `The table has more or fewer page views than were exported for ${list(incomplete)}: load the export again.`,
      describeDates(incomplete),
    );
  }
  const end = findEnd({ lastDay, days });
  if (end < to) warnings.push(warnOfEnd("table", { first, last: end }, today));
  const versions = new Set([...days.values()].flatMap((day) => (day.isLoaded ? day.definitions : [])));
  if (versions.size > 1) {
    warn("definition", "Some days were counted by an earlier version of analytics-mcp, whose rules differ.");
  }
  const scanners = warnOfScanners(
    dates.flatMap((date) => {
      const day = days.get(date);
      return day === undefined ? [] : { date, visitors: day.visitors, scanners: day.scanners };
    }),
  );
  if (scanners !== undefined) warnings.push(scanners);
  if (timeless > 0) {
    const views = timeless === 1 ? "1 page view has" : `${timeless} page views have`;
    warn(
      "no_time",
      `${views} no time (NULL): no day and no number counts ${timeless === 1 ? "it" : "them"}.`,
      {
        pageviews: timeless,
      },
    );
  }
  return warnings;
}

type LoadedDays = Pick<Coverage, "lastDay" | "days">;

const isGap = ({ lastDay, days }: LoadedDays, date: string) => date < lastDay && !days.get(date)?.isLoaded;

/** The last day that is marked as loaded or has page views. */
function findEnd({ lastDay, days }: LoadedDays): string {
  const latest = [...days].flatMap(([date, { pageviews }]) => (pageviews > 0 ? [date] : []));
  return [lastDay, ...latest].reduce((a, b) => (a > b ? a : b));
}

/** Creates a function that marks a day of which the table has no data, whose zeros are then no counts. */
export function createGapMarker(loaded: LoadedDays) {
  const end = findEnd(loaded);
  return (date: string): { missing?: true } => (date > end || isGap(loaded, date) ? { missing: true } : {});
}

const list = (dates: readonly string[]) =>
  dates.length <= 3
    ? dates.join(", ")
    : `${dates.length} days from ${dates[0] ?? ""} to ${dates.at(-1) ?? ""}`;
