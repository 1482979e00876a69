import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { drawComparison } from "../../src/mcp/chart/draw-comparison.ts";
import { createFormat } from "../../src/mcp/chart/format.ts";
import { printMarkup } from "../../src/mcp/chart/markup.ts";
import type { Call } from "../../src/operations/call.ts";
import { formatNotes } from "../../src/operations/note.ts";
import { listNotes } from "../../src/operations/view.ts";
import { compare } from "../../src/reports/compare.ts";
import { overview } from "../../src/reports/overview.ts";
import { findQuery } from "../../src/reports/queries.ts";
import { createLocalCall } from "../../src/sources/local-call.ts";
import { combinedLine, createLogPlace, type LogPlace, NOON } from "../sources/logs/log-place.ts";
import { NOW } from "../support/api.ts";
import { createWideSource } from "../support/wide-source.ts";

const reports = {
  compare: async (call: Call) => {
    const answer = await compare.compute(call, { site: "wide.test", days: 1 }, {});
    const { comparable, data_since, change } = answer;
    const moved = answer.dimensions.flatMap(({ movers }) => movers.map((mover) => mover.change));
    return {
      comparable,
      data_since,
      changes: [...Object.values(change), ...moved],
      views: compare.views(answer),
    };
  },
  overview: async (call: Call) => {
    const answer = await overview.compute(call, { site: "wide.test", days: 1 }, {});
    if (answer.comparison === null) throw new Error("There is no comparison.");
    const { comparable, data_since, visitors, pageviews } = answer.comparison;
    return { comparable, data_since, changes: [visitors, pageviews], views: overview.views(answer) };
  },
};

const DAY = [300, 200, 150] as const;

// Today is 21 November, so the windows are the 20th and the 19th.
describe.each(Object.entries(reports))("%s", (_, ask) => {
  it.each([
    ["2026-11-18", undefined],
    [
      "2026-11-19",
      "The site's data begins on 2026-11-19, perhaps in the middle of the day, so the earlier period is incomplete: a rise is not growth, and no percentage is given.",
    ],
    [
      "2026-11-20",
      "There is no data of 2026-11-19: the site's data begins on 2026-11-20, so there is nothing to compare.",
    ],
    [
      "2026-11-21",
      "There is no data of 2026-11-19: the site's data begins on 2026-11-21, so there is nothing to compare.",
    ],
    [null, "The site has no data yet, so there is nothing to compare."],
  ])("of a site with data since %s", async (since, note) => {
    const countOn = (day: string, visitors: number) => (since !== null && day >= since ? visitors : 0);
    const visitors = [
      countOn("2026-11-21", DAY[0]),
      countOn("2026-11-20", DAY[1]),
      countOn("2026-11-19", DAY[2]),
    ] as const;
    const rows = since === null ? [] : [{ value: "/", visitors }];
    const call = createLocalCall(
      async () => createWideSource(rows, since),
      () => NOW,
    );
    const { views, changes, ...answer } = await ask(call);
    const notes = formatNotes(listNotes(views), "models");
    if (note === undefined) {
      expect(answer).toEqual({ comparable: true });
      for (const change of changes) expect(change).toEqual({ absolute: 50, percent: 33.3 });
      expect(notes.join()).not.toContain("percentage");
    } else {
      expect(answer).toEqual({ comparable: false, data_since: since });
      const absolute = since === "2026-11-19" ? 50 : null;
      for (const change of changes) expect(change).toEqual({ absolute, percent: null });
      expect(notes).toContain(note);
    }
  });

  it("of a site that the list of sites lacks", async () => {
    const local = createLocalCall(
      async () => createWideSource([{ value: "/", visitors: DAY }], "2026-11-20"),
      () => NOW,
    );
    const call: Call = async (operation, params, options) => {
      const result = await local(operation, params, options);
      return operation.name === "sites" ? ({ ...result, sites: [] } as never) : result;
    };
    const { views, comparable } = await ask(call);
    expect(comparable).toBe(false);
    expect(formatNotes(listNotes(views), "models")).toContain(
      "There is no data of 2026-11-19: the site's data begins on 2026-11-20, so there is nothing to compare.",
    );
  });
});

describe("days without data", () => {
  const DAY = 86_400_000;
  let place: LogPlace;
  beforeEach(() => {
    place = createLogPlace();
  });
  afterEach(() => place.remove());

  /** So many visitors on each of the days from so many days ago until so many days ago. */
  const visits = (from: number, to: number, visitors: number) =>
    Array.from({ length: from - to + 1 }, (_, index) =>
      Array.from({ length: visitors }, (_, visitor) =>
        combinedLine({ at: NOON - (from - index) * DAY, address: `198.51.${index}.${visitor}`, path: "/" }),
      ),
    ).flat();

  async function ask(name: "compare" | "overview", lines: readonly string[], period: string) {
    place.write("access.log", lines);
    const call = createLocalCall(
      () => place.open(),
      () => place.clock.now,
    );
    const params = { site: "example.com", days: 7, period };
    const { result, views, ...said } = await findQuery(name).ask(call, params, {});
    return { result: result as never, notes: formatNotes(listNotes(views), "people"), views, ...said };
  }

  // Today is the 21st of November: data since the 24th of September, which has 7 days with data.
  it("a log that began in the earlier month is compared by averages of its days with data", async () => {
    const lines = visits(58, 0, 4);
    const compared = await ask("compare", lines, "2026-10");
    const averages = { visitors: { current: 4, previous: 4, change: 0, percent: null } };
    expect(compared.result).toMatchObject({
      current: { days: 31, visitors: 124 },
      previous: { days: 30, days_with_data: 7, visitors: 28 },
      change: { visitors: { absolute: null, percent: null } },
      per_day: averages,
      dimensions: [{ dimension: "pages", movers: [] }, {}, {}],
    });
    expect(compared.notes.join("\n")).toContain(
      "The earlier period has data on 7 of its 30 days: changes are of averages per day with data, without a percentage.",
    );
    const { result } = await ask("overview", lines, "2026-10");
    expect(result).toMatchObject({
      comparison: {
        previous: { days_with_data: 7 },
        visitors: { absolute: null, percent: null },
        per_day: averages,
      },
    });
  });

  it("a gap is left out of the averages, which then have a percentage", async () => {
    const lines = [...visits(20, 12, 2), ...visits(9, 0, 4)];
    const { result, notes } = await ask("compare", lines, "last_7_days");
    expect(result).toMatchObject({
      previous: { days: 7, days_with_data: 5 },
      change: { visitors: { absolute: null, percent: null } },
      per_day: { visitors: { current: 4, previous: 2.8, change: 1.2, percent: 42.9 } },
    });
    expect(notes.join("\n")).toMatch(
      /has no line of 2 days .* The earlier period has data on 5 of its 7 days: changes are of averages per day with data\./,
    );
  });

  it("gaps in both periods are said in one sentence", async () => {
    const { notes } = await ask(
      "compare",
      [...visits(20, 12, 2), ...visits(9, 5, 4), ...visits(2, 0, 4)],
      "last_7_days",
    );
    expect(notes.join("\n")).toMatch(
      / The earlier period has data on \d of its 7 days, the later on \d of its 7 days: /,
    );
  });

  it("nothing is compared with days before the data, and their sums are no zeros", async () => {
    const { result, notes, views, empty } = await ask("compare", visits(20, 0, 4), "2026-10");
    expect(result).toMatchObject({
      current: { days_with_data: 0, visitors: null, pageviews: null, visits: null, bounce_rate: null },
      previous: { days_with_data: 0, visitors: null, pageviews: null, visits: null, bounce_rate: null },
      change: { visitors: { absolute: null } },
      dimensions: [{ movers: [] }, { movers: [] }, { movers: [] }],
    });
    expect(result).not.toHaveProperty("per_day");
    expect(views.slice(1).flatMap(({ rows }) => rows)).toEqual([]);
    expect(views[0]?.rows.map(({ previous }) => previous)).toEqual(Array(6).fill(null));
    expect([empty, notes]).toEqual(["example.com has no data before 2026-11-01.", []]);
    const begun = await ask("compare", visits(20, 0, 4), "last_20_days");
    const drawn = drawComparison(begun.result, createFormat("en-US")).map(printMarkup).join("");
    expect(drawn.match(/(?<=<span class="number"><bdi>)[^<]*/g)?.slice(0, 2)).toEqual(["80", "80"]);
    expect(begun).toMatchObject({
      notes: [],
      empty: "example.com has no data before 2026-11-01, so there is nothing to compare.",
      instead: { name: "The last 7 days with the 7 before", period: "last_7_days" },
    });
  });

  it("days in a gap have no totals, whatever the days before had", async () => {
    const lines = [...visits(20, 12, 2), ...visits(4, 0, 2)];
    const { result, views, empty } = await ask("overview", lines, "2026-11-11/2026-11-13");
    expect(empty).toBe("example.com has no data of 2026-11-11 to 2026-11-13.");
    expect(result).toMatchObject({ visitors: null, pageviews: null, visits: null });
    expect(views[0]?.headline).toMatch(/\(no data, UTC\)/);
    expect(views[0]?.rows.map(({ current }) => current)).toEqual(Array(6).fill(null));
  });
});
