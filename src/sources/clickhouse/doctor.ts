import type * as z from "zod";
import { AnalyticsError, quote, quoteIfNeeded } from "../../errors.ts";
import { addDays } from "../../operations/days.ts";
import { dateAt } from "../calendar.ts";
import type { CountedDay, SourceSite, Span } from "../data-source.ts";
import type { LocalContext } from "../source-types.ts";
import { createClickHouseViews } from "./clickhouse-source.ts";
import { readTableParts } from "./open.ts";
import { conditionRow, handRow } from "./rows.ts";
import { querySpan } from "./span-query.ts";
import type { TableReader } from "./table-reader.ts";

const DAYS = 7;
/** Of many sites, those with the newest data. */
const MAX_SITES = 5;

/** Checks that the table has the columns that queries use, and returns them with their types. */
export async function checkColumns(context: LocalContext): Promise<string> {
  const { summary } = await readTableParts(context).reader.prepare();
  return summary;
}

/**
 * Counts the page views of the last days. If there are none at all, answers would be 0 without a word: throws AnalyticsError
 * `usage`, which says what the table has instead.
 */
export async function checkPageViews(context: LocalContext): Promise<string> {
  const parts = readTableParts(context);
  const source = createClickHouseViews(parts)();
  const now = context.clock();
  const sites = [...(await source.sites())]
    .sort((a, b) => (b.dataUntil ?? "").localeCompare(a.dataUntil ?? ""))
    .slice(0, MAX_SITES);
  const found = await Promise.all(
    sites.map(async (site) => {
      const today = dateAt(now, site.timezone);
      const span: Span = { site, from: addDays(today, 1 - DAYS), to: today, now };
      const days = await source.days(span);
      const views = days.reduce((sum, { pageviews }) => sum + pageviews, 0);
      const byHand = await countByHand(parts.reader, span);
      // Today goes on while this is counted.
      const differing = byHand && days.find((day) => day.date < today && !isSame(day, byHand.get(day.date)));
      return { site, span, views, byHand, differing, warnings: (await source.warnings?.(span)) ?? [] };
    }),
  );
  const [newest] = found;
  if (newest && found.every(({ views }) => views === 0)) {
    throw new AnalyticsError("usage", await explainNothing(parts.reader, newest.span), {
      hint: "Check --map and --where, and when the newest rows were loaded. docs/clickhouse.md explains them.",
    });
  }
  for (const { site, differing, byHand } of found) assertSame(site, differing, byHand);
  const counts = found.map(({ site, views }) => `${nameSite(site)} ${views}`).join(", ");
  const byHand = found
    .flatMap(({ site, byHand }) => (byHand ? [`${nameSite(site)} ${sumViews(byHand)}`] : []))
    .join(", ");
  const details = new Set(found.flatMap(({ warnings }) => warnings.map(({ detail }) => detail)));
  return [
    `${counts} (last ${DAYS} days)`,
    ...(byHand === "" ? [] : [`The table's own count of rows: ${byHand}`]),
    ...details,
  ].join(". ");
}

type HandDay = z.output<typeof handRow>;

/** The days of a table as one would count them by hand; undefined for a table of hits, which says itself how many it has. */
async function countByHand(
  reader: TableReader,
  span: Span,
): Promise<ReadonlyMap<string, HandDay> | undefined> {
  const { conditions } = (await reader.prepare()).queries;
  if (conditions === undefined) return undefined;
  const { params } = querySpan(span);
  const { rows } = await reader.ask({ write: conditions.byHand, params, row: handRow, maxRows: DAYS });
  return new Map(rows.map((row) => [row.date, row]));
}

const sumViews = (days: ReadonlyMap<string, HandDay>) =>
  [...days.values()].reduce((sum, { view_count }) => sum + view_count, 0);

const isSame = ({ pageviews, visitors }: CountedDay, day: HandDay | undefined) =>
  pageviews === (day?.view_count ?? 0) && visitors === (day?.visitor_count ?? 0);

/** Throws AnalyticsError `usage` if a day is counted in two ways, with two results. */
function assertSame(
  site: SourceSite,
  day: CountedDay | undefined,
  byHand: ReadonlyMap<string, HandDay> | undefined,
): void {
  if (day === undefined) return;
  const { view_count = 0, visitor_count = 0 } = byHand?.get(day.date) ?? {};
  throw new AnalyticsError(
    "usage",
    `${nameSite(site)} has ${day.pageviews} page views of ${day.visitors} visitors on ${day.date}, but its rows are ${view_count} of ${visitor_count}.`,
    { hint: "Check whether rows of that day are still written, then run this again." },
  );
}

/** What a span without page views has, and which condition leaves out its rows. */
async function explainNothing(reader: TableReader, span: Span): Promise<string> {
  const { site, from, to } = span;
  const { conditions } = (await reader.prepare()).queries;
  const nothing = `${nameSite(site)} has no page views from ${from} to ${to}`;
  const ends = site.dataUntil === undefined ? "" : `, and the table ends on ${site.dataUntil}`;
  if (conditions === undefined) return `${nothing}${ends}.`;
  const { params } = querySpan(span);
  const { rows } = await reader.ask({ write: conditions.count, params, row: conditionRow, maxRows: 1 });
  const { row_count: rowCount = 0, met = [] } = rows[0] ?? {};
  if (rowCount === 0) return `${nothing}${ends}.`;
  const counts = conditions.names.map(
    (name, index) => `${quote(name, { maxLength: 60 })} is true of ${met[index] ?? 0}`,
  );
  return `${nothing}, but ${rowCount} rows: ${counts.join(", ")}.`;
}

const nameSite = ({ domain }: SourceSite) => quoteIfNeeded(domain);
