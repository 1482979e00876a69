import { AnalyticsError, createParameterError } from "../errors.ts";
import type { Call, CallOptions } from "../operations/call.ts";
import type { Dimension } from "../operations/dimensions.ts";
import { type Condition, type Filter, formatCondition, readExactValue } from "../operations/filter.ts";
import { breakdown, sites, stats } from "../operations/index.ts";
import type { AnswerOf } from "../operations/operation.ts";
import { NEAR_VIEWS, UNKNOWN_EVENTS, type Warning } from "../operations/warning.ts";
import { exact, exactly } from "./bounds.ts";
import { createDifferentDaysError, readConsistently } from "./compared-windows.ts";
import {
  type Answers,
  countVisitors,
  findVisitors,
  isContradiction,
  measurePair,
  type Pair,
  type PairedRow,
  pairRows,
  pairTotals,
  type Visitors,
} from "./conversion-counts.ts";
import { countList, createNoDaysError, findRefusal } from "./counted-list.ts";
import type { QueryOptions } from "./default-days.ts";
import { addGoal, readGoal, renameToBy, renameToGoal } from "./goal.ts";
import { type AskDays, type AskedDays, answerDays } from "./site-period.ts";
import type { Breakdown } from "./window-counts.ts";
import { ROW_LIMIT, SMALL_SAMPLE } from "./windows.ts";

interface Asked extends AskedDays {
  goal: string;
  by?: Dimension | undefined;
  limit: number;
}

/** Whether a source can tell who reached a goal, as far as is known: one without filters must say which days its lists cover. */
export const mayCountGoals = async (call: Call, options: CallOptions): Promise<boolean> =>
  (await call.offersDays?.(breakdown, options)) !== false ||
  (await call.offersFilter?.(stats, options)) === true;

/** Counts the visitors of the days, and those of them who reached the goal. */
export async function countConversions(call: Call, asked: Asked, options: QueryOptions) {
  const goal = readGoal(asked.goal);
  const operation = asked.by === undefined ? stats : breakdown;
  if (!(await call.offersFilter?.(operation, options))) return countExactly(call, asked, goal, options);
  const withGoal = await chooseGoal(call, asked, goal, options.filter);
  return answerDays(call, operation, asked, options, async (ask) => {
    const answers = await readConsistently(
      options,
      (fresh) => readAnswers(ask, asked, fresh, withGoal),
      (answers) => !agree(answers),
    );
    if (!coverSameDays(answers)) throw createDifferentDaysError();
    const { before, reached } = answers;
    const lists = [before, reached].filter((answer) => "rows" in answer);
    const warnings = [
      ...(haveSameNumbers(answers) ? [] : [ARRIVED]),
      ...lists.filter(({ truncated }) => truncated).map(warnOfCut),
      ...[...(before.warnings ?? []), ...(reached.warnings ?? [])].filter(({ code }) => code !== NEAR_VIEWS),
    ];
    const rows = asked.by === undefined ? undefined : pairRows(answers);
    const total = Math.max(0, ...lists.map(({ total_rows }) => total_rows));
    return buildResult(reached, asked, goal, { totals: pairTotals(answers), rows, total, warnings });
  });
}

/**
 * The filter that keeps who reached the goal. A visitor with such a hit is one with a visit that has such a hit, so a source
 * that chooses whole visits alone can tell as well. Throws AnalyticsError for conditions on hits beside the goal.
 */
async function chooseGoal(
  call: Call,
  { by = "pages" }: Asked,
  goal: Condition,
  filter: Filter | undefined,
): Promise<Filter> {
  const onHits = addGoal(goal, filter);
  const canAnswer = async (asked: Filter) => (await call.answersFilter?.(by, asked)) ?? true;
  if (await canAnswer(onHits)) return onHits;
  const onVisits = addGoal({ ...goal, ofVisit: true }, filter);
  return (await canAnswer(onVisits)) ? onVisits : onHits;
}

/** Finished days do not change. If today is among them, everything is read again, to see what arrived meanwhile. */
async function readAnswers(
  ask: AskDays,
  { by }: Asked,
  options: QueryOptions,
  withGoal: Filter,
): Promise<Answers> {
  const read = async (given: QueryOptions): Promise<Visitors> =>
    by === undefined
      ? ask(stats, {}, given)
      : countList(await ask(breakdown, { dimension: by, limit: ROW_LIMIT }, given));
  const before = await read(options).catch((error: unknown) => {
    throw renameToBy(error);
  });
  // What is refused only now is refused because of the goal, or because it cannot be ranked by this.
  const reached = await read({ ...options, filter: withGoal }).catch((error: unknown) => {
    throw renameToGoal(renameToBy(error));
  });
  return { before, reached, after: before.period.partial ? await read(options) : before };
}

const coverSameDays = ({ before, reached, after }: Answers) =>
  [reached, after].every(
    ({ period }) => period.from === before.period.from && period.to === before.period.to,
  );

const listNumbers = (answer: Visitors) =>
  JSON.stringify([
    countVisitors(answer),
    "rows" in answer && answer.rows.map(({ value, other, visitors }) => [value, other, visitors]),
  ]);

const haveSameNumbers = ({ before, after }: Answers) => listNumbers(before) === listNumbers(after);

const agree = (answers: Answers) =>
  coverSameDays(answers) &&
  haveSameNumbers(answers) &&
  ![pairTotals(answers), ...pairRows(answers)].some(isContradiction);

const ARRIVED: Warning = {
  code: "arrived",
  detail: "Visits arrived while these were counted, so some numbers are known only as a range.",
};

const warnOfCut = ({ dimension }: Breakdown): Warning => ({
  code: "cut_off",
  detail: `The service did not list all ${dimension}, so some numbers are known only as a range.`,
});

const warnOfUnlisted = ({ dimension }: Breakdown): Warning => ({
  code: "cut_off",
  detail: `How many reached the goal is not known: it is not among the ${dimension} that the service lists, which may not be all.`,
});

/** Answers for a service without filters: its breakdown has the visitors of one value, and those of all. */
async function countExactly(call: Call, asked: Asked, goal: Condition, { filter, ...options }: QueryOptions) {
  const value = readExactValue(goal);
  const assertEvents = async (ask: AskDays) => {
    if (goal.dimension === "events") assertHasEvents(await ask(stats, {}, options));
  };
  const assertListed = () => assertEventsListed(call, asked, goal, options);
  await assertListed();
  const needsFilter = filter !== undefined || asked.by !== undefined || value === undefined;
  // Its first answer tells what a service has, and so what to ask instead.
  if (needsFilter) await call(sites, {}, options);
  if ((await call.offersDays?.(breakdown, options)) === false)
    return answerDays(call, stats, asked, options, async (ask) => {
      await assertEvents(ask);
      throw createNoDaysError("goal", goal.dimension);
    });
  if (filter !== undefined) throw createNoFilterError("filter", CANNOT);
  if (asked.by !== undefined) throw createNoFilterError("by", CANNOT);
  if (value === undefined)
    throw createNoFilterError("goal", `must be one exact value, such as events=signup: ${WHY}`);
  const params = { dimension: goal.dimension, limit: ROW_LIMIT };
  return answerDays(call, breakdown, asked, options, async (ask) => {
    const read = async () => {
      const answer = await ask(breakdown, params, options);
      if (answer.rows.length === 0) await assertEvents(ask);
      return countList(answer);
    };
    const list = await read().catch(async (error: unknown) => {
      // Only its answer may have told what it lists.
      await assertListed();
      throw renameToGoal(error);
    });
    const visitors = exactly(list.totals.visitors);
    const converted = findVisitors(list, value);
    const isUnknown = converted.least === 0 && converted.most >= Math.max(1, visitors.most);
    const isCut = list.truncated && exact(converted) === null;
    const warnings = [
      ...(isUnknown ? [warnOfUnlisted(list)] : isCut ? [warnOfCut(list)] : []),
      ...(list.warnings ?? []),
    ];
    return buildResult(list, asked, goal, { totals: { visitors, converted }, warnings });
  });
}

/** Refuses events of a service that is known to list none, with what it does have. */
async function assertEventsListed(
  call: Call,
  { site }: Asked,
  { dimension }: Condition,
  options: CallOptions,
): Promise<void> {
  const refusal = dimension === "events" && (await findRefusal(call, { site, dimension }, options));
  if (!refusal) return;
  assertHasEvents(await call(stats, { site, days: 1 }, options));
  throw createParameterError(
    "goal",
    "cannot be an event: this service counts events, but does not list them",
    { hint: refusal.hint, next: [{ why: "All events", name: stats.name, params: {} }] },
  );
}

/** Which pages there are, one of which may be the goal. */
const PAGES = [{ why: "The pages", name: breakdown.name, params: { dimension: "pages", filter: undefined } }];

/** Refuses to count events of a service whose totals have none: an empty list of them is no count. */
function assertHasEvents({ events, warnings = [] }: AnswerOf<typeof stats>): void {
  // Those of these days alone may be unknown.
  if (events !== undefined || warnings.some(({ detail }) => detail === UNKNOWN_EVENTS.detail)) return;
  throw createParameterError("goal", "cannot be an event: this service has no events", {
    hint: "If visitors then see a page of their own, ask for that page: goal pages=/<page>.",
    next: PAGES,
  });
}

const WHY = "this service does not offer filters";
const CANNOT = `cannot be used: ${WHY}`;

const createNoFilterError = (parameter: string, detail: string) =>
  new AnalyticsError("invalid_parameter", `${parameter} ${detail}.`, {
    hint: "It can tell how many visitors had one event or viewed one page: a goal of one exact value, without by and filter.",
    next: parameter === "goal" ? PAGES : [{ why: "Without", params: { by: undefined, filter: undefined } }],
    parameters: [{ parameter, detail }],
  });

interface Found {
  totals: Pair;
  rows?: PairedRow[] | undefined;
  /** How many rows there are at least. */
  total?: number;
  warnings: readonly Warning[];
}

function buildResult(
  { site, period }: Visitors,
  { by, limit }: Asked,
  goal: Condition,
  { totals, rows, total = 0, warnings }: Found,
) {
  const measured = rows?.map(({ visitors, converted, ...row }) => ({
    ...row,
    ...measurePair({ visitors, converted }, row.label),
  }));
  const total_rows = Math.max(total, rows?.length ?? 0);
  const known = [...new Map(warnings.map((warning) => [warning.detail, warning])).values()];
  return {
    site,
    period,
    goal: formatCondition(goal),
    ...(by !== undefined && { by }),
    ...measurePair(totals, site.domain),
    small_sample: totals.visitors.least < SMALL_SAMPLE,
    ...(measured && {
      rows: measured.slice(0, limit),
      limit,
      total_rows,
      truncated: total_rows > Math.min(limit, measured.length),
    }),
    ...(known.length > 0 && { warnings: known }),
  };
}
