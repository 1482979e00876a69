import { Temporal } from "temporal-polyfill";
import { expect, it } from "vitest";
import { addDays } from "../../src/operations/days.ts";
import { offsetAt } from "../../src/sources/calendar.ts";
import { readFixtures } from "../../src/sources/demo/fixtures.ts";
import { findKnownOffset } from "../../src/sources/demo/known-offsets.ts";

const FROM = "2024-01-01T00:00:00Z";
const UNTIL = "2038-01-01T00:00:00Z";
const timezones = readFixtures()
  .sites.map((site) => site.timezone)
  .sort();

/** From when on which offset in minutes holds, by the zone's own rules. */
function listChanges(timezone: string): Record<string, number> {
  let at = Temporal.Instant.from(FROM).toZonedDateTimeISO(timezone);
  const changes: [string, number][] = [];
  while (at.epochMilliseconds < Date.parse(UNTIL)) {
    changes.push([at.toInstant().toString(), at.offsetNanoseconds / 60e9]);
    const next = at.getTimeZoneTransition("next");
    if (next === null) break;
    at = next;
  }
  return Object.fromEntries(changes);
}

// `vitest -u` writes it anew.
it("the offsets that are written down are those of the zones' rules", async () => {
  const zones = Object.fromEntries(timezones.map((timezone) => [timezone, listChanges(timezone)]));
  const document = `${JSON.stringify({ until: UNTIL, zones }, null, 2)}\n`;
  await expect(document).toMatchFileSnapshot("../../fixtures/offsets.json");
});

it.each(timezones)("and those that Intl tells, at every hour around them: %s", (timezone) => {
  const intl = new Intl.DateTimeFormat("en-US", { timeZone: timezone, timeZoneName: "longOffset" });
  const read = (instant: number) => {
    const [, sign, hours, minutes] = /GMT(?:([+-])(\d\d):(\d\d))?$/.exec(intl.format(instant)) ?? [];
    return (sign === "-" ? -60_000 : 60_000) * (60 * Number(hours ?? 0) + Number(minutes ?? 0));
  };
  for (const change of Object.keys(listChanges(timezone))) {
    for (let hour = -48; hour <= 48; hour++) {
      const instant = Date.parse(change) + hour * 3_600_000;
      expect(offsetAt(instant, timezone)).toBe(read(instant));
      expect(offsetAt(instant - 1, timezone)).toBe(read(instant - 1));
    }
  }
});

it("of other zones and other years nothing is written down", () => {
  const now = Date.parse("2026-11-21T00:00:00Z");
  expect(findKnownOffset(now, "Europe/Vienna")).toBeUndefined();
  expect(findKnownOffset(now, "Europe/Berlin")).toBe(3_600_000);
  expect(
    findKnownOffset(Date.parse(`${addDays(FROM.slice(0, 10), -1)}T23:59:59Z`), "Europe/Berlin"),
  ).toBeUndefined();
  expect(findKnownOffset(Date.parse(UNTIL), "Europe/Berlin")).toBeUndefined();
});
