import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestApi } from "../support/api.ts";
import { IS_LONG, pick } from "../support/seed.ts";
import {
  checkApi,
  checkComparison,
  checkHours,
  checkOverview,
  checkShown,
  checkTools,
  formats,
} from "./checks.ts";
import { createCount } from "./count.ts";
import {
  createLabels,
  expectBreakdown,
  expectSeries,
  expectStats,
  nameSeries,
  wholeSeconds,
} from "./expected.ts";
import { checkFiltered } from "./filter-checks.ts";
import { zones } from "./moments.ts";
import { build, buildLarge, liven, scenario } from "./sites.ts";
import { openSurfaces, type Surfaces } from "./surfaces.ts";

// A test run checks a few sites, always the same, and three times as many with `LONG=1`; bench/RELIABILITY.md has the command
// that checks thousands of others.
const { ORACLE_RUNS, ORACLE_SEED } = process.env;
const RUNS = Number(ORACLE_RUNS ?? (IS_LONG ? 6 : 2));
const FRESH_SEED = ORACLE_SEED ?? (ORACLE_RUNS === undefined ? undefined : Date.now() % 2 ** 31);
const BUSY_VISITORS = Number(process.env.ORACLE_BUSY ?? 25);
const HOURS_MS = 36_000_000;
const SHRINKING_MS = 60_000;

let surfaces: Surfaces;
const done = { sites: 0, answers: 0, zones: new Set<string>() };
beforeAll(async () => {
  surfaces = await openSurfaces();
});
afterAll(async () => {
  await surfaces.close();
  process.stdout.write(
    `oracle: ${done.answers} answers about ${done.sites} sites in ${done.zones.size} of ${zones.length} zones\n`,
  );
});

const seeds: [string, number][] = [["the same ones each time", 20261121]];
if (FRESH_SEED !== undefined) seeds.push(["others each time", Number(FRESH_SEED)]);

/** Checks random sites, each again after some time has passed. */
async function checkRandom(seed: number, numRuns: number, checks: (typeof checkApi)[], sites = scenario) {
  // Small numbers are not what is interesting: each choice is as likely as the others.
  const asked = fc.tuple(sites, fc.infiniteStream(fc.noBias(fc.nat())));
  let end = Number.POSITIVE_INFINITY;
  await fc.assert(
    fc.asyncProperty(asked, async ([given, dice]) => {
      // The search for the smallest failing site may take long: it ends in time to report the one that was found.
      if (performance.now() > end) throw new fc.PreconditionFailure(true);
      const { fixtures, raw } = build(given);
      const service = createTestApi({ fixtures, seed: given.seed, start: given.now });
      const [first, ...others] = raw.map((site) => createCount(site));
      if (!first) throw new Error("There is no site.");
      done.sites += 1;
      done.zones.add(first.site.timezone);
      const choose = (most: number) => (dice.next().value ?? 0) % most;
      for (const step of [{ wait: 0 }, ...given.later]) {
        const { now: before } = service.time;
        service.time.now =
          "wait" in step
            ? before + step.wait
            : Math.max(before, (first.nextHit(before) ?? before) + step.afterHit);
        surfaces.choose(service);
        const now = wholeSeconds(service.time.now);
        const about = { surfaces, counts: [first, ...others], labels: createLabels(fixtures), now } as const;
        for (const check of checks) {
          done.answers += await check(about, choose).catch((cause) => {
            end = Math.min(end, performance.now() + SHRINKING_MS);
            throw cause;
          });
        }
      }
    }),
    { seed, numRuns },
  );
}

describe("the numbers equal those counted from the raw visits", () => {
  it.each(seeds)(
    "in the API, of random sites, %s (seed %i)",
    (_, seed) => checkRandom(seed, 2 * RUNS, [checkApi]),
    HOURS_MS,
  );

  it.each(seeds)(
    "in the API, of the hits that a filter keeps, of random sites, %s (seed %i)",
    (_, seed) => checkRandom(seed + 2, RUNS, [checkFiltered, checkFiltered], scenario.map(liven)),
    HOURS_MS,
  );

  it.each(seeds)(
    "of hours, in the API, the tool and the command, of random sites, %s (seed %i)",
    (_, seed) => checkRandom(seed + 3, RUNS, [checkHours], scenario.map(liven)),
    HOURS_MS,
  );

  it.each([
    ["Europe/Berlin", "2026-03-29T12:00:00Z"],
    ["Europe/Berlin", "2026-10-25T12:00:00Z"],
    ["Australia/Lord_Howe", "2026-04-05T12:00:00Z"],
    ["Australia/Lord_Howe", "2026-10-04T12:00:00Z"],
    ["Pacific/Apia", "2012-01-01T12:00:00Z"],
    ["America/St_Johns", "2010-11-07T12:00:00Z"],
  ])("of the hours around a clock change: %s until %s", async (timezone, until) => {
    const now = Date.parse(until);
    const { fixtures, seed, raw } = buildLarge(timezone, now, { visitors: 60, paths: 5 });
    surfaces.choose(createTestApi({ fixtures, seed, start: now }));
    const [site] = raw;
    if (!site) throw new Error("There is no site.");
    const about = { surfaces, counts: [createCount(site)], labels: createLabels(fixtures), now } as const;
    for (const days of [1, 3, 7]) done.answers += await checkHours(about, (most) => Math.min(days, most) - 1);
  });

  it.each(seeds)(
    "in the API, the tools and the commands, of random sites, %s (seed %i)",
    // Other sites than those above.
    (_, seed) => checkRandom(seed + 1, RUNS, [checkApi, checkTools]),
    HOURS_MS,
  );

  it(
    `of a year of a site with ${BUSY_VISITORS} visitors a day`,
    async () => {
      const asked = openLarge({ visitors: BUSY_VISITORS, paths: 40 });
      const { count, labels, now, site } = asked;
      const ranked = ["pages", "exit_pages", "referrers", "channels", "countries", "events"] as const;
      count.readAhead(now, 365, ranked);
      for (const dimension of ranked) {
        const params = { site, dimension, days: 365, limit: 1000 };
        const right = expectBreakdown(count, labels, now, params);
        // First without the HTTP client's deadline, since the service counts a year at the first request.
        expect((await surfaces.api("/breakdown", params)).rows).toEqual(right.json.rows);
        done.answers += 1 + (await checkShown(surfaces, "breakdown", params, right, formats));
      }
      const year = { site, days: 365 };
      done.answers += await checkShown(surfaces, "stats", year, expectStats(count, now, 365), formats);
      done.answers += await checkShown(
        surfaces,
        "timeseries",
        year,
        nameSeries(expectSeries(count, now, 365)),
        formats,
      );
      for (const days of [182, 30]) {
        done.answers += await checkOverview(asked, { site, days }, formats);
        done.answers += await checkComparison(asked, { site, days }, formats);
      }
    },
    HOURS_MS,
  );

  it.each(pick([1, 4], 1))(
    "of a site with more pages than the service ranks, over %i days: what is left open is a range that holds the truth",
    async (days) => {
      const asked = openLarge({ visitors: 900, paths: 1_600 });
      for (const dimension of ["pages", "entry_pages"] as const) {
        const params = { site: asked.site, days, dimension };
        done.answers += await checkComparison(asked, params, formats);
      }
      // More rows than a tool may show, which keeps the first.
      const { count, labels, now, site } = asked;
      const ranked = { site, dimension: "pages", days, limit: 1000 } as const;
      const right = expectBreakdown(count, labels, now, ranked);
      done.answers += await checkShown(surfaces, "breakdown", ranked, right, formats);
    },
    HOURS_MS,
  );
});

/** A large site in Berlin on a Saturday at noon, with the oracle's count of it. */
function openLarge(size: { visitors: number; paths: number }) {
  const now = Date.parse("2026-11-21T11:00:00Z");
  const { fixtures, seed, raw } = buildLarge("Europe/Berlin", now, size);
  surfaces.choose(createTestApi({ fixtures, seed, start: now }));
  done.sites += 1;
  const [site] = raw;
  if (!site) throw new Error("There is no site.");
  const count = createCount(site);
  return {
    surfaces,
    counts: [count],
    count,
    now,
    labels: createLabels(fixtures),
    site: site.domain,
  } as const;
}
