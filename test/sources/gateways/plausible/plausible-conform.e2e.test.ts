import { expect, it } from "vitest";
import { listDays } from "../../../../src/operations/days.ts";
import { conformSource } from "../../../support/conform-source.ts";
import { LOG_NOW } from "../../../support/logs.ts";
import { startPlausible } from "./plausible-server.ts";

/** What Plausible does not have, each of it optional: visits, crawlers, dead links, languages. */
const NOT_OFFERED = [/^visits\./, /^crawlers\./, /^not-found\./, /^breakdown\.languages$/];
/** What takes a second key, or numbers that change meanwhile. */
const NOT_CHECKED = [/^isolation\./, /^headers\.etag-of-content$/];

it("keeps the contract in front of Plausible", { timeout: 300_000 }, async () => {
  const server = await startPlausible(listDays("2026-10-13", "2026-11-21"), { mostVisitors: 100 });
  try {
    const clock = { now: LOG_NOW };
    const siteTimezones = { "example.com": "Europe/Berlin", "parked.example": "Asia/Kathmandu" };
    const source = await server.open({ siteTimezones, clock: () => clock.now });
    const { rules } = await conformSource(source, clock);
    expect(rules.filter(({ verdict }) => verdict === "fail")).toEqual([]);
    const skipped = rules.filter(({ verdict }) => verdict !== "pass").map(({ id }) => id);
    expect(skipped.filter((id) => ![...NOT_OFFERED, ...NOT_CHECKED].some((rule) => rule.test(id)))).toEqual(
      [],
    );
    const sections = new Set(rules.filter(({ verdict }) => verdict === "pass").map(({ section }) => section));
    expect([...sections]).toEqual(expect.arrayContaining(["filters", "hours", "breakdown", "realtime"]));
    // Less than half of what Plausible allows in an hour.
    expect(server.state.asked.length).toBeLessThan(300);
  } finally {
    server.close();
  }
});
