import type { Dimension } from "../../operations/dimensions.ts";
import type { Filter } from "../../operations/filter.ts";
import type { DayTotals, HourTotals } from "../data-source.ts";
import { createHourCounts } from "../measure/hour-counts.ts";
import type { Tallies } from "../measure/tallies.ts";
import {
  FOR_FILTER,
  FOR_HOURS,
  FOR_PATHS,
  type HitQuestion,
  type QueriedDay,
  type ReadHits,
} from "./hit-reader.ts";

/** What is asked about the hits of days. */
interface Asked {
  days: readonly QueriedDay[];
  filter: Filter;
  isLeftOut?: HitQuestion["isLeftOut"];
  signal?: AbortSignal | undefined;
}

const NOTHING = { visitors: 0, pageviews: 0, events: 0, visits: 0, bounces: 0, visitSeconds: 0 };
const TOTALS = ["visitors", "pageviews", "events", "visits", "bounces", "visitSeconds"] as const;

const findPurpose = ({ filter, isLeftOut }: Asked) =>
  filter.length === 0 && isLeftOut !== undefined ? FOR_PATHS : FOR_FILTER;

/** Counts what a filter keeps, day by day. Rejects as `ReadHits`. */
export async function countDays(readHits: ReadHits, asked: Asked): Promise<DayTotals[]> {
  const totals = new Map(asked.days.map(({ date }) => [date, { ...NOTHING }]));
  const take = (date: string, _: unknown, count: () => { totals: typeof NOTHING }) => {
    const [sum, found] = [totals.get(date), count().totals];
    if (sum) for (const name of TOTALS) sum[name] += found[name];
  };
  await readHits({ ...asked, purpose: findPurpose(asked), take });
  return [...totals].map(([date, sum]) => ({ date, ...sum }));
}

/** Counts the values of a dimension among what a filter keeps. Rejects as `ReadHits`. */
export async function countValues(
  readHits: ReadHits,
  { dimension, ...asked }: Asked & { dimension: Dimension },
  add: (tallies: Tallies) => void,
): Promise<void> {
  await readHits({
    ...asked,
    dimension,
    purpose: findPurpose(asked),
    take: (_, __, count) => {
      const tallies = count().tally(dimension);
      if (tallies !== undefined) add(tallies);
    },
  });
}

/**
 * Counts the hours of days: of everything, or of what a filter keeps. Closed days know those of everything. Rejects as `ReadHits`.
 *
 * @param starts When the hours begin, in milliseconds since 1970.
 */
export async function countHours(
  readHits: ReadHits,
  asked: Asked,
  starts: readonly number[],
): Promise<HourTotals[]> {
  const hours = createHourCounts(starts.map((start) => start / 1000));
  const isKnown = ({ counts }: QueriedDay): boolean => {
    const known = asked.filter.length === 0 ? counts?.tables.hours() : undefined;
    return known !== undefined && hours.addHours(known);
  };
  const days = asked.days.filter((day) => !isKnown(day));
  await readHits({ ...asked, days, purpose: FOR_HOURS, take: (_, kept) => hours.add(kept) });
  return starts.map((start, index) => ({ start, ...hours.read(index) }));
}
