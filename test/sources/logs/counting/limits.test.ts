import { describe, expect, it } from "vitest";
import type { Dimension } from "../../../../src/operations/dimensions.ts";
import { append, createColumn } from "../../../../src/sources/logs/counting/columns.ts";
import {
  createLimitedValues,
  type LimitedValues,
  limitText,
  MAX_VALUES,
} from "../../../../src/sources/logs/counting/limits.ts";
import { OTHER } from "../../../../src/sources/measure/definition.ts";
import {
  combined,
  createLogFolder,
  joinLines,
  LOG_NOW,
  openTestLogs,
  type Request,
} from "../../../support/logs.ts";
import { createLogPlace, readAll } from "../log-place.ts";
import { readDayParts } from "../store/history-files.ts";

type Limited = Parameters<LimitedValues["limit"]>[0];

/** The values of a day with a sender in each of some networks. */
function createDay() {
  const numbers = createColumn();
  for (let sender = 0; sender < 120_000; sender++) append(numbers, sender);
  const [requests, seen] = [createColumn(), createColumn()];
  const spenders = { senders: { addresses: numbers, requests }, networkOf: numbers, seen };
  const values = createLimitedValues(spenders);
  const add = (dimension: Limited, value: string | null, network: number) => {
    const limited = values.limit(dimension, value, network);
    values.add(dimension, limited, network);
    return limited;
  };
  /** The bytes of values of 482 characters that a network can add. */
  const fill = (dimension: Limited, network: number, attempts = 3_000) => {
    const before = values.of(dimension).size;
    for (let at = 0; at < attempts; at++)
      add(dimension, `${before}/${at}/${network}/`.padEnd(SIZE - OVERHEAD, "x"), network);
    return SIZE * (values.of(dimension).size - before);
  };
  return { ...values, spenders, add, fill };
}

/** Of a value, with what it takes beside its text: quotation marks, and its place in lists and maps. */
const SIZE = 500;
const OVERHEAD = 20;
/** The share of pages, and that of referrers: twelve and three parts of 44. */
const PAGES = (12 * 2 ** 21) / 44;
const REFERRERS = (3 * 2 ** 21) / 44;

describe("the values of a day", () => {
  it("are at most 100,000 in a dimension, whoever adds them, and the last quarter of two networks each", () => {
    const { add, addRequest, of } = createDay();
    for (let request = 0; request < 2_000_000; request++) addRequest();
    const kept = (number: number, network: number) => add("pages", `/${number}`, network) === `/${number}`;
    let count = 0;
    for (let number = 0; number < 110_000; number++) if (kept(number, number)) count++;
    expect(count).toBe((MAX_VALUES * 3) / 4 + 1);
    for (let number = 80_000; number < 118_000; number++)
      for (const network of [number, number + 1]) kept(number, network);
    for (let number = 110_000; number < 115_000; number++)
      for (const network of [number + 3, number + 4]) kept(-number, network);
    expect(of("pages").size - 1).toBeGreaterThan(MAX_VALUES - 10);
    expect(of("pages").size - 1).toBeLessThanOrEqual(MAX_VALUES);
    // What is known stays known, for everyone, and other dimensions have their own.
    expect(add("pages", "/7", 5_000)).toBe("/7");
    expect(add("pages", "/new", 5_000)).toBe(OTHER);
    expect(add("referrers", "/new", 5_000)).toBe("/new");
    expect(add("referrers", null, 5_000)).toBe(null);
  });

  it("take at most a fifth of a dimension's share from one network, and leave the shares of others alone", () => {
    const { fill, add } = createDay();
    expect(fill("pages", 1) / PAGES).toBeCloseTo(1 / 5, 2);
    expect(add("pages", "/new", 1)).toBe(OTHER);
    expect(add("pages", "/new", 2)).toBe("/new");
    // Now it is known.
    expect(add("pages", "/new", 1)).toBe("/new");
    expect(fill("referrers", 1) / REFERRERS).toBeCloseTo(1 / 5, 1);
  });

  it.each([
    [4, 1 / 2],
    [12, 1 / 4],
  ])("leave those who come later what %d greedy networks cannot take, %d of a share", (count, left) => {
    const { fill } = createDay();
    let used = 0;
    // They take turns.
    for (let turn = 0; turn < 300; turn++)
      for (let network = 1; network <= count; network++) used += fill("pages", network, 2);
    expect(used / PAGES).toBeCloseTo(1 - left, 1);
  });

  it("must come from two networks when a quarter of the share is left", () => {
    const { fill, add } = createDay();
    for (let network = 1; network <= 500; network++) fill("pages", network, 5);
    expect(add("pages", "/new", 1_001)).toBe(OTHER);
    expect(add("pages", "/new", 1_001)).toBe(OTHER);
    expect(add("pages", "/new", 1_002)).toBe("/new");
    expect(add("pages", "/new", 1_001)).toBe("/new");
    expect(add("pages", "/other", 1_002)).toBe(OTHER);
    expect(add("referrers", "new.example", 1_001)).toBe("new.example");
  });

  it("have 10 bytes for each request if that is more", () => {
    const { fill, addRequest } = createDay();
    fill("pages", 1);
    for (let request = 0; request < 1_000_000; request++) addRequest();
    expect(fill("pages", 2) / 1_000_000).toBeGreaterThan(0.5);
  });

  it("take as much as their JSON: a control character is six bytes", () => {
    const { add } = createDay();
    const count = (text: string) =>
      Array.from({ length: 3_000 }, (_, at) => add("pages", text.repeat(80) + at, text.length)).filter(
        (value) => value !== OTHER,
      ).length;
    const [controls, letters] = [count("\u0001"), count("ab")];
    expect(letters / controls).toBeGreaterThan(2);
  });

  it("have 500 characters, and no half of one", () => {
    expect(limitText("x".repeat(501))).toHaveLength(500);
    expect(limitText(`${"x".repeat(499)}😀`)).toBe(`${"x".repeat(499)}\uFFFD`);
  });
});

/** The rows of a dimension: the folded one, and how many others there are. */
async function ask(lines: readonly Request[], dimension: Dimension) {
  const { path } = createLogFolder({ "access.log": joinLines(...lines.map(combined)) });
  const logs = openTestLogs({ logs: [path("access.log")], acceptProxyAddresses: true });
  const site = await logs.findSite();
  const span = { site, from: "2026-11-21", to: "2026-11-21", now: LOG_NOW };
  const { rows, totalRows } = await logs.source.breakdown(span, dimension, 200_000);
  return {
    folded: rows.filter(({ other }) => other === true),
    values: rows.filter(({ other }) => other !== true).map(({ value }) => value ?? ""),
    totalRows,
    logs,
  };
}

const UTM = ["source", "medium", "campaign", "term", "content"];
const LONG = "0123456789abcdef/".repeat(64);
const FLOOD = 2_500;
const makeFlood = (describe: (number: number) => Request, length = FLOOD) =>
  Array.from({ length }, (_, number) => ({ at: LOG_NOW - 3_600_000 + number, ...describe(number) }));

describe("a flood by one sender", () => {
  /** Four times what is kept of one. */
  const COUNT = 1_000;

  it("folds pages beyond a fifth of their share, counts all of them, and takes none from others", async () => {
    const flood = makeFlood((number) => ({ target: `/${number}/${LONG}` }), COUNT);
    const seen = { target: "/seen", referrer: "https://news.example/", at: LOG_NOW - 60_000 };
    const others = ["198.51.100.2", "198.51.100.3", "192.0.2.1"].map((address) => ({ ...seen, address }));
    const { folded, values, totalRows, logs } = await ask([...flood, ...others], "pages");
    expect(folded).toMatchObject([{ visitors: 1, hits: COUNT - values.length + 1 }]);
    expect(values.length).toBeGreaterThan(200);
    expect(values.length).toBeLessThan(240);
    expect(totalRows).toBe(values.length + 1);
    for (const value of values) expect(value.length).toBeLessThanOrEqual(500);
    expect(await logs.count()).toEqual({ visitors: 3, pageviews: COUNT + 3, events: 0 });
    const find = async (dimension: Dimension, value: string) =>
      (await logs.rows(dimension)).find(([found]) => found === value);
    expect(await find("pages", "/seen")).toEqual(["/seen", 3, 3]);
    expect(await find("referrers", "news.example")).toEqual(["news.example", 3, 3]);
  });

  it.each<[string, (number: number) => Request]>([
    ["referrers", (number) => ({ referrer: `https://h${number}.example/${LONG}` })],
    ["utm values", (number) => ({ target: `/?utm_source=${number}-${LONG}&utm_term=t${number}-${LONG}` })],
    ["paths", (number) => ({ target: `/${number}/${LONG}` })],
    ["dead links", (number) => ({ target: `/${number}/${LONG}`, status: 404 })],
    [
      "pages with the same broken link",
      (number) => ({ status: 404, referrer: `https://example.com/${number}/${LONG}` }),
    ],
    [
      "combinations of few values",
      (number) => ({
        target: `/?${UTM.map((name, at) => `utm_${name}=${name}${Math.floor(number / 7 ** at) % 7}`).join("&")}`,
      }),
    ],
  ])("keeps no more than a fifth of the share on disk: %s", async (_, make) => {
    const place = createLogPlace();
    place.clock.now = LOG_NOW;
    place.write("access.log", [
      combined({ address: "198.51.100.7" }),
      ...makeFlood(make, COUNT).map(combined),
    ]);
    const source = await place.open({ acceptProxyAddresses: true });
    const found = await readAll(source, "2026-11-21", "2026-11-21", LOG_NOW);
    const parts = readDayParts(place.history(), "2026-11-21");
    const bytes = parts.reduce(
      (sum, { pages, origins, notFound }) => sum + JSON.stringify([pages, origins, notFound]).length,
      0,
    );
    expect(bytes).toBeGreaterThan(10_000);
    expect(bytes).toBeLessThan(160_000);
    const { totalRequests = 0, excluded = { scanners: 0 } } = found.notFound ?? {};
    expect((found.days[0]?.pageviews ?? 0) + totalRequests + excluded.scanners).toBe(COUNT + 1);
    place.remove();
  });
});

it("the same is kept when processes end in the middle of a flood, also of what came when little was left", async () => {
  const place = createLogPlace();
  place.clock.now = LOG_NOW;
  const lines = makeFlood((number) => {
    const text = `${number % 1_700}/${LONG}`;
    return {
      address: `10.${number % 7}.${number % 193}.1`,
      target: `/${text}?utm_source=${text}&utm_term=${number % 77}`,
      referrer: `https://h${number % 1_700}.example/`,
      ...(number % 3 === 0 && { status: 404, referrer: `https://example.com/${text}` }),
    };
  }).map(combined);
  const askAll = async (withHistory: boolean) => {
    const source = await place.open({ acceptProxyAddresses: true }, withHistory);
    return readAll(source, "2026-11-21", "2026-11-21", place.clock.now);
  };
  for (const part of [0, 1, 2, 3, 4]) {
    place.append("access.log", lines.slice(500 * part, 500 * (part + 1)));
    const found = await askAll(true);
    if (part !== 4) continue;
    expect(found).toEqual(await askAll(false));
    for (const dimension of ["pages", "utm_sources"])
      expect(JSON.stringify(found.rankings[dimension])).toContain(OTHER);
  }
  const columns = readDayParts(place.history(), "2026-11-21").map(({ columns }) => columns["seen.row"]);
  expect(columns.filter((rows) => rows !== undefined && rows.length > 0).length).toBeGreaterThan(1);
  place.remove();
});

describe("a flood by many senders", () => {
  const makeLines = (flood: number) =>
    makeFlood((number) => ({
      address: `10.${number % 250}.${Math.floor(number / 250)}.1`,
      target: `/${number}/${LONG}?utm_source=${number}-${LONG}&utm_term=${number}-${LONG}`,
      referrer: `https://h${number}.example/${LONG}`,
      agent: `Mozilla/5.0 (X11; Linux x86_64; rv:${number}.0) Gecko/20100101 Firefox/${number}.0 ${LONG}`,
    })).slice(0, flood);

  it("keeps three quarters of a share of what is seen once, counts every line, and says so", async () => {
    const { folded, values, logs } = await ask(makeLines(FLOOD), "pages");
    expect(folded).toMatchObject([{ hits: FLOOD - values.length }]);
    expect(values.length).toBeGreaterThan(800);
    expect(values.length).toBeLessThan(900);
    expect(await logs.count()).toEqual({ visitors: FLOOD, pageviews: FLOOD, events: 0 });
    expect(await logs.warnings()).toContain("folded");
  });

  it("are one visitor from the 10,000th user agent of an address on, also after a restart", async () => {
    const place = createLogPlace();
    place.clock.now = LOG_NOW;
    const lines = Array.from({ length: 10_200 }, (_, number) =>
      combined({
        at: LOG_NOW - 3_600_000 + 100 * number,
        address: number % 102 === 0 ? "192.0.2.2" : "192.0.2.1",
        agent: `Mozilla/5.0 (X11; Linux x86_64; rv:${number}.0) Gecko/20100101 Firefox/${number}.0`,
      }),
    );
    const count = async () => {
      const source = await place.open({ acceptProxyAddresses: true });
      const found = await readAll(source, "2026-11-21", "2026-11-21", place.clock.now);
      return { visitors: found.days[0]?.visitors, browsers: found.rankings.browsers };
    };
    place.append("access.log", lines.slice(0, 10_000));
    expect(await count()).toMatchObject({ visitors: 10_000, browsers: { totalRows: 1 } });
    for (const end of [10_150, 10_200]) {
      place.append("access.log", lines.slice(end === 10_150 ? 10_000 : 10_150, end));
      const firefox = { value: "Firefox", visitors: 10_100 };
      const others = { value: null, label: OTHER, other: true, visitors: 1, hits: end - 10_100 };
      expect(await count()).toMatchObject({ visitors: 10_101, browsers: { rows: [firefox, others] } });
    }
    place.remove();
  });
});
