import { describe, expect, it } from "vitest";
import { addDays } from "../../../src/operations/days.ts";
import { createSmallService, listDays, TODAY, warningsOf } from "./small-service.ts";

/** The day on which counting began: the fifth before the last. */
const SINCE = addDays(TODAY, -4);
const BEGINS = `The site has had data since ${SINCE}: earlier days are missing, not zero.`;

type Query = URLSearchParams;
const daysOf = (query: Query) => listDays(Number(query.get("days") ?? 30));
const ofDay = (date: string) => ({ date, visitors: date < SINCE ? 0 : 10, pageviews: date < SINCE ? 0 : 20 });
const counted = (query: Query) => daysOf(query).filter((date) => date >= SINCE).length;
const stats = (query: Query) => ({
  visitors: 10 * counted(query),
  pageviews: 20 * counted(query),
  events: 0,
});

const SERIES = {
  "with 0": (query: Query) => daysOf(query).map(ofDay),
  "not at all": (query: Query) =>
    daysOf(query)
      .filter((date) => date >= SINCE)
      .map(ofDay),
};

describe.each(Object.entries(SERIES))("days before the first data, which a series has %s,", (_, series) => {
  const open = () => createSmallService({ "/stats": stats, "/timeseries": series });

  it("are missing in totals and in the series, and not zero", async () => {
    const { ask } = open();
    const totals = await ask("stats", { days: 8 });
    expect(totals).toMatchObject({ visitors: 50, pageviews: 100 });
    expect(warningsOf(totals)).toContain(BEGINS);
    const { points, ...answer } = await ask("timeseries", { days: 8 });
    expect(points.map(({ missing }: { missing?: true }) => missing === true)).toEqual([
      ...[true, true, true],
      ...[false, false, false, false, false],
    ]);
    expect(warningsOf(answer)).toContain(BEGINS);
    expect(warningsOf(answer)).not.toContain("has no number for");
  });

  it("are in no average and no percentage", async () => {
    const { ask } = open();
    expect(await ask("compare", { days: 3 })).toMatchObject({ comparable: false, data_since: SINCE });
    const before = `${addDays(TODAY, -8)}/${addDays(TODAY, -5)}`;
    await expect(open().ask("stats", { period: before })).resolves.toMatchObject({ visitors: 0 });
    expect(warningsOf(await open().ask("stats", { period: before }))).toContain(BEGINS);
  });
});

it("the first days of a window without anybody are zeros if there is data before them", async () => {
  const QUIET = addDays(TODAY, -7);
  const series = (query: Query) =>
    daysOf(query).map((date) => ({ date, ...(date === QUIET ? { visitors: 0, pageviews: 0 } : ofTen) }));
  const ofTen = { visitors: 10, pageviews: 20 };
  const totals = (query: Query) => {
    const days = daysOf(query).filter((date) => date !== QUIET).length;
    return { visitors: 10 * days, pageviews: 20 * days, events: 0 };
  };
  const { ask, asked } = createSmallService({ "/stats": totals, "/timeseries": series });
  const answer = await ask("timeseries", { days: 8 });
  expect(answer.points[0]).toMatchObject({ date: QUIET, visitors: 0 });
  expect(answer.points[0]).not.toHaveProperty("missing");
  expect(warningsOf(answer)).not.toContain("has had data since");
  const before = asked.length;
  await ask("timeseries", { days: 7 });
  // Days that begin with somebody need no further question.
  expect(asked.slice(before).filter((line) => line.includes("days=365"))).toEqual([]);
});
