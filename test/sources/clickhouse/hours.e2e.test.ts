import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { DataSource } from "../../../src/sources/data-source.ts";
import { exportLines, hasChdb, load, openHits, startChdb } from "../../support/clickhouse.ts";
import { combined, createLogFolder, joinLines, LOG_NOW, openTestLogs } from "../../support/logs.ts";

const SITE = "example.com";
const TIMEZONE = "Australia/Lord_Howe";
const MINUTE = 60_000;
/** Two hours before the clocks are changed by half an hour, in both directions. */
const CHANGES = [
  ["2026-04-05", "2026-04-04T13:00:00Z", 25],
  ["2026-10-04", "2026-10-03T13:30:00Z", 24],
] as const;

describe.skipIf(!hasChdb)("hours of a table in ClickHouse", () => {
  const clock = { now: LOG_NOW };
  let server: Awaited<ReturnType<typeof startChdb>>;
  let logs: DataSource;
  let table: DataSource;
  let mapped: DataSource;

  beforeAll(async () => {
    server = await startChdb();
    const requests = CHANGES.flatMap(([, start]) =>
      Array.from({ length: 60 }, (_, index) => ({
        at: Date.parse(start) + index * 5 * MINUTE,
        address: `192.0.2.${index % 7}`,
        target: index % 5 === 0 ? "/guide.pdf" : "/",
      })),
    );
    const { path } = createLogFolder({ "access.log": joinLines(...requests.map(combined)) });
    const flags = { logs: [`${SITE}=${path("access.log")}`], timezone: TIMEZONE };
    logs = openTestLogs(flags, clock).source;
    await load(server, await exportLines(flags, LOG_NOW));
    table = await openHits(server, clock);
    await server.run(
      "CREATE TABLE views ENGINE = MergeTree ORDER BY ts AS SELECT time AS ts, visitor AS who, path AS url, kind FROM hits WHERE kind = 'pageview'",
    );
    mapped = await openHits(server, clock, {
      table: "views",
      site: SITE,
      timezone: TIMEZONE,
      map: ["time=ts", "visitor=who", "path=url"],
      where: ["kind=pageview"],
    });
  });
  afterAll(() => server?.stop());

  const read = async (source: DataSource, date: string) => {
    const [site] = await source.sites();
    if (site === undefined) throw new Error("There is no site.");
    const hours = (await source.hours?.({ site, from: date, to: date, now: LOG_NOW })) ?? [];
    // A log knows that it ended in the middle of a day; a table knows which days were loaded.
    return hours.map(({ missing: _, ...hour }) => hour);
  };

  it.each(CHANGES)("follow clocks that are changed by half an hour on %s", async (date, _, count) => {
    const expected = await read(logs, date);
    expect(expected).toHaveLength(count);
    expect(expected.filter(({ pageviews }) => pageviews > 0).length).toBeGreaterThan(4);
    expect(await read(table, date)).toEqual(expected);
    // Downloads are no page views, so some hours have fewer visitors there.
    const withoutVisitors = (hours: typeof expected) => hours.map(({ visitors, ...hour }) => hour);
    expect(withoutVisitors(await read(mapped, date))).toEqual(withoutVisitors(expected));
  });
});
