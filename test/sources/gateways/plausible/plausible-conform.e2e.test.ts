import { expect, it } from "vitest";
import { listDays } from "../../../../src/operations/days.ts";
import { conformSource, readExceptions } from "../../../support/conform-source.ts";
import { LOG_NOW } from "../../../support/logs.ts";
import { startPlausible } from "./plausible-server.ts";

/** What Plausible does not have, each of it optional: visits, crawlers, dead links, languages. */
const NOT_OFFERED = [/^visits\./, /^crawlers\./, /^not-found\./, /^breakdown\.languages$/];
/** What takes a second key, or numbers that change meanwhile. */
const NOT_CHECKED = [/^isolation\./, /^headers\.etag-of-content$/];

it("keeps the contract but for the rules that the docs list", { timeout: 300_000 }, async () => {
  const server = await startPlausible(listDays("2026-10-13", "2026-11-21"), { mostVisitors: 25 });
  try {
    const clock = { now: LOG_NOW };
    const siteTimezones = { "example.com": "Europe/Berlin", "parked.example": "Asia/Kathmandu" };
    const source = await server.open({ siteTimezones, clock: () => clock.now });
    const { rules } = await conformSource(source, clock);
    const listOf = (wanted: string) => rules.filter(({ verdict }) => verdict === wanted).map(({ id }) => id);
    expect(listOf("fail").sort()).toEqual(readExceptions("Plausible").sort());
    const skipped = listOf("skip");
    expect(skipped.filter((id) => ![...NOT_OFFERED, ...NOT_CHECKED].some((rule) => rule.test(id)))).toEqual(
      [],
    );
    const sections = new Set(rules.filter(({ verdict }) => verdict === "pass").map(({ section }) => section));
    expect([...sections]).toEqual(expect.arrayContaining(["filters", "hours", "breakdown", "realtime"]));
    // Plausible allows 600 in an hour.
    expect(server.state.asked.length).toBeLessThan(450);
  } finally {
    server.close();
  }
});
