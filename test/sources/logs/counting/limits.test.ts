import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Dimension } from "../../../../src/operations/dimensions.ts";
import { createColumn } from "../../../../src/sources/logs/counting/columns.ts";
import {
  createLimitedValues,
  limitText,
  MAX_VALUES,
  OTHER,
} from "../../../../src/sources/logs/counting/limits.ts";
import {
  combined,
  createLogFolder,
  joinLines,
  LOG_NOW,
  openTestLogs,
  type Request,
} from "../../../support/logs.ts";
import { createLogPlace, readAll } from "../log-place.ts";

const MAX_OF_SENDER = 2_000;

describe("the values of a day", () => {
  it("are at most 100,000 in a dimension, whoever adds them", () => {
    const values = createLimitedValues(createColumn());
    let folded = 0;
    for (let number = 0; number < MAX_VALUES + 500; number++) {
      const value = values.limit("pages", `/${number}`, Math.floor(number / 1_000));
      if (value === OTHER) folded++;
      else expect(value).toBe(`/${number}`);
    }
    expect(folded).toBe(500);
    // What is known stays known, for everyone, and other dimensions have their own.
    expect(values.limit("pages", "/7", 5_000)).toBe("/7");
    expect(values.limit("pages", "/new", 5_000)).toBe(OTHER);
    expect(values.limit("referrers", "/new", 5_000)).toBe("/new");
    expect(values.limit("referrers", null, 5_000)).toBe(null);
  });

  it("are at most 2,000 new ones of one sender, in all dimensions together", () => {
    const values = createLimitedValues(createColumn());
    for (let number = 0; number < MAX_OF_SENDER / 2; number++) {
      expect(values.limit("pages", `/${number}`, 1)).toBe(`/${number}`);
      expect(values.limit("utm_terms", `${number}`, 1)).toBe(`${number}`);
    }
    expect(values.limit("pages", "/more", 1)).toBe(OTHER);
    expect(values.limit("utm_sources", "more", 1)).toBe(OTHER);
    expect(values.limit("pages", "/9", 1)).toBe("/9");
    expect(values.limit("pages", "/more", 2)).toBe("/more");
    // Now it is known.
    expect(values.limit("pages", "/more", 1)).toBe("/more");
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
      makeFlood((number) => ({ target: `/${number}/${LONG}` })),
      "pages",
    );
    // Its browser, system and host are values as well, and so is where it comes from.
    const added = MAX_OF_SENDER - 4;
    const hits = FLOOD - added;
    expect(folded).toEqual([{ value: null, label: OTHER, other: true, visitors: 1, hits }]);
    expect(values).toHaveLength(added);
    expect(totalRows).toBe(added + 1);
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
    const text = readFileSync(join(place.history(), "open", "2026-11-21.jsonl"), "utf8");
    const { pages, origins } = JSON.parse(text.split("\n")[0]?.slice(17) ?? "");
    const values = new Set([...pages, ...origins.flat()].filter((value) => value !== null));
    expect(values.size).toBeGreaterThan(900);
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
    const text = readFileSync(join(place.history(), "open", "2026-11-21.jsonl"), "utf8");
    const { origins } = JSON.parse(text.split("\n")[0]?.slice(17) ?? "");
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
  it("counts every line, with texts of 500 characters", async () => {
    const lines = makeFlood((number) => ({
      address: `10.${number % 250}.${Math.floor(number / 250)}.1`,
      target: `/${number}/${LONG}?utm_source=${number}-${LONG}&utm_term=${number}-${LONG}`,
      referrer: `https://h${number}.example/${LONG}`,
      agent: `Mozilla/5.0 (X11; Linux x86_64; rv:${number}.0) Gecko/20100101 Firefox/${number}.0 ${LONG}`,
    }));
    for (const dimension of ["pages", "utm_sources", "utm_terms"] as const) {
      const { folded, values, logs } = await ask(lines, dimension);
      expect(folded).toEqual([]);
      expect(values).toHaveLength(FLOOD);
      for (const value of values) expect(value.length).toBeLessThanOrEqual(500);
      expect(await logs.count()).toEqual({ visitors: FLOOD, pageviews: FLOOD, events: 0 });
    }
  });
});
