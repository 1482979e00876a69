import { expect } from "vitest";
import type { Given } from "./carried.ts";
import type { Answer } from "./question.ts";
import { listDays, type Span } from "./spans.ts";
import { rateVisits, type SiteTruth, type Truth } from "./truth.ts";

// What every answer says about itself.

/** The days, the timezone and the time must be right, and a note must mention an incomplete day. */
export function expectRightReceipt(given: Given, count: Truth): void {
  const { args, covers, answer } = given;
  if (!("site" in answer)) return;
  if ((args.period ?? args.against) !== undefined && covers === undefined)
    throw new Error(`What ${JSON.stringify(args)} covers is missing.`);
  const site = count(answer.site.domain);
  if ("as_of" in answer) expect(answer.as_of).toBe(timeAt(site));
  if ("current" in answer) {
    const { days = 7 } = args;
    const [current, previous] = typeof covers === "object" ? covers : beside(days);
    expectRightWindows(answer, site, [current, previous], args.filter);
  }
  if ("comparison" in answer) {
    const [current, previous] = beside(answer.period.days);
    expectRightPeriod(answer, site, typeof covers === "string" ? covers : current);
    if (answer.comparison) expect(answer.comparison.previous).toMatchObject(measure(site, previous));
  } else if ("period" in answer) {
    const span =
      typeof covers === "string" ? covers : (`last ${args.days ?? answer.period.days} days` as const);
    expectRightPeriod(answer, site, span);
  }
}

const beside = (days: number): [Span, Span] => [
  `last ${days} complete days`,
  `the ${days} complete days before`,
];

const timeAt = ({ clock }: SiteTruth) =>
  clock.toString({ smallestUnit: "second", timeZoneName: "never", calendarName: "never" });

function measure({ dates }: SiteTruth, span: Span) {
  const [from, to] = dates(span);
  return { from, to, days: listDays([from, to]).length };
}

type Dated = Pick<Answer<"get_overview">, "period" | "receipt" | "text">;

function expectRightPeriod({ period, receipt, text }: Dated, site: SiteTruth, asked: Span): void {
  const { clock, today, timezone } = site;
  const [time, span] = [timeAt(site), measure(site, asked)];
  const partial = span.to === today;
  const yesterday = clock.subtract({ days: 1 }).toPlainDate().toString();
  const complete_through = partial ? yesterday : span.to;
  expect(period).toEqual({ ...span, timezone, partial, complete_through, as_of: time });
  const weekday = clock.toLocaleString("en", { weekday: "long" });
  const minute = time.slice("2026-11-21T".length, "2026-11-21T05:05".length);
  const said = partial ? `Today, ${weekday}, is incomplete (data to ${minute}).` : `As of ${time}.`;
  // Of days without data, there is no number that could change.
  if (!/ has no data /.test(receipt.notes[0] ?? "")) expect(receipt.notes).toContain(said);
  expect(text).toContain(timezone);
  expect(text).toContain(nameSpan(span));
}

const nameSpan = ({ from, to }: { from: string; to: string }) => (from === to ? from : `${from} to ${to}`);

/** Windows with their days and totals, and rows whose counts are those of the windows. */
function expectRightWindows(
  answer: Answer<"compare_periods">,
  site: SiteTruth,
  [now, before]: readonly [Span, Span],
  filter: readonly string[] = [],
): void {
  const windows = [now, before].map((span) => {
    const { visitors, pageviews, ...visits } = site.total(span, filter);
    const withData = site.daysWithData(span);
    const measured = measure(site, span);
    return {
      ...measured,
      ...(withData < measured.days && { days_with_data: withData }),
      visitors,
      pageviews,
      ...rateVisits({ pageviews, ...visits }),
      ...(withData === 0 && { visitors: null, pageviews: null, visits: null }),
    };
  });
  expect([answer.current, answer.previous]).toEqual(windows);
  expect(answer.text).toContain(windows.map(nameSpan).join(" compared with "));
  for (const { dimension, movers } of answer.dimensions) {
    // The days of other dimensions are counted by other names.
    if (dimension !== "channels" && dimension !== "events") continue;
    for (const { value, current, previous } of movers) {
      const expected = [now, before].map((span) => site.row(span, dimension, value, filter).visitors);
      expect([value, current, previous]).toEqual([value, ...expected]);
    }
  }
}
