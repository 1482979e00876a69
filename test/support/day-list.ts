import fc from "fast-check";

// A calendar that only counts: day after day from a known Monday, without dates of JavaScript. To check the product's.

export interface Day {
  date: string;
  year: number;
  month: number;
  /** Weeks from the first Monday on, and months and quarters since the year 0, so that the one before is one less. */
  units: Record<Unit, number>;
}

export const units = ["week", "month", "quarter", "year"] as const;
export type Unit = (typeof units)[number];

const two = (value: number) => String(value).padStart(2, "0");
const isLeap = (year: number) => year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
const lengthOf = (year: number, month: number) =>
  month === 2 ? (isLeap(year) ? 29 : 28) : [4, 6, 9, 11].includes(month) ? 30 : 31;

/** All days from Monday, 2 January 1995, to the end of 2060. */
export const dayList: readonly Day[] = listDays();

function listDays(): Day[] {
  const days: Day[] = [];
  for (let year = 1995; year <= 2060; year++) {
    for (let month = 1; month <= 12; month++) {
      for (let day = 1; day <= lengthOf(year, month); day++) {
        // The first of January 1995 was a Sunday: it is day -1 and left out.
        const week = Math.floor(days.length / 7);
        const months = 12 * year + month - 1;
        if (year === 1995 && month === 1 && day === 1) continue;
        const counted = { week, month: months, quarter: Math.floor(months / 3), year };
        days.push({ date: `${year}-${two(month)}-${two(day)}`, year, month, units: counted });
      }
    }
  }
  return days;
}

/** The first and the last of some days. */
export const spanOf = (days: readonly Day[]) => ({ from: days[0]?.date ?? "", to: days.at(-1)?.date ?? "" });

/** How far back the days go that a period can have, but for days counted back. */
const LOOK_BACK = 1_000;
/** Far enough from the start for the longest period. */
const FIRST = 10_000;
const AWKWARD = /(01-01|01-31|02-28|02-29|03-01|03-31|04-01|05-31|12-31)$/;
const awkward = dayList.flatMap(({ date }, index) => (index >= FIRST && AWKWARD.test(date) ? [index] : []));

/** A period as it can be written, and the days of it, today included, found by looking at each. */
export interface Written {
  text: string;
  /** Its canonical spelling. */
  word: string;
  today: Day;
  days: readonly Day[];
}

interface Named {
  word: string;
  days: readonly Day[];
}

/** Writes a period on a day; `until` are the days up to it. */
type Write = (index: number, until: readonly Day[]) => Named;

const plain = fc.constantFrom<Write>(
  (_, until) => ({ word: "today", days: until.slice(-1) }),
  (_, until) => ({ word: "yesterday", days: until.slice(-2, -1) }),
);
const ofUnit = fc.tuple(fc.constantFrom(...units), fc.boolean()).map(([unit, isThis]): Write => {
  return (_, until) => {
    const wanted = (until.at(-1)?.units[unit] ?? 0) - (isThis ? 0 : 1);
    const days = until.filter((day) => day.units[unit] === wanted);
    return { word: `${isThis ? "this" : "last"}_${unit}`, days };
  };
});
/** The last day of a kind, month or quarter that has begun, by its name. */
const named = fc.constantFrom<Write>(
  (_, until) => ({ word: "monday", days: [findLast(until, (_day, index) => index % 7 === 0)] }),
  (_, until) => ({ word: "wed", days: [findLast(until, (_day, index) => index % 7 === 2)] }),
  (_, until) => ({
    word: "last_sun",
    days: [findLast(until.slice(0, -1), (_day, index) => index % 7 === 6)],
  }),
  (_, until) => ({ word: "october", days: findUnit(until, "month", ({ month }) => month === 10) }),
  (_, until) => ({ word: "feb", days: findUnit(until, "month", ({ month }) => month === 2) }),
  (_, until) => ({
    word: "may_2021",
    days: until.filter(({ year, month }) => year === 2021 && month === 5),
  }),
  (_, until) => ({ word: "q2", days: findUnit(until, "quarter", ({ month }) => month >= 4 && month <= 6) }),
  (_, until) => ({
    word: "2021-q4",
    days: until.filter(({ year, month }) => year === 2021 && month >= 10),
  }),
);

/** The list begins with a Monday, so a day's place tells its weekday. */
const findLast = (until: readonly Day[], is: (day: Day, index: number) => boolean): Day =>
  until.findLast((day) => is(day, dayList.indexOf(day))) as Day;

function findUnit(until: readonly Day[], unit: Unit, is: (day: Day) => boolean): readonly Day[] {
  const last = until.findLast(is);
  return until.filter((day) => day.units[unit] === last?.units[unit]);
}

const count = fc.oneof(fc.integer({ min: 1, max: 400 }), fc.integer({ min: 1, max: 9_999 }));
const lastDays = fc
  .tuple(count, fc.constantFrom("last_#_days", "last_#_day", "#d"))
  .map(([length, form]): Write => {
    return (index) => ({
      word: form.replace("#", String(length)),
      days: dayList.slice(index - length, index),
    });
  });
/** The length of a day, a month or a year in ISO 8601; days before today. */
const date = fc.tuple(fc.constantFrom(10, 7, 4), fc.oneof(fc.nat(40), fc.nat(600)));
const single = date.map(([length, ago]): Write => {
  return (_, until) => {
    const word = (until.at(-1 - ago)?.date ?? "").slice(0, length);
    return { word, days: until.filter((day) => day.date.startsWith(word)) };
  };
});
const interval = fc.tuple(single, fc.option(single)).map(([first, last]): Write => {
  return (index, until) => {
    const begin = first(index, until);
    const end = last?.(index, until) ?? { word: "today", days: until.slice(-1) };
    const { from } = spanOf(begin.days);
    const { to } = spanOf(end.days);
    const days = until.filter((day) => day.date >= from && day.date <= to);
    return { word: `${begin.word}/${end.word}`, days };
  };
});

const spelling = fc.record({
  gap: fc.constantFrom("_", " ", "-", "  ", "\u00a0", "\t", " - "),
  spell: fc.constantFrom<(text: string) => string>(
    (text) => text,
    (text) => text.toUpperCase(),
    (text) => text.replace(/\b[a-z]/g, (letter) => letter.toUpperCase()),
  ),
  around: fc.constantFrom("", " ", "\n", "\t "),
});

/** A period in words or in ISO 8601, in any spelling, on any day. */
export const written: fc.Arbitrary<Written> = fc
  .tuple(
    fc.oneof(fc.integer({ min: FIRST, max: dayList.length - 1 }), fc.constantFrom(...awkward)),
    fc.oneof(plain, ofUnit, named, lastDays, single, interval),
    spelling,
  )
  .map(([index, write, { gap, spell, around }]): Written => {
    const until = dayList.slice(index - LOOK_BACK, index + 1);
    const { word, days } = write(index, until);
    const text = `${around}${spell(word.replaceAll("_", gap))}${around}`;
    return { text, word, today: dayList[index] as Day, days };
  })
  .filter(({ days }) => days.length > 0);
