import { describe, expect, it } from "vitest";
import type { Dimension } from "../../../../src/operations/dimensions.ts";
import { append, createColumn } from "../../../../src/sources/logs/counting/columns.ts";
import { createLimitedValues, limitText, MAX_VALUES } from "../../../../src/sources/logs/counting/limits.ts";
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

const MAX_OF_SENDER = 2_000;

/** The values of a day with some senders, by default each with an address of its own. */
function createDay(addressOf = (sender: number) => sender) {
  const list = (numberOf: (sender: number) => number) => {
    const column = createColumn();
    for (let sender = 0; sender < 6_000; sender++) append(column, numberOf(sender));
    return column;
  };
  const zero = () => 0;
  const columns = { addresses: list(addressOf), requests: list(zero), added: list(zero), bytes: list(zero) };
  const values = createLimitedValues(columns);
  const add = (dimension: Dimension, value: string | null, sender: number) => {
    const limited = values.limit(dimension, value, sender);
    values.add(dimension, limited, sender);
    return limited;
  };
  /** How many of some values with a text of so many characters are kept. */
  const countKept = (count: number, length: number, senderOf: (number: number) => number) =>
    Array.from({ length: count }, (_, number) =>
      add("pages", `${number}/${senderOf(number)}/`.padEnd(length, "x"), senderOf(number)),
    ).filter((value) => value !== OTHER).length;
  return { ...values, columns, add, countKept };
}

const MEGABYTE = 2 ** 20;
/** Of a value, beside its text: its quotation marks, and what it takes in lists and maps. */
const OVERHEAD = 20;

describe("the values of a day", () => {
  it("are at most 100,000 in a dimension, whoever adds them", () => {
    const { add, addRequest } = createDay();
    let folded = 0;
    for (let number = 0; number < MAX_VALUES + 500; number++) {
      for (let request = 0; request < 5; request++) addRequest();
      const value = add("pages", `/${number}`, Math.floor(number / 1_000));
      if (value === OTHER) folded++;
      else expect(value).toBe(`/${number}`);
    }
    expect(folded).toBe(500);
    // What is known stays known, for everyone, and other dimensions have their own.
    expect(add("pages", "/7", 5_000)).toBe("/7");
    expect(add("pages", "/new", 5_000)).toBe(OTHER);
    expect(add("referrers", "/new", 5_000)).toBe("/new");
    expect(add("referrers", null, 5_000)).toBe(null);
  });

  it("are at most 2,000 new ones of one sender, in all dimensions together", () => {
    const { add } = createDay();
    for (let number = 0; number < MAX_OF_SENDER / 2; number++) {
      expect(add("pages", `/${number}`, 1)).toBe(`/${number}`);
      expect(add("utm_terms", `${number}`, 1)).toBe(`${number}`);
    }
    expect(add("pages", "/more", 1)).toBe(OTHER);
    expect(add("utm_sources", "more", 1)).toBe(OTHER);
    expect(add("pages", "/9", 1)).toBe("/9");
    expect(add("pages", "/more", 2)).toBe("/more");
    // Now it is known.
    expect(add("pages", "/more", 1)).toBe("/more");
  });

  it("take at most 2 MB, and 10 bytes for each request if that is more", () => {
    const { countKept, addRequest } = createDay();
    const each = 480 + OVERHEAD;
    const kept = countKept(6_000, 480, (number) => number % 100);
    expect(kept).toBe(Math.ceil((2 * MEGABYTE) / each));
    for (let request = 0; request < 300_000; request++) addRequest();
    const more = countKept(6_000, 480, (number) => 100 + (number % 100));
    expect(kept + more).toBe(Math.ceil(3_000_000 / each));
  });

  it("take at most a quarter of it from one address, whatever its user agents", () => {
    const { countKept } = createDay((sender) => (sender < 1_000 ? 0 : 1));
    const most = Math.ceil((0.5 * MEGABYTE) / (480 + OVERHEAD));
    expect(countKept(3_000, 480, (number) => number % 1_000)).toBe(most);
    expect(countKept(3_000, 480, (number) => 1_000 + (number % 1_000))).toBe(most);
  });

  it("take as much as their JSON: a control character is six bytes, and others are up to three", () => {
    const { add, columns } = createDay();
    add("pages", "/\u0001", 1);
    add("pages", "/\u20ac", 2);
    expect([...columns.bytes.values.slice(0, 4)]).toEqual([0, 7 + OVERHEAD, 4 + OVERHEAD, 0]);
  });

  it("have the same limits in the next process", () => {
    const before = createDay((sender) => sender % 2);
    for (let request = 0; request < 300_000; request++) before.addRequest();
    const kept = before.countKept(6_000, 480, (number) => number);
    before.columns.requests.values[7] = 300_000;
    const values = createLimitedValues(before.columns);
    values.adopt();
    for (const { limit } of [before, values]) {
      expect(limit("pages", "/new", 2)).toBe(OTHER);
      expect(limit("pages", "/new", 3)).toBe(OTHER);
    }
    expect(kept).toBe(2 * Math.ceil(750_000 / (480 + OVERHEAD)));
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

const LONG = "0123456789abcdef/".repeat(64);
const FLOOD = 2_500;
const makeFlood = (describe: (number: number) => Request) =>
  Array.from({ length: FLOOD }, (_, number) => ({ at: LOG_NOW - 3_600_000 + number, ...describe(number) }));

describe("a flood by one sender", () => {
  it("folds the pages that come after its 2,000 values", async () => {
    const { folded, values, totalRows, logs } = await ask(
      makeFlood((number) => ({ target: `/${number}/${"x".repeat(200)}` })),
      "pages",
    );
    // Its browser, system and host are values as well, and so is where it comes from.
    const added = MAX_OF_SENDER - 4;
    const hits = FLOOD - added;
    expect(folded).toEqual([{ value: null, label: OTHER, other: true, visitors: 1, hits }]);
    expect(values).toHaveLength(added);
    expect(totalRows).toBe(added + 1);
    expect(await logs.count()).toEqual({ visitors: 1, pageviews: FLOOD, events: 0 });
  });

  it("folds pages of 500 characters from half a megabyte on", async () => {
    const { folded, values, logs } = await ask(
      makeFlood((number) => ({ target: `/${number}/${LONG}` })),
      "pages",
    );
    expect(folded).toMatchObject([{ visitors: 1, hits: FLOOD - values.length }]);
    expect(values.length).toBeGreaterThan(1_000);
    expect(values.length).toBeLessThan(1_010);
    for (const value of values) expect(value.length).toBeLessThanOrEqual(500);
    expect(await logs.count()).toEqual({ visitors: 1, pageviews: FLOOD, events: 0 });
  });

  it.each<[string, (number: number) => Request]>([
    ["referrers", (number) => ({ referrer: `https://h${number}.example/${LONG}` })],
    ["utm values", (number) => ({ target: `/?utm_source=${number}-${LONG}&utm_term=t${number}-${LONG}` })],
    ["paths", (number) => ({ target: `/${number}/${LONG}` })],
  ])("keeps no more on disk than 2,000 values of 500 characters: %s", async (_, make) => {
    const place = createLogPlace();
    place.clock.now = LOG_NOW;
    place.write("access.log", makeFlood(make).map(combined));
    await (await place.open()).sites();
    const parts = readDayParts(place.history(), "2026-11-21");
    const values = new Set(
      parts
        .flatMap(({ pages, origins }) => [...pages, ...Object.values(origins).flat()])
        .filter((value) => value !== null),
    );
    expect(values.size).toBeGreaterThan(700);
    expect(values.size).toBeLessThanOrEqual(MAX_OF_SENDER + 10);
    for (const value of values) expect(value.length).toBeLessThanOrEqual(500);
    place.remove();
  });

  it("keeps no more than 2,000 combinations of few values", async () => {
    const place = createLogPlace();
    place.clock.now = LOG_NOW;
    const names = ["source", "medium", "campaign", "term", "content"];
    const lines = makeFlood((number) => ({
      target: `/?${names.map((name, at) => `utm_${name}=${name}${Math.floor(number / 7 ** at) % 7}`).join("&")}`,
    }));
    place.write("access.log", lines.map(combined));
    const source = await place.open({ acceptProxyAddresses: true });
    const [site] = await source.sites();
    if (site === undefined) throw new Error("There is no site.");
    const origins = readDayParts(place.history(), "2026-11-21").flatMap((part) => part.origins.hostnames);
    expect(origins.length).toBeGreaterThan(1_900);
    expect(origins.length).toBeLessThanOrEqual(MAX_OF_SENDER);
    const span = { site, from: "2026-11-21", to: "2026-11-21", now: LOG_NOW };
    expect(await source.days(span)).toMatchObject([{ visitors: 1, pageviews: FLOOD }]);
    place.remove();
  });

  it("gives the same when processes end in the middle of it", async () => {
    const place = createLogPlace();
    place.clock.now = LOG_NOW;
    const lines = makeFlood((number) => ({
      address: `192.0.2.${number % 2}`,
      target: `/${number % 3_000}?utm_source=${number % 90}&utm_term=${number % 77}`,
      referrer: `https://h${number}.example/`,
    })).map(combined);
    lines.push(...lines.map((line) => line.replaceAll("192.0.2.", "198.51.100.")).reverse());
    const askAll = async (withHistory: boolean) => {
      const source = await place.open({ acceptProxyAddresses: true }, withHistory);
      return readAll(source, "2026-11-21", "2026-11-21", place.clock.now);
    };
    for (const part of [0, 1, 2, 3, 4]) {
      place.append("access.log", lines.slice(1_000 * part, 1_000 * (part + 1)));
      const found = await askAll(true);
      expect(found).toEqual(await askAll(false));
      if (part === 4) {
        const { rows } = await (await place.open({ acceptProxyAddresses: true })).breakdown(
          { site: found.site, from: "2026-11-21", to: "2026-11-21", now: LOG_NOW },
          "pages",
          10_000,
        );
        expect(rows.filter(({ other }) => other === true)).toHaveLength(1);
      }
    }
    place.remove();
  });

  it("takes no value from others", async () => {
    const news = "https://news.example/";
    const flood = makeFlood((number) => ({ target: `/${number}` }));
    const seen = { target: "/seen", referrer: news, at: LOG_NOW - 60_000 };
    const lines = [...flood, seen, { ...seen, address: "192.0.2.2" }, { ...seen, address: "192.0.2.3" }];
    const { rows } = (await ask(lines, "pages")).logs;
    const find = async (dimension: Dimension, value: string) =>
      (await rows(dimension)).find(([found]) => found === value);
    expect(await find("pages", "/seen")).toEqual(["/seen", 2, 2]);
    expect(await find("referrers", "news.example")).toEqual(["news.example", 2, 2]);
  });
});

describe("a flood by many senders", () => {
  const makeLines = (flood: number) =>
    makeFlood((number) => ({
      address: `10.${number % 250}.${Math.floor(number / 250)}.1`,
      target: `/${number}/${LONG}?utm_source=${number}-${LONG}&utm_term=${number}-${LONG}`,
      referrer: `https://h${number}.example/${LONG}`,
      agent: `Mozilla/5.0 (X11; Linux x86_64; rv:${number}.0) Gecko/20100101 Firefox/${number}.0 ${LONG}`,
    })).slice(0, flood);

  it("counts every line, with texts of 500 characters", async () => {
    const lines = makeLines(1_600);
    for (const dimension of ["pages", "utm_sources", "utm_terms"] as const) {
      const { folded, values, logs } = await ask(lines, dimension);
      expect(folded).toEqual([]);
      expect(values).toHaveLength(lines.length);
      for (const value of values) expect(value.length).toBeLessThanOrEqual(500);
      expect(await logs.count()).toEqual({ visitors: lines.length, pageviews: lines.length, events: 0 });
    }
  });

  it("folds what comes after two megabytes, and says so", async () => {
    const lines = makeLines(FLOOD);
    for (const dimension of ["pages", "utm_sources", "utm_terms"] as const) {
      const { folded, values, logs } = await ask(lines, dimension);
      expect(folded).toMatchObject([{ hits: FLOOD - values.length }]);
      expect(values.length).toBeGreaterThan(1_600);
      expect(values.length).toBeLessThan(1_800);
      expect(await logs.count()).toEqual({ visitors: FLOOD, pageviews: FLOOD, events: 0 });
      expect(await logs.warnings()).toContain("folded");
    }
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
