import { AnalyticsError } from "../errors.ts";
import type { Call, CallOptions } from "../operations/call.ts";
import { addDays, countDays, type Days } from "../operations/days.ts";
import { NO_LIST } from "../operations/dimension-names.ts";
import type { Dimension } from "../operations/dimensions.ts";
import { breakdown, type DaysOperation, stats, timeseries } from "../operations/index.ts";
import type { AnswerOf } from "../operations/operation.ts";
import { NEAR, type Warning } from "../operations/warning.ts";
import { addsUp, NO_SUMS, NOT_ADDED_UP, readLastDay } from "./added-days.ts";
import type { ComparedDays } from "./compared-days.ts";
import { countList, createListError, createNoDaysError, findRefusal } from "./counted-list.ts";
import { nameList } from "./list-days.ts";
import { type Missing, NO_DAYS } from "./missing-parts.ts";
import { keepMissing, readLists } from "./read-parts.ts";
import { askSpan, readToday } from "./site-period.ts";
import { assertWithinReach, readMaximum, readReach, within } from "./subtracted-spans.ts";
import { countBySubtraction, countDirectly, findErrorBound, type WindowCounts } from "./window-counts.ts";
import { ROW_LIMIT, sumWindow, type Window } from "./windows.ts";

type Series = AnswerOf<typeof timeseries>;

/** Two windows of complete days at a site. */
export interface Windows {
  site: Series["site"];
  timezone?: string | undefined;
  as_of: string;
  current: Window;
  previous: Window;
  /** The series that the windows are cut from; the first one contains the first day of the earlier window. */
  series: readonly [Series, ...Series[]];
  groups: (WindowCounts & { dimension: Dimension })[];
  missing?: Missing;
  /** Where a service with an API of its own means something else than the contract. */
  near?: string[];
}

interface Answers extends Windows {
  /** False if midnight at the site passed between the calls, so that the answers cover different days. */
  sameDay: boolean;
}

interface Reading extends ComparedDays {
  site: string;
  today: string;
  /** The last day that answers to `days` have. */
  last: string;
  asked: Dimension[];
}

/**
 * Reads both windows, directly if the source answers for any days, else by subtraction. Reads again if visits arrived or
 * midnight passed meanwhile.
 */
export async function readWindows(
  call: Call,
  site: string,
  asked: Dimension[],
  resolve: (today: string) => ComparedDays,
  options: CallOptions,
): Promise<Windows> {
  const read = async (fresh: CallOptions) => {
    const { today } = await readToday(call, site, fresh);
    const last = await readLastDay(call, { site, today }, options);
    const reading = { site, today, last, asked, ...resolve(today) };
    if (await call.offersSpans?.(stats, options)) return readDirectly(call, reading, fresh);
    return readBySubtraction(call, reading, fresh).catch((error: unknown) => {
      // Only its refusal may tell how far a service reaches.
      const maximum = readMaximum(error);
      if (maximum !== undefined) assertWithinReach(findFirst(reading), last, maximum);
      throw error;
    });
  };
  const { sameDay, ...windows } = await readConsistently(
    options,
    read,
    (answers) => !answers.sameDay || answers.groups.some(({ errorBound }) => errorBound > 0),
  );
  if (!sameDay) throw createDifferentDaysError();
  return windows;
}

const ATTEMPTS = 3;
/** Milliseconds after which nothing is read again: with a slow service, it would use up the query's time. */
const MAX_REREAD_MS = 10_000;

/**
 * Reads several answers that must agree, bypassing the cache. Visits may arrive between the calls, and midnight may
 * pass. While the answers disagree, reads all of them again, at most twice and only while there is time and the
 * service's quota allows it. Returns the last answers, even if they still disagree.
 */
export async function readConsistently<T>(
  options: CallOptions,
  read: (fresh: CallOptions) => Promise<T>,
  disagree: (answers: T) => boolean,
): Promise<T> {
  const fresh = { ...options, fresh: true };
  const began = performance.now();
  let answers = await read(fresh);
  for (let attempt = 1; attempt < ATTEMPTS && disagree(answers); attempt++) {
    if (performance.now() - began > MAX_REREAD_MS) break;
    try {
      answers = await read(fresh);
    } catch (error) {
      if (error instanceof AnalyticsError && error.code === "rate_limited") break;
      throw error;
    }
  }
  return answers;
}

/** Reads each list. If several are asked for, some may be missing. */
async function readEach<T>(asked: readonly Dimension[], read: (dimension: Dimension) => Promise<T>) {
  const [only, other] = asked;
  if (only === undefined || other !== undefined) return readLists(asked, read);
  return { lists: [await read(only)], missing: [] };
}

/** Each window's own answers, from a source that answers for any days. They never change, so they agree. */
async function readDirectly(
  call: Call,
  { site, today, current, previous, asked }: Reading,
  options: CallOptions,
): Promise<Answers> {
  const ask = <O extends DaysOperation>(operation: O, days: Days, more = {}) =>
    askSpan(call, operation, more, { site, today, ...days }, options);
  const readGroup = async (dimension: Dimension) => {
    const list = async (days: Days) => countList(await ask(breakdown, days, { dimension, limit: ROW_LIMIT }));
    const [later, earlier, whole] = await Promise.all([
      list(current),
      list(previous),
      addDays(previous.to, 1) === current.from ? list({ from: previous.from, to: current.to }) : undefined,
    ]);
    return { dimension, ...countDirectly(later, earlier, whole), lists: [later, earlier] };
  };
  const [later, earlier, { lists: groups, missing }] = await Promise.all([
    ask(timeseries, current),
    ask(timeseries, previous),
    readEach(asked, readGroup),
  ]);
  return {
    ...readHead(later),
    current: sumWindow(later.points),
    previous: sumWindow(earlier.points),
    ...joinNear(
      findNear(
        groups.flatMap(({ lists }) => lists),
        current,
      ),
    ),
    groups: groups.map(({ lists: _, ...group }) => group),
    ...keepMissing(missing),
    series: current.from < previous.from ? [later, earlier] : [earlier, later],
    sameDay: later.period.as_of.startsWith(today),
  };
}

/** Subtracts the windows from answers that end today, for a service that has no others. */
async function readBySubtraction(
  call: Call,
  { site, last, current, previous, asked: named }: Reading,
  options: CallOptions,
): Promise<Answers> {
  const first = findFirst({ current, previous });
  assertWithinReach(first, last, await readReach(call, options));
  const isByDay = !(await addsUp(call, { site, from: first, to: last, last }, options));
  const obstacle = await findObstacle(call, { site, asked: named, isByDay }, options);
  const asked = obstacle === undefined ? named : [];
  const listed = await call.listed?.(options);
  const lacksEvents = named.length > 1 && listed?.includes("events") === false;
  const since = (day: string) => countDays(day, last);
  const after = (day: string) => since(addDays(day, 1));
  const lengths = {
    sincePrevious: since(previous.from),
    afterPrevious: after(previous.to),
    sinceCurrent: since(current.from),
    afterCurrent: after(current.to),
  };
  const days = Math.max(lengths.sincePrevious, lengths.sinceCurrent);
  const all = [...new Set(Object.values(lengths))];
  const readGroup = async (dimension: Dimension) => {
    const lists = await Promise.all(
      all.map(async (length) =>
        countList(await call(breakdown, { site, dimension, limit: ROW_LIMIT, days: length }, options)),
      ),
    ).catch(nameList(dimension, { ...current, last }));
    const byLength = new Map(lists.map((list) => [list.period.days, list]));
    return { dimension, lists, byLength };
  };
  const [series, totals, { lists: recorded, missing }] = await Promise.all([
    call(timeseries, { site, days }, options),
    // A series has no events, so the totals to check a breakdown of events against are read separately.
    asked.includes("events")
      ? Promise.all(all.map((length) => call(stats, { site, days: length }, options)))
      : [],
    readEach(asked, readGroup),
  ]);
  const answers = [series, ...totals, ...recorded.flatMap(({ lists }) => lists)];
  const within = ({ from, to }: Days) => series.points.filter(({ date }) => date >= from && date <= to);
  return {
    ...readHead(series),
    current: sumWindow(within(current), !isByDay),
    previous: sumWindow(within(previous), !isByDay),
    series: [series] as const,
    ...joinNear(
      findNear([...recorded.flatMap(({ lists }) => lists), series], current),
      isByDay ? [NOT_ADDED_UP] : [],
    ),
    ...keepMissing(
      obstacle === undefined
        ? missing
        : named.map((dimension) => ({
            dimension,
            reason: listed?.includes(dimension) === false ? NO_LIST : obstacle,
          })),
      lacksEvents ? [{ part: "events", reason: NO_LIST }] : [],
    ),
    groups: recorded.map(({ dimension, lists, byLength }) => {
      const of = (length: number) => byLength.get(length) ?? lists[0];
      const [sincePrevious, afterPrevious] = [of(lengths.sincePrevious), of(lengths.afterPrevious)];
      const [sinceCurrent, afterCurrent] = [of(lengths.sinceCurrent), of(lengths.afterCurrent)];
      if (!sincePrevious || !afterPrevious || !sinceCurrent || !afterCurrent)
        throw createDifferentDaysError();
      const errorBound = findErrorBound(lists, series, totals);
      return {
        dimension,
        ...countBySubtraction({ sincePrevious, afterPrevious, sinceCurrent, afterCurrent }, errorBound),
      };
    }),
    sameDay: answers.every(({ period }) => period.to === last),
  };
}

const findFirst = ({ current, previous }: ComparedDays) =>
  previous.from < current.from ? previous.from : current.from;

/** The warnings about the rows of lists and about days, each once. */
function findNear(answers: readonly { warnings?: Warning[] | undefined }[], days: Days): string[] {
  const warnings = answers.flatMap((answer) => within(days, answer));
  return warnings.filter(({ code }) => code === NEAR).map(({ detail }) => detail);
}

function joinNear(...details: readonly string[][]): { near?: string[] } {
  const near = [...new Set(details.flat())];
  return near.length === 0 ? {} : { near };
}

/** Why no list can be compared; undefined if they can. Throws AnalyticsError for a single list. */
async function findObstacle(
  call: Call,
  { site, asked, isByDay }: { site: string; asked: Dimension[]; isByDay: boolean },
  options: CallOptions,
): Promise<string | undefined> {
  const takesDays = (await call.offersDays?.(breakdown, options)) !== false;
  if (takesDays && !isByDay) return undefined;
  const [first] = asked;
  if (first !== undefined && asked.length === 1) {
    const refusal = await findRefusal(call, { site, dimension: first }, options);
    if (refusal) throw refusal;
    throw takesDays ? createListError(first, NO_SUMS) : createNoDaysError("dimension", first);
  }
  return takesDays ? NO_SUMS : NO_DAYS;
}

const readHead = ({ site, period: { timezone, as_of } }: Series) => ({
  site,
  ...(timezone !== undefined && { timezone }),
  as_of,
});

export function createDifferentDaysError(): AnalyticsError {
  return new AnalyticsError("bad_answer", "The service's answers cover different days.", {
    hint: "Nothing was compared. Try again; if it keeps happening, contact the service's operator.",
  });
}
