import { expect, it } from "vitest";
import { addDays } from "../../../src/operations/days.ts";
import { parseFilter } from "../../../src/operations/filter.ts";
import { mondayOf } from "../../../src/sources/demo/dataset.ts";
import { readFixtures } from "../../../src/sources/demo/fixtures.ts";
import { openDemoSource } from "../../../src/sources/demo/organizations.ts";
import { createVisits } from "../../../src/sources/demo/visits.ts";
import { NOW } from "../../support/api.ts";
import { countSteps } from "../../support/steps.ts";

const DAYS = ["2026-11-17", "2026-11-18", "2026-11-19"];

it("the visits that took steps are those of the made-up visits, found by trying all ways", async () => {
  const fixtures = readFixtures();
  const profile = fixtures.sites.find(({ domain }) => domain === "example.com");
  if (profile === undefined) throw new Error("There is no example.com.");
  const visits = createVisits(profile, fixtures, "analytics", mondayOf(NOW));
  const source = await openDemoSource({ clock: () => NOW });
  const site = (await source.sites()).find(({ domain }) => domain === "example.com");
  if (site === undefined) throw new Error("There is no site.");
  const made = DAYS.flatMap((date) => visits(date));
  const events = [...new Set(made.flatMap(({ hits }) => hits.flatMap(({ event }) => event ?? [])))];
  const span = { site, from: DAYS[0] ?? "", to: addDays(DAYS[0] ?? "", DAYS.length - 1), now: NOW };
  let seen = 0;
  for (const steps of [
    ["pages=/", "pages=/plans"],
    ["pages=/plans", "pages=/"],
    ["pages=/*", "pages=/*", "pages=/*"],
    ["pages=/plans", `events=${events[0]}`],
    [`events=${events[0]}`, "pages=/*"],
    ["pages=/|/plans", "pages=/blog/*", "pages=/"],
  ]) {
    const conditions = steps.flatMap((step) => parseFilter([step]));
    const tests = steps.map((step) => {
      const [, name, value = ""] = /^(pages|events)=(.*)$/.exec(step) ?? [];
      const pattern = new RegExp(`^(?:${value.replaceAll("*", "[^]*")})$`);
      return (hit: { path: string; event: string | null }) =>
        pattern.test((name === "pages" ? hit.path : hit.event) ?? "");
    });
    for (const country of [undefined, "DE"]) {
      const own = made.filter(({ place }) => country === undefined || place.country === country);
      const expected = countSteps(
        own.map(({ hits }) => hits),
        tests,
      );
      const filter = country === undefined ? undefined : parseFilter([`countries=${country}`]);
      expect([steps, country, await source.steps?.({ ...span, filter }, conditions)]).toEqual([
        steps,
        country,
        expected,
      ]);
      seen += expected.reached.at(-1) ?? 0;
    }
  }
  expect(seen).toBeGreaterThan(100);
});
