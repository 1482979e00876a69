import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Dimension, dimensions } from "../../../src/operations/dimensions.ts";
import { formatFilter, parseFilter } from "../../../src/operations/filter.ts";
import { createClickHouseViews } from "../../../src/sources/clickhouse/clickhouse-source.ts";
import { connect } from "../../../src/sources/clickhouse/connection.ts";
import { createMappedLayout } from "../../../src/sources/clickhouse/mapped-queries.ts";
import { readMapping } from "../../../src/sources/clickhouse/mapping.ts";
import { schemas } from "../../../src/sources/clickhouse/schemas.ts";
import { createTableReader } from "../../../src/sources/clickhouse/table-reader.ts";
import type { DataSource } from "../../../src/sources/data-source.ts";
import { columnsOf } from "../../../src/sources/hits.ts";
import { CONTRACT_RULE, LOG_RULE, OTHER, type VisitRule } from "../../../src/sources/measure/definition.ts";
import type { SourceFlags } from "../../../src/sources/source-types.ts";
import { exportLines, hasChdb, load, openHits, type SqlServer, startChdb } from "../../support/clickhouse.ts";
import { countKept, expectKept, type MadeRule } from "../../support/kept-hits.ts";
import { combined, createLogFolder, joinLines, LOG_NOW, openTestLogs } from "../../support/logs.ts";
import { FILTERED_DAYS, type MadeHit, makeFilters, makeHits, writeRows } from "../../support/made-hits.ts";
import { pick, SEED } from "../../support/seed.ts";

const SITE = "example.com";
const [, TO] = FILTERED_DAYS;

/** What a mapped table's columns are called; `country` may be NULL, and the codes of languages are short. */
const MAPPED: Partial<Record<Dimension, string>> = {
  pages: "url",
  countries: "land",
  channels: "ch",
  cities: "town",
  browsers: "br",
  hostnames: "vhost",
};

/** The rules of services, by which a bounce is one in words of its own. */
const RULES: readonly MadeRule[] = [
  { ...LOG_RULE, isBounce: ({ hits }) => hits === 1 },
  { ...CONTRACT_RULE, isBounce: ({ hits }) => hits === 1 },
  { hits: "all", needsView: false, isBounce: ({ views }) => views === 1 },
  { hits: "all", needsView: true, isBounce: ({ views, seconds }) => views === 1 && seconds < 10 },
];

describe.skipIf(!hasChdb)("filters of a table in ClickHouse give what a naive count gives", () => {
  const hits = makeHits();
  const views = listMappedViews(hits);
  const withoutPages = [...views, ...hits.filter(({ kind }) => kind === "event"), ...listFurther(hits)];
  let server: Awaited<ReturnType<typeof startChdb>>;
  let table: DataSource;
  let mapped: DataSource;
  const withEvents: DataSource[] = [];

  beforeAll(async () => {
    server = await startChdb();
    await load(server, writeRows(hits, SITE));
    await server.run(`CREATE TABLE views (ts Nullable(DateTime64(3)), who UInt64, n UInt32, url String, kind String,
      name String, land Nullable(String), ch LowCardinality(String), town String, br LowCardinality(Nullable(String)),
      vhost String)
      ENGINE = MergeTree ORDER BY who`);
    await server.run("INSERT INTO views FORMAT JSONEachRow", withoutPages.map(writeMappedRow).join("\n"));
    const clock = { now: LOG_NOW };
    table = await openHits(server, clock);
    const flags = {
      table: "views",
      site: SITE,
      timezone: "UTC",
      map: [
        ...["time=ts", "visitor=who", "sequence=n"],
        ...Object.entries(MAPPED).map(([dimension, name]) => `${columnsOf[dimension as Dimension]}=${name}`),
      ],
      where: ["kind=view"],
    };
    mapped = await openHits(server, clock, flags);
    const { rybbit, posthog } = schemas;
    for (const rule of [LOG_RULE, CONTRACT_RULE, rybbit.events?.rule, posthog.events?.rule])
      if (rule !== undefined) withEvents.push(openWithEvents(server, flags, rule));
  });
  afterAll(() => server?.stop());

  const siteOf = async (source: DataSource) => {
    const [site] = await source.sites();
    if (site === undefined) throw new Error("There is no site.");
    return site;
  };
  const recordedBy = async (source: DataSource) => (await source.dimensions?.(await siteOf(source))) ?? [];

  it("of hits", async () => {
    expect(table.filters).toBe(true);
    let seen = 0;
    for (const [index, filter] of pick(makeFilters(dimensions, 12), 6).entries()) {
      const kept = countKept(hits, filter, OTHER);
      seen += kept.days.filter(({ visitors }) => visitors > 0).length;
      const asked = index % 2 === 0 ? (["pages", "exit_pages"] as const) : (["events", "countries"] as const);
      await expectKept(table, SITE, filter, { kept, asked });
    }
    expect(seen).toBeGreaterThan(6);
  });

  it("of page views in columns of its own", async () => {
    expect(mapped.filters).toBe("any-values");
    const recorded = dimensions.filter((dimension) =>
      [...Object.keys(MAPPED), "entry_pages", "exit_pages"].includes(dimension),
    );
    expect(await recordedBy(mapped)).toEqual(recorded);
    let seen = 0;
    for (const [index, filter] of pick(makeFilters(recorded, 8), 4).entries()) {
      const kept = countKept(views, filter);
      seen += kept.days.filter(({ visitors }) => visitors > 0).length;
      const asked =
        index % 2 === 0 ? (["pages", "countries"] as const) : (["exit_pages", "browsers"] as const);
      await expectKept(mapped, SITE, filter, { kept, asked });
    }
    expect(seen).toBeGreaterThan(2);
  });

  it("of page views in columns of its own, with events by the rules of services", async () => {
    for (const [index, { isBounce, ...rule }] of RULES.entries()) {
      const source = withEvents[index] as DataSource;
      const recorded = [...(await recordedBy(source))];
      expect(recorded).toContain("events");
      for (const filter of [[], ...pick(makeFilters(recorded, 8), 1)]) {
        const kept = countKept(withoutPages, filter, undefined, { ...rule, isBounce });
        const asked = ["pages", "events", "countries", "entry_pages"] as const;
        await expectKept(source, SITE, filter, { kept, asked });
      }
    }
  });

  it("and without a filter, or with one that excludes nothing, everything is counted", async () => {
    for (const [source, made] of [
      [table, hits],
      [mapped, views],
    ] as const) {
      const everything = countKept(made, []);
      expect(
        everything.days.every(({ visits, bounces, visitSeconds }) => visits > bounces && visitSeconds > 0),
      ).toBe(true);
      const recorded = await recordedBy(source);
      await expectKept(source, SITE, [], { kept: everything, asked: recorded });
      for (const text of ["events=*|", "visit:pages=*|", "visit:events!=nothing"])
        await expectKept(source, SITE, parseFilter([text]), {
          kept: everything,
          asked: recorded.slice(0, 1),
        });
    }
  });

  it("and the days are named of which an export put values together that they may keep", async () => {
    const [from, to] = FILTERED_DAYS;
    const namedBy = async (source: DataSource, text: string) => {
      const filter = parseFilter([text]);
      const warnings = await source.warnings?.({
        site: await siteOf(source),
        from,
        to,
        now: LOG_NOW,
        filter,
      });
      return warnings?.find(({ code }) => code === "folded_filter")?.values;
    };
    for (const [text, column] of [
      ["pages!=/", "path"],
      ["exit_pages=/", "path"],
      ["countries=DE", "country"],
    ] as const) {
      const folded = hits.filter((hit) => hit.kind === "pageview" && hit[column] === OTHER);
      const dates = [...new Set(folded.map(({ day }) => day))].toSorted();
      expect(dates.length).toBeGreaterThan(0);
      expect(await namedBy(table, text)).toEqual({ days: dates.length, from: dates[0], to: dates.at(-1) });
      expect(await namedBy(mapped, text.replace("DE", "Germany"))).toBeUndefined();
    }
    expect(await namedBy(table, "events=*")).toBeUndefined();
  });

  it("and the visits that took steps are those that a naive count finds", async () => {
    const asked = [
      ["pages=/", "pages=/a%b"],
      ["pages=/*", "pages=/*", "pages=/*"],
      ["pages=/*", "events=*"],
      ["events=it's", "pages=/*"],
      ["events=*", "events=*", "pages=/*"],
    ].map((steps) => steps.flatMap((step) => parseFilter([step])));
    const filters = [[], parseFilter(["visit:pages!=/", "channels=*"])];
    let seen = 0;
    for (const [source, made, folded] of [
      [table, hits, OTHER],
      [mapped, views, undefined],
      [withEvents[0] as DataSource, withoutPages, undefined],
    ] as const) {
      const site = await siteOf(source);
      const [from, to] = FILTERED_DAYS;
      for (const [index, steps] of asked.entries()) {
        if (source === mapped && steps.some(({ dimension }) => dimension === "events")) continue;
        const filter = filters[index % 2] ?? [];
        const expected = countKept(made, filter, folded).steps(steps);
        const span = { site, from, to, now: LOG_NOW, filter };
        expect([formatFilter(steps), await source.steps?.(span, steps)]).toEqual([
          formatFilter(steps),
          expected,
        ]);
        seen += expected.reached.at(-1) ?? 0;
      }
    }
    expect(seen).toBeGreaterThan(50);
  });

  it.each(["08:00:30", "08:05:20"])(
    "and who is on the site at %s is limited to what it keeps",
    async (at) => {
      const now = Date.parse(`${TO}T${at}Z`);
      for (const [source, made] of [
        [table, hits],
        [mapped, views],
      ] as const) {
        const site = await siteOf(source);
        const known = made.filter(({ day, time }) => day === TO && time <= now / 1000);
        const recent = known.filter(({ time }) => time > now / 1000 - 300);
        const count = (some: readonly MadeHit[]) => new Set(some.map(({ visitor }) => visitor)).size;
        const isHome = ({ kind, path }: MadeHit) => kind === "pageview" && path === "/";
        const isOther = ({ kind, path }: MadeHit) => kind === "event" || (path !== "/" && path !== OTHER);
        // Nobody has had time for a second visit.
        const sawHome = new Set(known.filter(isHome).map(({ visitor }) => visitor));
        const ask = (text: string) => source.active(site, now, undefined, parseFilter([text]));
        expect(count(recent)).toBeGreaterThan(1);
        expect(await source.active(site, now)).toBe(count(recent));
        expect(await ask("pages=/")).toBe(count(recent.filter(isHome)));
        expect(await ask("visit:pages=/")).toBe(count(recent.filter(({ visitor }) => sawHome.has(visitor))));
        if (source === table) expect(await ask("pages!=/")).toBe(count(recent.filter(isOther)));
        else
          expect(await ask("visit:pages!=/")).toBe(
            count(recent.filter(({ visitor }) => !sawHome.has(visitor))),
          );
      }
    },
  );
});

/** What is no page view: something else after the hits of some visitors, and visitors with nothing else, or with events alone. */
function listFurther(hits: readonly MadeHit[]): MadeHit[] {
  const last = new Map(hits.map((hit) => [hit.visitor, hit]));
  return [...last.values()].flatMap((hit, index) => {
    const { day, visit } = hit;
    const further = { day, visit, sequence: 900, path: "" };
    const at = (seconds: number, kind: "event" | "other", visitor = hit.visitor): MadeHit => ({
      ...further,
      ...{ kind, visitor, time: hit.time + seconds, event: kind === "event" ? "Signup" : "" },
    });
    if (index % 4 === 0) return [at(5, "other"), at(1_805, "event")];
    if (index % 4 === 1) return [at(2_000, "other")];
    const stranger = 5_000 + index;
    return index % 4 === 2
      ? [at(7, "event", stranger), at(90, "event", stranger)]
      : [at(9, "other", stranger)];
  });
}

/** A condition of each kind, and several. */
const TEXTS = [
  ["pages=/"],
  ["pages!=/"],
  ["pages=*a*"],
  ["visit:pages=/"],
  ["visit:pages!=/a|/b"],
  ["hostnames=*"],
  ["referrers="],
  ["entry_pages=/"],
  ["exit_pages!=/"],
  ["events="],
  ["events=File*"],
  ["visit:events=File Download"],
  ["visit:events!=File Download"],
  ["pages=/", "referrers!=a.example"],
];

const STEPS = [
  ["pages=/", "pages=/a"],
  ["pages=*", "pages=*", "events=*"],
  ["events=File*", "pages=/b|/"],
];

describe.skipIf(!hasChdb)("filters of an exported log", () => {
  const day = "2026-11-18";
  const clock = { now: LOG_NOW };
  let server: Awaited<ReturnType<typeof startChdb>>;
  let table: DataSource;
  let logs: DataSource;

  beforeAll(async () => {
    server = await startChdb();
    const request = fc.record({
      pause: fc.constantFrom(0, 0, 1, 60, 1801),
      target: fc.constantFrom("/", "/a", "/b", "/guide.pdf", "/x.zip"),
      referrer: fc.constantFrom("-", "https://a.example/x", "https://b.example/"),
    });
    const visitors = fc.sample(fc.array(request, { minLength: 1, maxLength: 8 }), {
      numRuns: 30,
      seed: SEED,
    });
    const requests = visitors.flatMap((own, index) => {
      let at = Date.parse(`${day}T10:00:00Z`) + index * 1000;
      return own.map(({ pause, ...rest }) => {
        at += pause * 1000;
        return { ...rest, at, address: `192.0.2.${index}` };
      });
    });
    const lines = requests.toSorted((a, b) => a.at - b.at).map(combined);
    const { path } = createLogFolder({ "access.log": joinLines(...lines) });
    const flags = { logs: [`${SITE}=${path("access.log")}`], timezone: "UTC" };
    await load(server, await exportLines(flags, LOG_NOW));
    table = await openHits(server, clock);
    logs = openTestLogs(flags, clock).source;
  });
  afterAll(() => server?.stop());

  // Each with some steps, which alternate.
  const asked = TEXTS.map((texts, index) => ({
    name: texts.join(" and "),
    texts,
    steps: STEPS[index % STEPS.length] ?? [],
    ranked: index % 2 === 0 ? (["pages", "exit_pages"] as const) : (["events", "referrers"] as const),
  }));
  it.for(asked)("keep what they keep of the log: $name", async ({ texts, steps, ranked }) => {
    const ask = async (source: DataSource) => {
      const [site] = await source.sites();
      if (site === undefined) throw new Error("There is no site.");
      const span = { site, from: day, to: day, now: LOG_NOW, filter: parseFilter(texts) };
      return {
        days: await source.days(span),
        steps: await source.steps?.(
          span,
          steps.flatMap((step) => parseFilter([step])),
        ),
        rows: await Promise.all(ranked.map((dimension) => source.breakdown(span, dimension, 100))),
      };
    };
    expect(await ask(table)).toEqual(await ask(logs));
  });
});

/** Page views as a mapped table has them: only the first one of a visit has the visit's values. */
function listMappedViews(hits: readonly MadeHit[]): MadeHit[] {
  const begun = new Set<string>();
  return hits.flatMap((hit) => {
    if (hit.kind === "event") return [];
    const visit = `${hit.visitor} ${hit.visit}`;
    if (begun.has(visit)) {
      const later = Object.keys(MAPPED).filter((dimension) => dimension !== "pages");
      const values = later.map((dimension) => [columnsOf[dimension as Dimension], "later"]);
      return [{ ...hit, ...Object.fromEntries(values) }];
    }
    begun.add(visit);
    return [hit];
  });
}

/** A table whose schema has events. */
function openWithEvents({ url, password }: SqlServer, flags: SourceFlags, rule: VisitRule): DataSource {
  const clock = () => LOG_NOW;
  const mapping = readMapping(flags);
  if (mapping === undefined) throw new Error("There is no mapping.");
  const layout = createMappedLayout({
    database: "default",
    table: "views",
    mapping: {
      ...mapping,
      values: new Map([...mapping.values, ["event", "name"]]),
      eventConditions: [{ text: "kind=event", column: "kind", isEqual: true, value: "event" }],
      rule,
    },
    timezone: "UTC",
    sites: [SITE],
    domainOf: new Map(),
  });
  const settings = { url, user: "default", password, database: "default", table: "views" };
  const reader = createTableReader(layout, connect(settings, clock), clock);
  return createClickHouseViews({ reader, sites: [SITE], clock })();
}

function writeMappedRow({ time, visitor, sequence, kind, ...hit }: MadeHit): string {
  const values = Object.entries(MAPPED).map(([dimension, name]) => {
    const value = (kind !== "pageview" ? "" : hit[columnsOf[dimension as Dimension]]) ?? "";
    const isNullable = name === "land" || name === "br";
    return [name, value === "" && isNullable ? null : value];
  });
  const ts = new Date(time * 1000).toISOString().slice(0, 19);
  return JSON.stringify({
    ...{ ts, who: visitor, n: sequence, kind: kind === "pageview" ? "view" : kind, name: hit.event ?? "" },
    ...Object.fromEntries(values),
  });
}
