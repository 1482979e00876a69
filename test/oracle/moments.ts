import fc from "fast-check";
import { moveDate, offsetOf, startOf } from "./calendar.ts";

/** Zones with odd days: odd offsets, odd clock changes, or a date that was skipped or happened twice. */
const ODD_ZONES = [
  "Australia/Lord_Howe",
  "Pacific/Chatham",
  "Asia/Kathmandu",
  "Pacific/Apia",
  "Pacific/Kiritimati",
  "Africa/Casablanca",
  "Antarctica/Troll",
  "Antarctica/Casey",
  "America/St_Johns",
  "Africa/Cairo",
  "America/Havana",
  "America/Santiago",
  "America/Sao_Paulo",
  "Asia/Pyongyang",
  "Africa/Monrovia",
  "Pacific/Kwajalein",
  "Europe/Dublin",
  "Pacific/Niue",
  "Asia/Amman",
  "America/Nuuk",
  "UTC",
  "Etc/GMT+12",
  "Etc/GMT-14",
  "Asia/Tehran",
  "America/Caracas",
  "Europe/Berlin",
  "Asia/Calcutta",
];
export const zones = [...new Set([...Intl.supportedValuesOf("timeZone"), ...ODD_ZONES])];
/** Dates around which a zone skipped a day, or set its clocks back over midnight. */
const ODD_NIGHTS = [
  ["Pacific/Apia", "2011-12-30"],
  ["Pacific/Fakaofo", "2011-12-30"],
  ["Pacific/Kiritimati", "1994-12-31"],
  ["Pacific/Kwajalein", "1993-08-21"],
  ["America/St_Johns", "2010-11-07"],
  ["America/Goose_Bay", "2009-11-01"],
  ["Antarctica/Casey", "2010-03-05"],
  ["America/Havana", "2026-11-01"],
  ["Africa/Monrovia", "1972-01-07"],
] as const;

const DAY = 86_400_000;

interface Moment {
  timezone: string;
  now: number;
}

/** The instant in a year at which a zone changes its offset, or the middle of the year if it does not. */
function findChange(timezone: string, year: number, which: number): number {
  const first = Date.UTC(year, 0, 1);
  const changes = Array.from({ length: 366 }, (_, index) => first + index * DAY).filter(
    (instant) => offsetOf(instant, timezone) !== offsetOf(instant + DAY, timezone),
  );
  if (changes.length === 0) return first + 180 * DAY;
  let before = changes[which % changes.length] ?? first;
  const offset = offsetOf(before, timezone);
  let after = before + DAY;
  while (after - before > 1000) {
    const middle = Math.floor((before + after) / 2000) * 1000;
    if (offsetOf(middle, timezone) === offset) before = middle;
    else after = middle;
  }
  return after;
}

const year = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 2020, max: 2040 }) },
  { weight: 3, arbitrary: fc.integer({ min: 1970, max: 2019 }) },
  { weight: 1, arbitrary: fc.integer({ min: 1901, max: 1969 }) },
);
export const zone = fc.oneof(fc.constantFrom(...zones), fc.constantFrom(...ODD_ZONES));
/** Milliseconds from an instant at which something happens: none, a second, or hours. */
const nearby = fc.oneof(
  fc.constantFrom(-1, 0, 1, 999, 1_000, -1_000, 299_999, 300_000, 300_001),
  fc.integer({ min: -30 * 3_600_000, max: 30 * 3_600_000 }),
);

/** A site's zone and the moment of the query: any, or near a clock change or midnight. */
export const moment: fc.Arbitrary<Moment> = fc.oneof(
  fc
    .tuple(zone, year, fc.integer({ min: 0, max: 366 * 86_400 }), fc.integer({ min: 0, max: 999 }))
    .map(([timezone, of, second, ms]) => ({ timezone, now: Date.UTC(of, 0, 1) + second * 1000 + ms })),
  fc
    .tuple(zone, year, fc.nat(3), nearby)
    .map(([timezone, of, which, beside]) => ({ timezone, now: findChange(timezone, of, which) + beside })),
  fc.tuple(zone, year, fc.integer({ min: 1, max: 365 }), nearby).map(([timezone, of, day, beside]) => {
    return { timezone, now: startOf(moveDate(`${of}-01-01`, day), timezone) + beside };
  }),
  fc
    .tuple(fc.constantFrom(...ODD_NIGHTS), fc.integer({ min: -2, max: 9 }), nearby)
    .map(([[timezone, date], days, beside]) => ({
      timezone,
      now: startOf(moveDate(date, days), timezone) + beside,
    })),
);
