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

describe.skipIf(!hasChdb)("scanners are left out, and mentioned, as in logs", () => {
  const { path } = createLogFolder({
    "access.log": joinLines(...requests.map((each) => combined({ at: `${DAY}T12:00:00Z`, ...each }))),
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
    };
  };

  it("in the hits and in the sums of days", async () => {
    const expected = await ask(openTestLogs(flags).source);
    expect(expected).toEqual({
      days: [{ date: DAY, visitors: 8, pageviews: 8, events: 0 }],
      warnings: [
        expect.objectContaining({ values: { days: 1, from: DAY, to: DAY, scanners: 3, senders: 11 } }),
      ],
    });
    const source = await openHits(server, clock);
    expect(await ask(source)).toEqual(expected);
    await refreshRollup(server);
    clock.now += 3_600_000;
    expect(await ask(source)).toEqual(expected);
  });
});
