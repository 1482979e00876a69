import { describe, expect, it } from "vitest";
import { formatNotes } from "../../src/operations/note.ts";
import { listNotes } from "../../src/operations/view.ts";
import { findQuery } from "../../src/reports/queries.ts";
import { createTestApi, NOW } from "../support/api.ts";
import { connect } from "../support/period-service.ts";

const { api, ask } = createTestApi();
const [direct, subtracted] = [connect(api, true), connect(api, false)];

interface Compared {
  current: { from: string; to: string; days: number; visitors: number };
  previous: { from: string; to: string; days: number; visitors: number };
  change: { visitors: { absolute: number; percent: number | null } };
  per_day?: { visitors: { current: number; previous: number; change: number; percent: number | null } };
  dimensions: {
    movers: { value: string | null; current: number; previous: number; change: { absolute: number } }[];
  }[];
}

const compare = async (connection: typeof direct, params: Record<string, unknown>) => {
  const { result, views } = await findQuery("compare").ask(
    connection.call,
    { site: "example.com", days: 7, dimension: "pages", ...params },
    {},
  );
  return { ...(result as unknown as Compared), notes: formatNotes(listNotes(views), "models") };
};

const spanOf = ({ current, previous }: Compared) => [current.from, current.to, previous.from, previous.to];

/** What the API says of a span. */
const read = async (path: string, { from, to }: { from: string; to: string }) =>
  (
    await ask(
      `/api/v1${path}?site=example.com&from=${from}&to=${to}${path === "/breakdown" ? "&dimension=pages&limit=1000" : ""}`,
    )
  ).body;

describe.each([
  [{ period: "this_week" }, "2026-11-16", "2026-11-20", "2026-11-09", "2026-11-13"],
  [
    { period: "last_week", against: "previous_period" },
    "2026-11-09",
    "2026-11-15",
    "2026-11-02",
    "2026-11-08",
  ],
  [{ period: "this_month" }, "2026-11-01", "2026-11-20", "2026-10-01", "2026-10-20"],
  [{ period: "2026-10" }, "2026-10-01", "2026-10-31", "2026-09-01", "2026-09-30"],
  [{ period: "yesterday" }, "2026-11-20", "2026-11-20", "2026-11-19", "2026-11-19"],
  [
    { period: "last_week", against: "2026-10-19/2026-10-25" },
    "2026-11-09",
    "2026-11-15",
    "2026-10-19",
    "2026-10-25",
  ],
  [{ period: "last_month", against: "2026-08" }, "2026-10-01", "2026-10-31", "2026-08-01", "2026-08-31"],
])("compare %j", (params, from, to, start, end) => {
  it("compares these days", async () => {
    expect(spanOf(await compare(direct, params))).toEqual([from, to, start, end]);
  });

  it("has the numbers that the API has for each span", async () => {
    const { current, previous, dimensions } = await compare(direct, params);
    expect(current).toMatchObject({ visitors: (await read("/stats", { from, to })).visitors });
    expect(previous).toMatchObject({ visitors: (await read("/stats", { from: start, to: end })).visitors });
    const rowsOf = async (span: { from: string; to: string }) =>
      new Map(
        ((await read("/breakdown", span)).rows as { value: string; visitors: number }[]).map((row) => [
          row.value,
          row.visitors,
        ]),
      );
    const [now, before] = [await rowsOf({ from, to }), await rowsOf({ from: start, to: end })];
    const movers = dimensions[0]?.movers ?? [];
    expect(movers.length).toBeGreaterThan(3);
    for (const mover of movers) {
      expect([mover.current, mover.previous]).toEqual([
        now.get(mover.value ?? "") ?? 0,
        before.get(mover.value ?? "") ?? 0,
      ]);
    }
  });

  it("is the same from a service that answers only for days until today", async () => {
    expect(await compare(subtracted, params)).toEqual(await compare(direct, params));
  });
});

it("spans of different lengths are compared by averages per day, and say so", async () => {
  const { current, previous, change, per_day, dimensions, notes } = await compare(direct, {
    period: "2026-10",
  });
  expect([current.days, previous.days]).toEqual([31, 30]);
  const [now, before] = [current.visitors / 31, previous.visitors / 30];
  expect(change.visitors).toEqual({ absolute: current.visitors - previous.visitors, percent: null });
  expect(per_day?.visitors.change).toBe(Math.round(10 * (now - before)) / 10);
  expect(per_day?.visitors.percent).toBeCloseTo((100 * (now - before)) / before, 1);
  const averages =
    dimensions[0]?.movers.map((mover) => Math.abs(mover.current / 31 - mover.previous / 30)) ?? [];
  expect(averages).toEqual(averages.toSorted((a, b) => b - a));
  expect(notes.join()).toContain("The periods have 31 and 30 days, so percentages are of averages per day");
});

describe("what the dates alone do not tell", () => {
  const [same, other] = [/same weekdays?/, /do not have the same weekdays| is compared with /];

  it.each([
    ["last_7_days", undefined, undefined],
    ["last_28_days", undefined, undefined],
    ["last_3_days", undefined, "Compared with the same weekdays a week before."],
    ["monday", undefined, "Compared with the same weekday a week before."],
    ["monday", "2026-10-05", "Compared with the same weekday."],
    ["monday", "year_before", "Compared with the same weekday a year before."],
    ["yesterday", undefined, "Friday is compared with Thursday."],
    ["last_30_days", undefined, "The two periods do not have the same weekdays, as whole weeks would."],
    ["last_90_days", undefined, undefined],
    ["last_7_days", "2026-10-01/2026-10-07", undefined],
    // Months are compared with months.
    ["this_month", undefined, undefined],
    ["2026-10", "year_before", undefined],
  ])("of %s against %s is said", async (period, against, said) => {
    const { notes } = await compare(direct, { period, against });
    expect(notes.find((note) => same.test(note) || other.test(note))).toBe(said);
  });

  it("is said by an overview and a list of sites, too", async () => {
    const said = async (query: string, params: object) =>
      formatNotes(listNotes((await findQuery(query).ask(direct.call, { ...params }, {})).views), "models");
    expect(await said("overview", { site: "example.com", period: "yesterday" })).toContain(
      "Friday is compared with Thursday.",
    );
    expect(await said("sites", { period: "monday" })).toContain(
      "Compared with the same weekday a week before.",
    );
  });
});

it("against: year_before takes the same weekdays a year earlier", async () => {
  const answer = await compare(direct, { period: "last_week", against: "year_before" });
  expect(spanOf(answer)).toEqual(["2026-11-09", "2026-11-15", "2025-11-10", "2025-11-16"]);
  expect(answer.notes).toContain("Compared with the same weekdays a year before.");
  await expect(compare(subtracted, { period: "last_week", against: "year_before" })).rejects.toMatchObject({
    message: "against begins on 2025-11-10, and this service reaches back only to 2025-11-22.",
  });
});

it.each([
  [{ period: "today" }, "period today has no complete day yet"],
  [{ period: "last_week", against: "today" }, "against today has no complete day yet"],
  [{ period: "2027-01" }, "must not be in the future"],
  [{ period: "yesterday", against: "friday" }, "against friday is the period itself, 2026-11-20"],
])("%j is refused", async (params, words) => {
  await expect(compare(direct, params)).rejects.toMatchObject({
    code: "invalid_parameter",
    message: expect.stringContaining(words),
  });
});

it("on a Monday, this_week has no complete day yet", async () => {
  const monday = createTestApi({ start: NOW + 2 * 86_400_000 });
  await expect(compare(connect(monday.api, true), { period: "this_week" })).rejects.toMatchObject({
    message: "period this_week has no complete day yet, so there is nothing to compare.",
  });
});

describe("a site whose data begins in the middle", () => {
  // news.example.org has data since 2026-11-11.
  const news = (params: Record<string, unknown>) => ({ site: "news.example.org", ...params });
  const early = { period: "2026-11-01/2026-11-13", against: "2026-11-14/2026-11-19" };

  it.each([
    [{ period: early.against, against: early.period }, "previous", "current"],
    [early, "current", "previous"],
  ] as const)("%j is compared by averages of the days with data", async (params, first, second) => {
    const answer = await compare(direct, news(params));
    expect(answer).toMatchObject({
      [first]: { days: 13, days_with_data: 3 },
      change: { visitors: { absolute: null, percent: null } },
      per_day: { visitors: { percent: null } },
    });
    expect(answer[second]).not.toHaveProperty("days_with_data");
    const averages = [answer[first].visitors / 3, answer[second].visitors / 6];
    const { visitors } = answer.per_day ?? {};
    expect([visitors?.[first], visitors?.[second]]).toEqual(
      averages.map((each) => Math.round(10 * each) / 10),
    );
    expect(answer.notes).toContain(
      "The site's data begins on 2026-11-11, perhaps in the middle of the day. The earlier period has data on 3 of its 13 days: changes are of averages per day with data, without a percentage.",
    );
    expect(await compare(subtracted, news(params))).toEqual(answer);
  });
});

describe("all days with data", () => {
  const read = (query: string, connection: typeof direct, params = {}) =>
    findQuery(query).ask(
      connection.call,
      { site: "shop.example.net", period: "all", days: 30, ...params },
      {},
    );
  const since = "2026-01-20";

  it.each([
    ["stats", {}],
    ["timeseries", {}],
    ["breakdown", { dimension: "pages", limit: 10 }],
    ["overview", {}],
  ])("%s begins with the data, from a service with and without from and to", async (query, params) => {
    for (const connection of [direct, subtracted]) {
      const { result } = await read(query, connection, params);
      const { period, comparison } = result as unknown as {
        period: { from: string; to: string };
        comparison?: null;
      };
      expect([period.from, comparison ?? null]).toEqual([since, null]);
    }
  });

  it("says where a service does not reach back to them", async () => {
    const long = { site: "example.com" };
    const { result } = await read("stats", subtracted, long);
    expect(result).toMatchObject({
      period: { from: "2025-11-22", days: 365 },
      warnings: [{ code: "shortened", values: { from: "2025-11-22" } }],
    });
    expect((await read("stats", direct, long)).result).not.toHaveProperty("warnings");
  });

  it("are not compared, and of a site without data they are today", async () => {
    await expect(compare(direct, { period: "all" })).rejects.toMatchObject({
      message: "period cannot be all: there are no days before it to compare with.",
    });
    const { result } = await read("stats", direct, { site: "parked.example" });
    expect(result).toMatchObject({ period: { days: 1, partial: true } });
  });
});
