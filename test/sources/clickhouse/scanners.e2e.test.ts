import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { DataSource } from "../../../src/sources/data-source.ts";
import { exportLines, hasChdb, load, openHits, startChdb } from "../../support/clickhouse.ts";
import { combined, createLogFolder, joinLines, LOG_NOW, openTestLogs } from "../../support/logs.ts";
import { createRollup, refreshRollup } from "../../support/rollup.ts";

const DAY = "2026-11-18";
const times = <T>(count: number, create: (index: number) => T) =>
  Array.from({ length: count }, (_, index) => create(index));

/** Three scanners and eight readers, among whom are some who sign in as on IIS, on a site with .aspx pages. */
const requests = [
  ...times(3, (n) =>
    ["/", "/.env", "/.git/config", "/wp-login.php"].map((target, at) => ({
      address: `203.0.113.${n}`,
      target,
      status: at === 0 ? 200 : 404,
    })),
  ).flat(),
  ...times(8, (n) =>
    [401, 401, 200, 404, 404, 404].map((status, at) => ({
      address: `198.51.100.${n}`,
      target: `/page${at < 3 ? "" : at}.aspx`,
      status,
    })),
  ).flat(),
];

/** Somebody who asks for more than is kept of one sender, and who gets enough styles to be no scanner. */
const flood = [
  ...times(700, () => ({ address: "192.0.2.77", target: "/style.css", status: 200 })),
  ...times(2_500, (n) => ({
    address: "192.0.2.77",
    target: `/gone/${n % 1_800}`,
    status: 410,
    referrer: `https://h${n % 7}.example/`,
  })),
];

/** Bots with a known name, with another one, and without any. */
const bots = [
  ...times(2, (n) => ({ agent: "GPTBot/1.2", target: `/${n}` })),
  ...times(2, () => ({ agent: "python-requests/2.32.3", target: "/page.aspx" })),
  { agent: "-", status: 404 },
  { agent: "bingbot/2.0" },
  { agent: "bingbot/2.0", status: 500 },
];

describe.skipIf(!hasChdb)("scanners and bots are as in logs", () => {
  const { path } = createLogFolder({
    "access.log": joinLines(
      ...[...requests, ...flood, ...bots].map((each) => combined({ at: `${DAY}T12:00:00Z`, ...each })),
    ),
  });
  const flags = { logs: [path("access.log")], site: ["example.com"] };
  const clock = { now: LOG_NOW };
  let server: Awaited<ReturnType<typeof startChdb>>;

  beforeAll(async () => {
    server = await startChdb();
    await createRollup(server);
    await load(server, await exportLines(flags, LOG_NOW));
  });
  afterAll(() => server?.stop());

  const ask = async (source: DataSource) => {
    const [site] = await source.sites();
    if (site === undefined) throw new Error("There is no site.");
    const span = { site, from: DAY, to: DAY, now: clock.now };
    const warnings = (await source.warnings?.(span)) ?? [];
    return {
      days: await source.days(span),
      warnings: warnings.filter(({ code }) => code === "many_scanners"),
      crawlers: await Promise.all([1, 2, 10].map((limit) => source.crawlers?.(span, limit))),
      notFound: await Promise.all([1, 5, 1_000].map((limit) => source.notFound?.(span, limit))),
    };
  };

  it("in the hits and in the sums of days", async () => {
    const expected = await ask(openTestLogs(flags).source);
    expect(expected.crawlers.at(-1)).toMatchObject({
      rows: [
        { value: null, requests: 3, pages: 2, errors: 1 },
        { value: "GPTBot", requests: 2, pages: 2, errors: 0 },
        { value: "bingbot", requests: 2, pages: 1, errors: 1 },
      ],
      totalRows: 3,
      totalRequests: 7,
    });
    expect(expected.notFound[0]).toMatchObject({
      rows: [{ value: null, other: true, visitors: 1, referrers: [] }],
      totalRequests: 2_524,
      excluded: { bots: 1, scanners: 9 },
      folded: true,
    });
    expect(expected).toMatchObject({
      days: [{ date: DAY, visitors: 8, pageviews: 8, events: 0 }],
      warnings: [
        expect.objectContaining({ values: { days: 1, from: DAY, to: DAY, scanners: 3, senders: 11 } }),
      ],
    });
    const source = await openHits(server, clock);
    expect(await ask(source)).toMatchObject(expected);
    await refreshRollup(server);
    clock.now += 3_600_000;
    expect(await ask(source)).toMatchObject(expected);
  });
});
