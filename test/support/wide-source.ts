import { addDays, countDays } from "../../src/operations/days.ts";
import { dateAt } from "../../src/sources/calendar.ts";
import type { DataSource, Span } from "../../src/sources/data-source.ts";
import { createRandom } from "../../src/sources/demo/random.ts";

/** The visitors of a value today, yesterday and the day before yesterday. */
export interface WideRow {
  value: string;
  visitors: readonly [today: number, yesterday: number, before: number];
}

/** A site whose lists have more rows than an answer may have. Every visitor views one page. */
export function createWideSource(
  rows: readonly WideRow[],
  dataSince: string | null = "2020-01-01",
): DataSource {
  const site = {
    id: "site_wide",
    domain: "wide.test",
    name: "Wide",
    timezone: "Europe/Berlin",
    createdAt: Date.parse("2020-01-01T00:00:00Z"),
    dataSince,
  };
  /** Which of a row's three days are in a span. */
  const daysIn = ({ from, to, now }: Pick<Span, "from" | "to" | "now">) =>
    [0, 1, 2].filter((ago) => {
      const date = addDays(dateAt(now, site.timezone), -ago);
      return date >= from && date <= to;
    });
  const sumOf = ({ visitors }: WideRow, days: number[]) =>
    days.reduce((sum, ago) => sum + (visitors[ago] ?? 0), 0);
  /** The rows of these days, sorted. Most queries of a test need the same ones again. */
  const sorted = new Map<string, { value: string; label: string; visitors: number; hits: number }[]>();
  const sortRows = (days: number[]) => {
    const counted = rows
      .map((row) => ({ value: row.value, label: row.value, visitors: sumOf(row, days) }))
      .filter(({ visitors }) => visitors > 0)
      .map((row) => ({ ...row, hits: row.visitors }));
    // As the product orders rows, but for values of ASCII alone, of which there are very many here.
    return counted.sort((a, b) => b.visitors - a.visitors || (a.value < b.value ? -1 : 1));
  };
  return {
    daysKept: 365,
    sites: async () => [site],
    days: async (span) =>
      Array.from({ length: countDays(span.from, span.to) }, (_, index) => {
        const date = addDays(span.from, index);
        const own = daysIn({ ...span, from: date, to: date });
        const visitors = rows.reduce((sum, row) => sum + sumOf(row, own), 0);
        return { date, visitors, pageviews: visitors, events: 0 };
      }),
    breakdown: async (span, _dimension, limit) => {
      const days = daysIn(span);
      const list = sorted.get(days.join()) ?? sortRows(days);
      sorted.set(days.join(), list);
      return { rows: list.slice(0, limit), totalRows: list.length };
    },
    active: async () => 0,
  };
}

/** In which of the two windows the site has as many rows as asked for; in the other one it has a few. */
export type Wide = "both" | "later" | "earlier";

/** Pages whose visitors fall off as they do on real sites, among them some that came, went, rose or fell. */
export function drawRows(seed: string, count: number, wide: Wide): WideRow[] {
  const random = createRandom(seed);
  const few = 50;
  return Array.from({ length: count }, (_, index) => {
    // A row that is in one window only must have visitors there, or it would be none.
    const least = wide !== "both" && index >= few ? 1 : 0;
    const isWide = wide === "both" || index < few;
    const typical = Math.ceil((600 * random()) / (1 + index / 60));
    const draw = () => Math.round(typical * (0.8 + 0.4 * random()));
    const fate = random();
    const before = fate < 0.05 ? 0 : draw();
    const yesterday = fate > 0.95 ? 0 : fate < 0.06 ? draw() + Math.round(300 * random()) : draw();
    return {
      value: `/${Math.floor(random() * 1e9).toString(36)}-${index}`,
      visitors: [
        random() < 0.7 ? 0 : Math.round(draw() / 3),
        wide === "later" || isWide ? Math.max(least, yesterday) : 0,
        wide === "earlier" || isWide ? Math.max(least, before) : 0,
      ],
    };
  });
}
