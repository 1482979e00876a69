import { describe, expect, it } from "vitest";
import { addDays } from "../../../src/operations/days.ts";
import type { Dimension } from "../../../src/operations/dimensions.ts";
import { parseFilter } from "../../../src/operations/filter.ts";
import { createCounts } from "../../../src/sources/demo/counts.ts";
import { readFixtures } from "../../../src/sources/demo/fixtures.ts";
import type { Visit } from "../../../src/sources/demo/visits.ts";
import { rankDays } from "../../support/rank-days.ts";

const { sources, places, technologies } = readFixtures();

function find<T>(all: Record<string, T>, key: string): T {
  const found = all[key];
  if (found === undefined) throw new Error(`The fixtures have no ${key}.`);
  return found;
}

const place = (country: string | null) => ({ ...find(places, "berlin"), country });

/** A visit by its hits: seconds after midnight, path and, for an event, its name. */
function visit(
  visitor: number,
  country: string | null,
  ...hits: [at: number, path: string, event?: string][]
): Visit {
  return {
    visitor,
    hostname: visitor === 1 ? "example.com" : "www.example.com",
    source: find(sources, "direct"),
    place: place(country),
    technology: find(technologies, "firefox-linux"),
    hits: hits.map(([at, path, event = null]) => ({ at, path, event })),
  };
}

const VISITS = [
  visit(1, "DE", [100, "/"], [160, "/pricing"], [190, "/pricing", "Signup"]),
  visit(1, "DE", [9_000, "/blog/a"]),
  visit(2, "AT", [200, "/pricing"], [260, "/blog/b"]),
  visit(3, null, [300, "/"], [330, "/", "Download"]),
];

const MOST_HITS = 30_000;
/** A day with more hits than are kept. */
const CROWDED = "2026-11-21";

let made = 0;
const count = createCounts((date) => {
  made++;
  if (date === CROWDED)
    return [visit(1, "DE", ...Array.from({ length: MOST_HITS }, (): [number, string] => [0, "/"]))];
  return date === "2026-11-20" ? VISITS : [];
}, MOST_HITS);
const totals = (filter: string[], until?: number, date = "2026-11-20") =>
  count(parseFilter(filter)).totals(date, until);
const rows = (dimension: Dimension, ...filter: string[]) =>
  Object.fromEntries(
    rankDays(count(parseFilter(filter)), ["2026-11-20"], dimension).map(({ value, ...row }) => [
      value,
      Object.values(row),
    ]),
  );

/** Visitors, page views, events, visits, bounces and the seconds of the visits. */
describe("the totals of a day are those of the kept hits and of their whole visits", () => {
  it.each([
    [[], [3, 6, 2, 4, 1, 180]],
    [["countries=DE"], [1, 3, 1, 2, 1, 90]],
    [["countries!=DE"], [2, 3, 1, 2, 0, 90]],
    [["countries="], [1, 1, 1, 1, 0, 30]],
    [["countries=|AT"], [2, 3, 1, 2, 0, 90]],
    // Conditions on hits: an event is on the page that was viewed last.
    [["pages=/pricing"], [2, 2, 1, 2, 0, 150]],
    [["pages!=/pricing"], [3, 4, 1, 4, 1, 180]],
    [["pages=/blog/*"], [2, 2, 0, 2, 1, 60]],
    [["events=Signup"], [1, 0, 1, 1, 0, 90]],
    [["events!=Signup"], [3, 6, 1, 4, 1, 180]],
    [["events="], [3, 6, 0, 4, 1, 180]],
    [["hostnames=www.*"], [2, 3, 1, 2, 0, 90]],
    // All conditions hold for the same hit.
    [
      ["pages=/pricing", "pages=/"],
      [0, 0, 0, 0, 0, 0],
    ],
    [
      ["pages=/pricing", "events=*"],
      [1, 0, 1, 1, 0, 90],
    ],
    // Of the whole visit, although other hits are kept.
    [
      ["entry_pages=/", "pages=/pricing"],
      [1, 1, 1, 1, 0, 90],
    ],
    [["visit:pages=/pricing"], [2, 4, 1, 2, 0, 150]],
    [
      ["visit:pages=/pricing", "pages=/blog/*"],
      [1, 1, 0, 1, 0, 60],
    ],
    [["visit:pages!=/pricing"], [2, 2, 1, 2, 1, 30]],
    [["visit:events=*"], [2, 3, 2, 2, 0, 120]],
    [["visit:events!=*"], [2, 3, 0, 2, 1, 60]],
    [["visit:events!="], [0, 0, 0, 0, 0, 0]],
    [["visit:hostnames=example.com"], [1, 3, 1, 2, 1, 90]],
  ])("%j", (filter, expected) => {
    const { visitors, pageviews, events, visits, bounces, visitSeconds } = totals(filter);
    expect([visitors, pageviews, events, visits, bounces, visitSeconds]).toEqual(expected);
  });

  it("as far as the day has gone: what comes later does not exist yet", () => {
    expect(totals(["exit_pages=/pricing"], 210)).toMatchObject({ visitors: 2, visits: 2, bounces: 1 });
    expect(totals(["exit_pages=/pricing"])).toMatchObject({ visitors: 1, visits: 1, bounces: 0 });
    expect(totals(["visit:events!=Signup"], 189)).toMatchObject({ visitors: 1, visitSeconds: 60 });
    expect(totals(["visit:events!=Signup"], 190).visitors).toBe(0);
  });
});

/** Visitors, page views or events, then visits, bounces and seconds, which pages and events do not have. */
describe("rows", () => {
  it("of pages and events are those of the kept hits", () => {
    expect(rows("pages", "countries=DE")).toEqual({
      "/": [1, 1],
      "/pricing": [1, 1],
      "/blog/a": [1, 1],
    });
    expect(rows("events", "pages=/pricing")).toEqual({ Signup: [1, 1] });
  });

  it("of all other dimensions are the visits with a kept hit", () => {
    expect(rows("countries", "pages=/pricing")).toEqual({ DE: [1, 1, 1, 0, 90], AT: [1, 1, 1, 0, 60] });
    expect(rows("entry_pages", "events=*")).toEqual({ "/": [2, 0, 2, 0, 120] });
    expect(rows("exit_pages", "visit:pages=/pricing")).toEqual({
      "/pricing": [1, 2, 1, 0, 90],
      "/blog/b": [1, 2, 1, 0, 60],
    });
  });
});

describe("the visitors in a window", () => {
  const active = (filter: string[], until: number) =>
    count(parseFilter(filter)).active("2026-11-20", until - 100, until);

  it("have a kept hit in it, of a visit that is judged by all of the day so far", () => {
    expect(active([], 260)).toBe(2);
    expect(active(["pages=/pricing"], 260)).toBe(2);
    expect(active(["entry_pages=/"], 260)).toBe(1);
    expect(active(["visit:events=Signup"], 260)).toBe(1);
    expect(active(["visit:events=Signup"], 185)).toBe(0);
  });
});

describe("the counts of a finished day", () => {
  it("are cached, for the last 32 filters", () => {
    const asked = (name: string) => {
      const before = made;
      totals([`pages=${name}`], undefined, CROWDED);
      return made - before;
    };
    expect([asked("/first"), asked("/first")]).toEqual([1, 0]);
    for (let index = 0; index < 32; index++) asked(`/${index}`);
    expect([asked("/31"), asked("/1"), asked("/first")]).toEqual([0, 0, 1]);
  });

  it("are cached for every dimension without a filter", () => {
    const ask = () => rankDays(count(), [CROWDED], "countries");
    ask();
    const before = made;
    ask();
    totals([], undefined, CROWDED);
    expect(made).toBe(before);
  });
});

describe("the visits of a day", () => {
  const asked = (date: string, until?: number) => {
    const before = made;
    count().active(date, 0, until ?? 0);
    return made - before;
  };

  it("are made once for questions that follow each other, also about a part of the day", () => {
    expect([asked("2026-10-01"), asked("2026-10-01"), asked("2026-10-01", 60)]).toEqual([1, 0, 0]);
  });

  it("are forgotten when there are too many, or on too many days: the earliest first", () => {
    const dates = Array.from({ length: 400 }, (_, day) => addDays("2025-01-01", day));
    for (const date of dates) asked(date);
    expect([asked("2026-02-04"), asked("2025-12-01"), asked("2025-01-01"), asked("2025-01-01")]).toEqual([
      0, 0, 1, 1,
    ]);
    expect([asked(CROWDED), asked(CROWDED), asked("2026-02-04")]).toEqual([1, 1, 1]);
  });
});
