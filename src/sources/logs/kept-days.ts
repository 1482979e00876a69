import type { StepCounts } from "../../operations/call.ts";
import type { Dimension } from "../../operations/dimensions.ts";
import type { Filter } from "../../operations/filter.ts";
import type { DayTotals, HourTotals } from "../data-source.ts";
import { createLookup } from "../lookup.ts";
import { countKept } from "../measure/count.ts";
import type { KeptHits } from "../measure/hit-filter.ts";
import { createHourCounts } from "../measure/hour-counts.ts";
import type { createRanking } from "../measure/ranking.ts";
import { addSteps, countSteps, createNoSteps } from "../measure/steps.ts";
import {
  FOR_FILTER,
  FOR_HOURS,
  FOR_PATHS,
  FOR_STEPS,
  type HitQuestion,
  type QueriedDay,
  type ReadHits,
} from "./hit-reader.ts";

type Ranks = ReturnType<typeof createRanking>;

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
  /** By day with values that were folded, what the filter may keep beyond what it keeps. */
  const more = createLookup((_: string) => ({ ...NOTHING }));
  const add = (sum: typeof NOTHING | undefined, found: typeof NOTHING, sign = 1) => {
    if (sum) for (const name of TOTALS) sum[name] += sign * found[name];
  };
  const take: HitQuestion["take"] = (date, kept, count) => {
    add(totals.get(date), count().totals);
    if (kept.most === undefined) return;
    add(more.get(date), countKept(kept.most).totals);
    add(more.get(date), count().totals, -1);
  };
  await readHits({ ...asked, purpose: findPurpose(asked), take });
  return [...totals].map(([date, sum]) => {
    const beyond = more.all.get(date);
    return { date, ...sum, ...(beyond && { most: addTotals(sum, beyond) }) };
  });
}

const addTotals = (a: typeof NOTHING, b: typeof NOTHING) => ({
  visitors: a.visitors + b.visitors,
  pageviews: a.pageviews + b.pageviews,
  events: a.events + b.events,
});

/** Counts the values of a dimension among what a filter keeps. Rejects as `ReadHits`. */
export async function countValues(
  readHits: ReadHits,
  { dimension, ...asked }: Asked & { dimension: Dimension },
  ranking: Pick<Ranks, "add" | "addMost">,
): Promise<void> {
  await readHits({
    ...asked,
    dimension,
    purpose: findPurpose(asked),
    take: (_, kept, count) => {
      const tallies = count().tally(dimension);
      if (tallies !== undefined) ranking.add(tallies);
      const most = kept.most && countKept(kept.most).tally(dimension);
      if (most !== undefined) ranking.addMost(most, tallies);
    },
  });
}

/** Counts the visits that took steps. Rejects as `ReadHits`. */
export async function countDaysSteps(readHits: ReadHits, asked: Asked, steps: Filter): Promise<StepCounts> {
  let sum = createNoSteps(steps);
  const take = (_: string, kept: KeptHits) => {
    sum = addSteps(sum, countSteps(kept, steps));
  };
  await readHits({ ...asked, steps, purpose: FOR_STEPS, take });
  return sum;
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
  const most = createHourCounts(starts.map((start) => start / 1000));
  const take: HitQuestion["take"] = (_, kept) => {
    hours.add(kept);
    most.add(kept.most ?? kept);
  };
  await readHits({ ...asked, days, purpose: FOR_HOURS, take });
  return starts.map((start, index) => {
    const [counted, { visitors, pageviews }] = [hours.read(index), most.read(index)];
    const isMore = visitors > counted.visitors || pageviews > counted.pageviews;
    return { start, ...counted, ...(isMore && { most: { visitors, pageviews } }) };
  });
}
