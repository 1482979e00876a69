import written from "../../../fixtures/offsets.json" with { type: "json" };

/**
 * Offsets of the fixtures' own zones, written down: Intl takes ten milliseconds before it tells the first one, half of
 * what a process needs to start. Other zones, and other years, are Intl's.
 */
const zones = new Map(
  Object.entries(written.zones).map(([zone, changes]) => [
    zone,
    Object.entries(changes).map(([from, minutes]) => ({ from: Date.parse(from), offset: minutes * 60_000 })),
  ]),
);
const END = Date.parse(written.until);

/** The zone's offset from UTC at an instant, both in milliseconds; undefined where it is not written down. */
export function findKnownOffset(instant: number, timezone: string): number | undefined {
  if (instant >= END) return undefined;
  return zones.get(timezone)?.findLast(({ from }) => from <= instant)?.offset;
}
