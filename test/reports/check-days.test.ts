import { describe, expect, it } from "vitest";
import type { Conditions } from "../../src/reports/check-conditions.ts";
import { createRandom } from "../../src/sources/demo/random.ts";
import { checkLast, drawDay, type Ordinary } from "../support/ordinary-days.ts";

/** As in the unit for systemd. `npm run bench -- check` measures more, and longer. */
const conditions: Conditions = { unusual: "normal", deadLinks: 10, serverErrors: 10 };
const WEEKS = 8;

const startSite = (site: Ordinary, name: string, more = 0) => {
  const random = createRandom(name);
  const counts = Array.from({ length: 7 * WEEKS + more }, (_, day) => drawDay(random, day, site));
  /** Checks one more day. */
  const isMet = async (part = 1, looked = conditions) => {
    counts.push(drawDay(random, counts.length, site, part));
    return (await checkLast(random, counts, looked)).some(({ state }) => state === "met");
  };
  return { isMet };
};

/** How many of some days of several sites are called unusual. */
async function countAlarms(
  site: Ordinary,
  sites: number,
  days: number,
  looked = conditions,
): Promise<number> {
  let alarms = 0;
  for (let index = 0; index < sites; index++) {
    const { isMet } = startSite(site, `ordinary ${index}`);
    for (let day = 0; day < days; day++) if (await isMet(1, looked)) alarms++;
  }
  return alarms;
}

describe("ordinary days give at most one false alarm in 60", () => {
  it.each([
    { visitors: 80, noise: 0 },
    { visitors: 80, noise: 0.1 },
    { visitors: 80, noise: 0.2 },
    { visitors: 1_000, noise: 0.1 },
  ])("$visitors visitors a day, $noise", async (site) => {
    expect(await countAlarms(site, 20, 28)).toBeLessThanOrEqual((20 * 28) / 60);
  });

  it.each([80, 1_000])(
    "growth gives none in 11 days (%i visitors a day, 5% more a week)",
    async (visitors) => {
      const site = { visitors, noise: 0.05, growth: 0.05 };
      expect(await countAlarms(site, 10, 11, { unusual: "normal" })).toBe(0);
    },
  );
});

describe("a fall of 40 % is noticed within two days in nine of ten cases", () => {
  it.each([
    { visitors: 80, noise: 0 },
    { visitors: 80, noise: 0.1 },
    { visitors: 200, noise: 0.1 },
  ])("$visitors visitors a day, $noise", async (site) => {
    let noticed = 0;
    for (let index = 0; index < 140; index++) {
      const { isMet } = startSite(site, `fall ${index}`, index % 7);
      if ((await isMet(0.6)) || (await isMet(0.6))) noticed++;
    }
    expect(noticed).toBeGreaterThanOrEqual(0.9 * 140);
  });
});

it("a day after one that failed is not told for that one", async () => {
  let alarms = 0;
  for (let index = 0; index < 40; index++) {
    const { isMet } = startSite({ visitors: 200, noise: 0.1 }, `outage ${index}`, index % 7);
    expect(await isMet(0.1)).toBe(true);
    if (await isMet()) alarms++;
  }
  expect(alarms).toBeLessThanOrEqual(1);
});
