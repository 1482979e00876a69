import { describe, expect, it } from "vitest";
import { createHttpClient } from "../../src/client/http-client.ts";
import type { Call } from "../../src/operations/call.ts";
import { breakdown } from "../../src/operations/index.ts";
import { formatNotes } from "../../src/operations/note.ts";
import { listNotes } from "../../src/operations/view.ts";
import { measurePair, pairRows } from "../../src/reports/conversion-counts.ts";
import type { Conversions } from "../../src/reports/conversions.ts";
import { findQuery } from "../../src/reports/queries.ts";
import type { DataSource, Ranking } from "../../src/sources/data-source.ts";
import { readFixtures } from "../../src/sources/demo/fixtures.ts";
import { createLocalCall } from "../../src/sources/local-call.ts";
import { createCount } from "../oracle/count.ts";
import { readRaw } from "../oracle/raw.ts";
import { createTestApi, DEMO_KEY, NOW } from "../support/api.ts";
import { createVisitSource, type ListedVisit } from "../support/visit-source.ts";

const query = findQuery("conversions");

async function ask(call: Call, params: Record<string, unknown>) {
  const { result, views } = await query.ask(call, query.params.parse(params), {});
  return {
    ...(result as unknown as Conversions),
    views,
    notes: formatNotes(listNotes(views), "models"),
  };
}

const PERIOD = {
  from: "2026-11-20",
  to: "2026-11-20",
  days: 1,
  timezone: "Europe/Berlin",
  partial: false,
  complete_through: "2026-11-20",
  as_of: "2026-11-21T05:05:10+01:00",
};
const DAY = { site: "visits.test", period: "2026-11-20" };
const visit = (visitor: string, country: string | null, ...pages: string[]): ListedVisit => ({
  day: "2026-11-20",
  visitor,
  seconds: 0,
  pages,
  country,
});
const connectTo = (source: DataSource) =>
  createLocalCall(
    async () => source,
    () => NOW,
  );

/** Three visitors, one of whom comes twice, from two countries, and buys in one of the visits. */
const VISITS = [
  visit("a", "DE", "/", "/thanks"),
  visit("a", "AT", "/"),
  visit("b", "DE", "/"),
  visit("c", null, "/docs", "/thanks/again", "/thanks/again"),
];
const call = connectTo(createVisitSource(VISITS));

const rowsOf = ({ rows = [] }: Conversions) =>
  rows.map(({ value, visitors, converted, conversion_rate: rate }) => [value, visitors, converted, rate]);

describe("the share of the visitors who reached a goal", () => {
  it("counts a visitor once a day, however often they reach it", async () => {
    const { goal, visitors, converted, conversion_rate, small_sample, notes } = await ask(call, {
      ...DAY,
      goal: "pages=/thanks*",
    });
    expect({ goal, visitors, converted, conversion_rate, small_sample }).toEqual({
      goal: "pages=/thanks*",
      visitors: 3,
      converted: 2,
      conversion_rate: 66.7,
      small_sample: true,
    });
    expect(notes).toContain("Small sample (under 100 visitors): the rate may be due to chance.");
  });

  it("is of each value of a dimension, with those who have none, most conversions first", async () => {
    const answer = await ask(call, { ...DAY, goal: "page=/thanks*", by: "countries" });
    expect(rowsOf(answer)).toEqual([
      ["DE", 2, 1, 50],
      [null, 1, 1, 100],
      ["AT", 1, 0, 0],
    ]);
    expect(answer).toMatchObject({ visitors: 3, converted: 2, total_rows: 3, truncated: false });
    expect(answer.notes).toContain(
      "Rows may not add up, since a visitor can count in several. In all: 3 visitors, of whom 2 converted (66.7%).",
    );
  });

  it("shows no more rows than asked for, and says how many there are", async () => {
    const answer = await ask(call, { ...DAY, goal: "page=/thanks*", by: "countries", limit: 2 });
    expect([rowsOf(answer).length, answer.total_rows, answer.truncated]).toEqual([2, 3, true]);
    expect(answer.notes).toContain("Showing 2 of 3 rows (limit 2).");
  });

  it("is of several alternatives together", async () => {
    const goal = "pages=/thanks|/docs|/thanks/again";
    expect(await ask(call, { ...DAY, goal })).toMatchObject({
      goal: "pages=/docs|/thanks|/thanks/again",
      visitors: 3,
      converted: 2,
    });
  });

  it("is of the visits that a filter chooses, also by the dimension of the filter", async () => {
    const filter = ["country=DE"];
    const answer = await ask(call, { ...DAY, goal: "pages=/thanks*", by: "countries", filter });
    expect(answer).toMatchObject({ filter: ["countries=DE"], visitors: 2, converted: 1 });
    expect(rowsOf(answer)).toEqual([["DE", 2, 1, 50]]);
    const readers = await ask(call, { ...DAY, goal: "pages=/thanks*", filter: ["visit:pages=/docs"] });
    expect(readers).toMatchObject({ visitors: 1, converted: 1, conversion_rate: 100 });
  });

  it("may be a page's path alone", async () => {
    const answer = await ask(call, { ...DAY, goal: " /thanks*" });
    expect(answer).toEqual(await ask(call, { ...DAY, goal: "pages=/thanks*" }));
  });

  it("is zero if nobody reached the goal, and says that nobody ever had the value", async () => {
    const answer = await ask(call, { ...DAY, goal: "pages=/nowhere", by: "countries" });
    expect(answer).toMatchObject({ visitors: 3, converted: 0, conversion_rate: 0 });
    expect(rowsOf(answer)).toEqual([
      ["DE", 2, 0, 0],
      ["AT", 1, 0, 0],
      [null, 1, 0, 0],
    ]);
    expect(answer.notes.join(" ")).toContain("Nothing in these days has pages=/nowhere");
  });

  it("is unknown if there were no visitors", async () => {
    const answer = await ask(call, { ...DAY, period: "2026-11-19", goal: "pages=/thanks" });
    expect(answer).toMatchObject({ visitors: 0, converted: 0, conversion_rate: null });
    expect(answer.notes).toContain("There were no visitors, so there is no rate.");
    const ranked = await ask(call, { ...DAY, period: "2026-11-19", goal: "pages=/thanks", by: "countries" });
    expect(ranked).toMatchObject({ rows: [], total_rows: 0, truncated: false });
  });

  it("below a tenth of a percent has two digits, so that it does not look like zero", async () => {
    const many = Array.from({ length: 3_000 }, (_, index) =>
      visit(`v${index}`, "DE", index === 0 ? "/thanks" : "/"),
    );
    const answer = await ask(connectTo(createVisitSource(many)), { ...DAY, goal: "pages=/thanks" });
    expect(answer).toMatchObject({ visitors: 3_000, converted: 1, conversion_rate: 0.033 });
    expect(answer.small_sample).toBe(false);
  });
});

describe("rows that are not what they seem", () => {
  /** The source's values AT and CH are one row, as where visitors sent too many values. */
  const fold = (source: DataSource): DataSource => ({
    ...source,
    breakdown: async (...asked) => {
      const { rows, totalRows }: Ranking = await source.breakdown(...asked);
      const isFolded = ({ value }: { value: string | null }) => value === "AT" || value === "CH";
      const folded = rows.filter(isFolded);
      const [first] = folded;
      if (first === undefined) return { rows, totalRows };
      const sum = (name: "visitors" | "hits") => folded.reduce((total, row) => total + row[name], 0);
      const other = { value: null, label: "(other)", other: true as const };
      const all = [
        ...rows.filter((row) => !isFolded(row)),
        { ...other, visitors: sum("visitors"), hits: sum("hits") },
      ];
      return {
        rows: all.sort((a, b) => b.visitors - a.visitors),
        totalRows: totalRows - folded.length + 1,
      };
    },
  });

  it("the row of folded values is not the row of those without a value", async () => {
    const visits = [...VISITS, visit("d", "CH", "/thanks"), visit("e", "CH", "/"), visit("f", "AT", "/")];
    const folded = connectTo(fold(createVisitSource(visits)));
    const answer = await ask(folded, { ...DAY, goal: "pages=/thanks*", by: "countries" });
    expect(
      answer.rows?.map(({ value, other, visitors, converted }) => [value, other, visitors, converted]),
    ).toEqual([
      [null, true, 4, 1],
      ["DE", undefined, 2, 1],
      [null, undefined, 1, 1],
    ]);
    expect(answer.warnings?.map(({ code }) => code)).toEqual(["folded"]);
  });

  /** Visitors of numbered countries: each of so many, the first ones of whom reach the goal. */
  const fill = (count: number, read: (index: number) => [visitors: number, converted: number]) =>
    Array.from({ length: count }, (_, index) => {
      const [visitors, converted] = read(index);
      return Array.from({ length: visitors }, (_, each) =>
        visit(`${index}-${each}`, `c${index}`, each < converted ? "/thanks" : "/"),
      );
    }).flat();
  const CUT = "The service did not list all countries, so some numbers are known only as a range.";

  it("a row that the list of all visitors lacks has at most as many as its last row", async () => {
    const visits = fill(1_100, (index) => (index < 1_000 ? [3, 0] : [2, index === 1_050 ? 1 : 0]));
    const answer = await ask(connectTo(createVisitSource(visits)), {
      ...DAY,
      goal: "pages=/thanks",
      by: "countries",
      limit: 2,
    });
    expect(answer.rows).toEqual([
      {
        value: "c1050",
        label: "c1050",
        visitors: null,
        converted: 1,
        conversion_rate: null,
        bounds: {
          visitors: { least: 1, most: 3 },
          converted: { least: 1, most: 1 },
          conversion_rate: { least: 33.3, most: 100 },
        },
      },
      { value: "c0", label: "c0", visitors: 3, converted: 0, conversion_rate: 0 },
    ]);
    expect(answer).toMatchObject({ visitors: 3_200, converted: 1, total_rows: 1_100, truncated: true });
    expect(answer.notes).toContain(CUT);
    expect(answer.views[0]?.rows[0]).toMatchObject({
      visitors: "1–3",
      converted: 1,
      conversion_rate: "33.3–100%",
    });
  });

  it("a row that the list of conversions lacks has at most as many as its last row", () => {
    const list = (rows: [value: string, visitors: number][], totalRows: number) =>
      breakdown.result.parse({
        site: { id: "site", domain: "visits.test" },
        period: PERIOD,
        dimension: "countries",
        rows: rows.map(([value, visitors]) => ({ value, label: value, visitors, percentage: 0 })),
        limit: rows.length,
        total_rows: totalRows,
        truncated: totalRows > rows.length,
        totals: { visitors: 20, pageviews: 20 },
      });
    const all = list(
      [
        ["DE", 9],
        ["AT", 2],
        ["CH", 2],
      ],
      3,
    );
    const [first, ...others] = pairRows({ before: all, reached: list([["DE", 3]], 2), after: all });
    expect(first).toMatchObject({ value: "DE", converted: { least: 3, most: 3 } });
    expect(others.map((row) => [row.value, measurePair(row, "visits.test")])).toEqual(
      ["AT", "CH"].map((value) => [
        value,
        {
          visitors: 2,
          converted: null,
          conversion_rate: null,
          // Not the three of the last row: there are only two visitors.
          bounds: {
            visitors: { least: 2, most: 2 },
            converted: { least: 0, most: 2 },
            conversion_rate: { least: 0, most: 100 },
          },
        },
      ]),
    );
  });
});

describe("answers that do not describe the same moment", () => {
  /** A client of the reference API; `between` runs before each request for numbers, and `edit` changes the answers. */
  function connect(
    between: (time: { now: number }, count: number) => void = () => {},
    edit = (_url: string, text: string) => text,
  ) {
    const { api, time } = createTestApi();
    const asked: string[] = [];
    const { call } = createHttpClient({
      clock: () => time.now,
      readTarget: () => ({
        baseUrl: "https://x.test/api/v1",
        apiKey: DEMO_KEY,
        fetch: async (url, init) => {
          if (/\/(stats|breakdown)\?/.test(url)) between(time, asked.push(url));
          const response = await api(new Request(url, init));
          return new Response(edit(url, await response.text()), response);
        },
      }),
    });
    return { call, asked, time };
  }
  const raw = readRaw(readFixtures(), "analytics", NOW).find(({ domain }) => domain === "example.com");
  if (!raw) throw new Error("no site");
  const count = createCount(raw);
  const signups = { site: "example.com", goal: "events=signup" };

  it("finished days are read once", async () => {
    const { call, asked } = connect();
    const answer = await ask(call, { ...signups, period: "last_7_days", by: "channels" });
    expect(asked).toHaveLength(2);
    const dates = count.completeDays(NOW, 7);
    expect(answer).toMatchObject({
      visitors: count.totals(NOW, dates).visitors,
      converted: count.totals(NOW, dates, ["events=signup"]).visitors,
    });
  });

  it("today is read until nothing arrives meanwhile", async () => {
    const { call, asked } = connect((time, number) => {
      if (number <= 3) time.now += 1_800_000;
    });
    const answer = await ask(call, { ...signups, days: 1, by: "countries" });
    expect(asked).toHaveLength(6);
    const now = NOW + 3 * 1_800_000;
    const dates = count.days(now, 1);
    expect(answer).toMatchObject({
      visitors: count.totals(now, dates).visitors,
      converted: count.totals(now, dates, ["events=signup"]).visitors,
    });
    expect(answer.bounds).toBeUndefined();
    expect(answer.warnings).toBeUndefined();
  });

  it("visits that keep arriving make ranges that hold the truth, and no rate is above 100", async () => {
    const moments: number[] = [];
    const { call, asked } = connect((time) => {
      time.now += 1_800_000;
      moments.push(time.now);
    });
    const answer = await ask(call, { ...signups, goal: "pages=/*", days: 1, by: "countries", limit: 1_000 });
    expect(asked).toHaveLength(9);
    const [before = 0, now = 0, after = 0] = moments.slice(-3);
    const of = (at: number, filter?: string[]) => count.totals(at, count.days(at, 1), filter).visitors;
    expect(of(after)).toBeGreaterThan(of(before));
    expect(answer).toMatchObject({
      visitors: null,
      converted: of(now, ["pages=/*"]),
      conversion_rate: null,
      bounds: { visitors: { least: of(now, ["pages=/*"]), most: of(after) } },
    });
    for (const { bounds, conversion_rate: rate } of answer.rows ?? [])
      expect(bounds?.conversion_rate.most ?? rate).toBeLessThanOrEqual(100);
    expect(answer.notes).toContain(
      "Visits arrived while these were counted, so some numbers are known only as a range.",
    );
  });

  it("a rate is known where the range of the visitors does not change it", async () => {
    const pair = { visitors: { least: 123_450, most: 123_460 }, converted: { least: 3_000, most: 3_000 } };
    expect(measurePair(pair, "")).toMatchObject({ visitors: null, converted: 3_000, conversion_rate: 2.4 });
  });

  it("midnight at the site lets everything be read again", async () => {
    const midnight = Date.parse("2026-11-21T23:00:00Z");
    const { call, time } = connect((time, number) => {
      if (number === 2) time.now = midnight + 1_000;
    });
    time.now = midnight - 1_000;
    const answer = await ask(call, { ...signups, days: 2 });
    expect(answer.period).toMatchObject({ from: "2026-11-21", to: "2026-11-22" });
    const dates = count.days(midnight + 1_000, 2);
    expect(answer.visitors).toBe(count.totals(midnight + 1_000, dates).visitors);
  });

  it("more conversions than visitors are an error, not a rate", async () => {
    const { call, asked } = connect(
      () => {},
      (url, text) => {
        if (!/\/(stats|breakdown)\?.*signup/.test(url)) return text;
        return text.replace(/"visitors":\d+/, '"visitors":1000000');
      },
    );
    await expect(ask(call, { ...signups, period: "last_7_days" })).rejects.toMatchObject({
      code: "bad_answer",
      message:
        'The service\'s answers contradict each other: more visitors of "example.com" reached the goal than there are.',
    });
    expect(asked).toHaveLength(6);
  });

  describe("of a service without filters", () => {
    const connectPlain = (edit = (text: string) => text) =>
      connect(
        () => {},
        (url, text) =>
          url.endsWith("/openapi.json") ? text.replaceAll('"name":"filter"', '"name":"only"') : edit(text),
      );

    it.each([
      ["events=signup", "events", "signup"],
      ["page=/", "pages", "/"],
    ] as const)("%s comes from the breakdown, in one request", async (goal, dimension, value) => {
      const { call, asked } = connectPlain();
      const dates = count.completeDays(NOW, 7);
      const row = count.rows(NOW, dates, dimension).find((each) => each.value === value);
      expect(await ask(call, { ...signups, goal, period: "last_7_days" })).toMatchObject({
        visitors: count.totals(NOW, dates).visitors,
        converted: row?.visitors,
      });
      expect(asked).toHaveLength(1);
    });

    it("a value that nobody has is zero, unless the list was cut", async () => {
      const goal = "pages=/nowhere";
      const { call } = connectPlain();
      expect(await ask(call, { ...signups, goal, period: "last_7_days" })).toMatchObject({
        converted: 0,
        conversion_rate: 0,
      });
      const cut = connectPlain((text) => {
        const body = JSON.parse(text);
        if (body.dimension === undefined) return text;
        // As many rows as were asked for, of more than these.
        const rows = Array.from({ length: 1_000 }, (_, index) => ({
          ...body.rows[0],
          value: `/${index}`,
          visitors: 5,
          pageviews: 5,
          percentage: 500 / body.totals.visitors,
        }));
        return JSON.stringify({ ...body, rows, total_rows: 1_001, truncated: true });
      });
      const answer = await ask(cut.call, { ...signups, goal, period: "last_7_days" });
      expect(answer).toMatchObject({
        converted: null,
        bounds: { converted: { least: 0, most: 5 } },
        warnings: [{ code: "cut_off" }],
      });
    });

    it.each([
      ["by", { by: "channels" }, "by cannot be used"],
      ["filter", { filter: ["countries=DE"] }, "filter cannot be used"],
      ["a pattern", { goal: "pages=/docs*" }, "goal must be one exact value, such as events=signup"],
      [
        "alternatives",
        { goal: "events=signup|search" },
        "goal must be one exact value, such as events=signup",
      ],
    ])("%s is refused, with what can be asked", async (_, params, message) => {
      const { call, asked } = connectPlain();
      await expect(ask(call, { ...signups, ...params })).rejects.toMatchObject({
        message: expect.stringContaining(message),
        hint: "It can tell how many visitors had one event or viewed one page: a goal of one exact value, without by and filter.",
      });
      expect(asked).toEqual([]);
    });
  });
});

describe("a goal is refused", () => {
  it.each([
    ["without a dimension", "signup", 'such as events=signup or pages=/thanks*, not "signup"'],
    ["of an unknown dimension", "color=red", "must be an event, a page or a hostname, such as"],
    ["of visits", "country=DE", 'give "country=DE" as filter, or rank by countries'],
    ["that is written as a filter on visits", "visit:page=/a", "must be written without visit:"],
    ["that nearly everybody reaches", "page!=/a", 'Visits without it are a filter, "visit:page!=/a"'],
    ["without a value", "event=", "must have a value"],
    ["with an alternative that is none", "event=signup|", "must have a value"],
    ["that ends with a backslash", "event=a\\", "must not end with a single \\"],
  ])("%s", async (_, goal, detail) => {
    await expect(ask(call, { ...DAY, goal })).rejects.toMatchObject({
      code: "invalid_parameter",
      parameters: [{ parameter: "goal", detail: expect.stringContaining(detail) }],
    });
  });

  it("beside conditions on hits, with those to write instead", async () => {
    await expect(
      ask(call, { ...DAY, goal: "pages=/thanks", filter: ["country=DE", "page!=/docs|/a"] }),
    ).rejects.toMatchObject({
      parameters: [
        {
          parameter: "filter",
          detail:
            'must be "visit:pages!=/a|/docs", not "pages!=/a|/docs": with a goal, it chooses whole visits',
        },
      ],
    });
  });

  it("beside ten conditions", async () => {
    const filter = Array.from({ length: 10 }, (_, index) => `visit:pages!=/${index}`);
    await expect(ask(call, { ...DAY, goal: "pages=/thanks", filter })).rejects.toThrow(
      "filter must have at most 9 conditions beside a goal.",
    );
    const nine = await ask(call, { ...DAY, goal: "pages=/thanks", filter: filter.slice(1) });
    expect(nine).toMatchObject({ visitors: 3, converted: 1 });
  });

  it("of a dimension that the source does not record, and not the filter or by that it records", async () => {
    const source = createVisitSource(VISITS);
    const recording = connectTo({ ...source, dimensions: async () => ["pages", "entry_pages", "countries"] });
    const refused = (params: object) => ask(recording, { ...DAY, goal: "pages=/thanks", ...params });
    await expect(refused({ goal: "events=signup" })).rejects.toMatchObject({
      message: "goal is events, which this source does not record; it has pages.",
      parameters: [{ parameter: "goal", allowed: ["pages"] }],
    });
    await expect(refused({ by: "cities" })).rejects.toMatchObject({
      message: "by is cities, which this source does not record; it has entry_pages, countries.",
      parameters: [{ parameter: "by", allowed: ["entry_pages", "countries"] }],
    });
    await expect(refused({ filter: ["cities=Bonn"] })).rejects.toMatchObject({
      parameters: [{ parameter: "filter", allowed: ["pages", "entry_pages", "countries"] }],
    });
  });
});
