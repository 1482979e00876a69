import { addDays, countDays } from "../../src/operations/days.ts";
import type { Dimension } from "../../src/operations/dimensions.ts";
import { compareRows } from "../../src/operations/row-order.ts";
import { dateAt } from "../../src/sources/calendar.ts";
import type { DataSource, SourceSite, Span } from "../../src/sources/data-source.ts";

/** A page view, or an event where it has a name. */
export interface ListedHit {
  site: string;
  visitor: string;
  /** Milliseconds since 1970. */
  at: number;
  path: string;
  event?: string;
}

/** The smallest data source there can be: a list of hits, counted anew for each question. */
export function createListSource(sites: readonly SourceSite[], hits: readonly ListedHit[]): DataSource {
  const within = ({ site, from, to, now }: Span) =>
    hits
      .filter((hit) => hit.site === site.id && hit.at <= now)
      .map((hit) => ({ ...hit, date: dateAt(hit.at, site.timezone) }))
      .filter(({ date }) => date >= from && date <= to);
  const countVisitors = (list: readonly { visitor: string; date: string }[]) =>
    new Set(list.map(({ visitor, date }) => `${date} ${visitor}`)).size;
  return {
    daysKept: 400,
    sites: async () => sites,
    days: async (span, signal) => {
      signal?.throwIfAborted();
      const all = within(span);
      return Array.from({ length: countDays(span.from, span.to) }, (_, index) => {
        const date = addDays(span.from, index);
        const day = all.filter((hit) => hit.date === date);
        const events = day.filter(({ event }) => event !== undefined).length;
        return { date, visitors: countVisitors(day), pageviews: day.length - events, events };
      });
    },
    breakdown: async (span, dimension, limit, signal) => {
      signal?.throwIfAborted();
      const counted = within(span).filter(({ event }) => dimension !== "events" || event !== undefined);
      const groups = new Map<string | null, typeof counted>();
      for (const hit of counted) {
        const value = readValue(hit, dimension);
        groups.set(value, [...(groups.get(value) ?? []), hit]);
      }
      const rows = [...groups].map(([value, list]) => ({
        value,
        label: value ?? "(none)",
        visitors: countVisitors(list),
        hits: list.filter(({ event }) => (event !== undefined) === (dimension === "events")).length,
      }));
      return { rows: rows.sort(compareRows).slice(0, limit), totalRows: rows.length };
    },
    active: async (site, now) =>
      new Set(
        hits
          .filter((hit) => hit.site === site.id && hit.at > now - 300_000 && hit.at <= now)
          .map(({ visitor }) => visitor),
      ).size,
  };
}

function readValue({ path, event }: ListedHit, dimension: Dimension): string | null {
  if (dimension === "pages" || dimension === "entry_pages" || dimension === "exit_pages") return path;
  if (dimension === "events") return event ?? null;
  return dimension === "channels" ? "Direct" : null;
}
