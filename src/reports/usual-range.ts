/** A number of a day or of some days. Days are counted from the one that is judged, so those before it are negative. */
export interface Earlier {
  day: number;
  value: number;
}

/** The numbers that are nothing to report after some earlier ones, both ends included. */
export interface UsualRange {
  expected: number;
  least: number;
  most: number;
}

export const sensitivities = ["low", "normal", "high"] as const;
export type Sensitivity = (typeof sensitivities)[number];

/** How much wider or narrower the usual range is. */
const WIDTHS: Readonly<Record<Sensitivity, number>> = { low: 1.5, normal: 1, high: 0.75 };

/**
 * How many standard deviations from what is expected are usual, and at least which part of it: a smaller change needs no mail.
 * More are usual upwards, since one link can bring many people. `bench/check.ts` measures what these numbers find and miss.
 */
const LOW = { deviations: 2.5, part: 0.25 };
/** Of two days together, neither of which is low by itself. */
const LOW_TOGETHER = { deviations: 1.9, part: 0.25 };
const HIGH = { deviations: 5, part: 0.5 };

/** How much of a trend is expected to go on: growth ends, and a step up or down looks like a trend for weeks. */
const TREND_KEPT = 0.6;
/** The days that tell the level. */
const RECENT = 28;

/**
 * Learns what is usual from the weeks before: the level, the trend, and each day of the week beside the others. A few odd days
 * change little. A count varies as counts of people do who come independently of each other, and as much more as it did.
 *
 * @returns The usual range of the sum of some days, or of two days together.
 */
export function learnUsual(
  earlier: readonly Earlier[],
  isCount: boolean,
  sensitivity: Sensitivity,
): (days: readonly number[], areTogether?: boolean) => UsualRange {
  const { expect, weekdays } = describeUsual(earlier);
  const measured = earlier.map(({ day, value }) => ({ value, expected: expect(day) }));
  const spread = findSpread(measured, isCount);
  // The earlier days are closer than others to what was learned from them, and what was learned is inexact.
  const fitted = earlier.length / Math.max(1, earlier.length - weekdays - 2);
  const weeks = earlier.length / weekdays;
  return (days, areTogether = false) => {
    const each = days.map(expect);
    const expected = each.reduce((sum, one) => sum + one, 0);
    const variance = each.reduce((sum, one) => sum + varyBy(one, spread, isCount), 0);
    const deviation = Math.sqrt(variance * fitted * (1 + (days.length + 1) / weeks));
    const reach = ({ deviations, part }: typeof LOW) =>
      WIDTHS[sensitivity] * Math.max(deviations * deviation, part * expected);
    return {
      expected,
      least: Math.max(0, expected - reach(areTogether ? LOW_TOGETHER : LOW)),
      most: expected + reach(HIGH),
    };
  };
}

/** The day of the week, counted from the one of the day that is judged. */
export const weekdayOf = (day: number): number => ((day % 7) + 7) % 7;

/** Finds what is expected of a day, and by how many days of the week this was found. */
function describeUsual(earlier: readonly Earlier[]) {
  const byWeekday = [...group(earlier, ({ day }) => weekdayOf(day))];
  let growth = 0;
  const grownBy = (day: number) => Math.exp((growth * day) / 7);
  // First without a trend, which the days of the week hardly need; then again with it.
  let usual = new Map<number, number>();
  for (let round = 0; round < 2; round++) {
    usual = new Map(
      byWeekday.map(([weekday, days]) => [
        weekday,
        averageMiddle(days.map(({ day, value }) => value / grownBy(day))),
      ]),
    );
    growth = TREND_KEPT * findGrowth(compareWithUsual(earlier, usual));
  }
  const compared = compareWithUsual(earlier, usual);
  const recent = compared.filter(({ day }) => day >= -RECENT);
  const level = averageMiddle(
    (recent.length > 0 ? recent : compared).map(({ day, value }) => value / grownBy(day)),
  );
  return {
    expect: (day: number) => (usual.get(weekdayOf(day)) ?? 0) * level * grownBy(day),
    weekdays: byWeekday.length,
  };
}

/** Each number in parts of what is usual on its day of the week. */
const compareWithUsual = (earlier: readonly Earlier[], usual: ReadonlyMap<number, number>): Earlier[] =>
  earlier.flatMap(({ day, value }) => {
    const whole = usual.get(weekdayOf(day)) ?? 0;
    return whole > 0 ? [{ day, value: value / whole }] : [];
  });

/** The growth a week, as a logarithm: the median of that between any two weeks. */
function findGrowth(compared: readonly Earlier[]): number {
  const weeks = [...group(compared, ({ day }) => Math.floor(day / 7))]
    .map(([week, days]) => ({ week, level: Math.log(averageMiddle(days.map(({ value }) => value))) }))
    .filter(({ level }) => Number.isFinite(level));
  const rates = weeks.flatMap((a, index) =>
    weeks.slice(index + 1).map((b) => (b.level - a.level) / (b.week - a.week)),
  );
  return rates.length === 0 ? 0 : findMedian(rates);
}

/** A number's deviation counts as at most so many standard deviations; normally spread ones then have this mean square. */
const LARGEST = 2;
const MEAN_SQUARE = 0.92;

/** How much numbers vary by themselves, in parts of what is expected: as much as explains how far they were from it. */
function findSpread(numbers: readonly { value: number; expected: number }[], isCount: boolean): number {
  const some = numbers.filter(({ expected }) => expected > 0);
  const isTooSmall = (spread: number) => {
    const squares = some.map(({ value, expected }) =>
      Math.min(LARGEST ** 2, (value - expected) ** 2 / varyBy(expected, spread, isCount)),
    );
    return squares.reduce((sum, square) => sum + square, 0) > MEAN_SQUARE * some.length;
  };
  let [low, high] = [0, 2];
  for (let step = 0; step < 20; step++) {
    const middle = (low + high) / 2;
    if (isTooSmall(middle)) low = middle;
    else high = middle;
  }
  return high;
}

/** The variance of a number. Of people who come independently of each other, it is their expected number. */
const varyBy = (expected: number, spread: number, isCount: boolean): number =>
  (isCount ? Math.max(1, expected) : 0) + (spread * expected) ** 2;

/** How many standard deviations may be chance. */
const BY_CHANCE = 3;

/**
 * Whether chance explains that two counts differ: people come independently of each other, so the difference of two counts
 * varies by the square root of their sum.
 */
export const isByChance = (a: number, b: number): boolean => Math.abs(a - b) <= BY_CHANCE * Math.sqrt(a + b);

/** The mean without the lowest and the highest quarter. */
function averageMiddle(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const quarter = Math.floor(sorted.length / 4);
  const middle = sorted.slice(quarter, sorted.length - quarter);
  return middle.reduce((sum, value) => sum + value, 0) / Math.max(1, middle.length);
}

function findMedian(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  const pair = sorted.slice(Math.ceil(middle) - 1, Math.floor(middle) + 1);
  return pair.reduce((sum, value) => sum + value, 0) / pair.length;
}

function group<T>(values: readonly T[], keyOf: (value: T) => number): Map<number, T[]> {
  const groups = new Map<number, T[]>();
  for (const value of values) {
    const key = keyOf(value);
    const found = groups.get(key);
    if (found) found.push(value);
    else groups.set(key, [value]);
  }
  return groups;
}
