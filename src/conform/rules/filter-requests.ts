import { quote } from "../../errors.ts";
import { type Dimension, dimensions } from "../../operations/dimensions.ts";
import {
  type Condition,
  conditionOf,
  formatCondition,
  readFilter,
  verifyFilter,
} from "../../operations/filter.ts";
import { breakdown, openapi, type realtime, stats, timeseries } from "../../operations/index.ts";
import { sumPoints } from "../../operations/timeseries.ts";
import type { VisitCount, WithVisits } from "../../operations/visit-rates.ts";
import type { Warning } from "../../operations/warning.ts";
import { findParameters } from "../openapi-lookup.ts";
import type { Ask, Params } from "../probe.ts";
import type { Reply } from "../reply.ts";
import { type Read, read, type Subject } from "../subject.ts";
import { Breach, Inconclusive, Skip } from "../verdict.ts";
import { hits, measureOf, type Ranking, type Row, rank, rankEach } from "./breakdown-ranking.ts";

type Filtering = typeof stats | typeof timeseries | typeof breakdown | typeof realtime;

/** Those of the operations that offer `filter`, which the contract leaves optional. Throws Skip if none does. */
export async function findFiltering<O extends Filtering>(subject: Subject, operations: readonly O[]) {
  const { reply } = await read(subject, openapi);
  const offering = operations.filter((operation) => findParameters(reply.json, operation).has("filter"));
  if (offering.length > 0) return offering;
  const where = operations.length === 1 ? ` on ${operations[0]?.path}` : "";
  throw new Skip(`the service does not offer filter${where}`);
}

/**
 * The answer for a filter; without conditions, the one about everything. Throws Skip if the operation does not offer
 * filters, or ignores this one, which is a separate rule.
 */
export async function readFiltered<O extends Filtering>(
  subject: Subject,
  operation: O,
  filter: readonly string[],
  params: Params = {},
  how: Ask = {},
): Promise<Read<O>> {
  await findFiltering(subject, [operation]);
  if (filter.length === 0) return read(subject, operation, params, how);
  const found = await read(subject, operation, { ...params, filter }, how);
  if (verifyFilter(readFilter(found.answer), filter) !== undefined)
    throw new Skip(`${operation.path} does not repeat its filter: see filters.echo`);
  return found;
}

/** The numbers of /stats for a filter, for comparison with other answers. Those of visits only if there are any. */
export async function readCounts(subject: Subject, filter: readonly string[], fresh = false) {
  const { reply, answer } = await readFiltered(subject, stats, filter, {}, { fresh });
  const { visitors, pageviews, events } = answer;
  return { reply, period: answer.period, numbers: { visitors, pageviews, events, ...growing(answer) } };
}

/** The numbers of visits that can only grow in the course of a day: a visit does not remain a bounce. */
export function growing({ visits, bounces, visit_seconds }: WithVisits): Record<string, number> {
  if (visits === undefined || bounces === undefined || visit_seconds === undefined) return {};
  return { visits, visits_without_bounces: visits - bounces, visit_seconds };
}

export type Measure = "visitors" | "pageviews" | VisitCount;

/** The sums of a filter's finished days. */
export interface Finished {
  reply: Reply;
  /** Today at the site, which is left out. */
  today: string;
  numbers: { visitors: number; pageviews: number } & Partial<Record<VisitCount, number>>;
  warnings: readonly Warning[];
}

async function readFinished(subject: Subject, filter: readonly string[], fresh = false): Promise<Finished> {
  const { reply, answer } = await readFiltered(subject, timeseries, filter, {}, { fresh });
  const { to: today } = answer.period;
  const numbers = sumPoints(answer.points.filter(({ date }) => date !== today));
  return { reply, today, numbers, warnings: answer.warnings ?? [] };
}

/** Compares the finished days of filters with those of everything. Throws Skip if there are no visits. */
export async function compareFinished<K extends string>(
  subject: Subject,
  filters: Record<K, readonly string[]>,
  compare: (whole: Finished, parts: Record<K, Finished>) => void,
): Promise<void> {
  subject.demandVisits();
  const whole = await readFinished(subject, []);
  const entries: [string, Finished][] = [];
  for (const [name, filter] of Object.entries<readonly string[]>(filters)) {
    entries.push([name, await readFinished(subject, filter)]);
  }
  const all = [whole, ...entries.map(([, part]) => part)];
  if (all.some(({ today }) => today !== whole.today))
    throw new Inconclusive("a new day began at the site between the requests");
  if (all.some(({ warnings }) => warnings.some(({ code }) => code === "folded")))
    throw new Skip("the service folds values, and no filter counts those");
  try {
    // The same names as those of the filters.
    compare(whole, Object.fromEntries(entries) as Record<K, Finished>);
  } catch (error) {
    if (!(error instanceof Breach)) throw error;
    const again = await readFinished(subject, [], true);
    if (quote(again.numbers) === quote(whole.numbers)) throw error;
    throw new Inconclusive("finished days changed between the requests");
  }
}

export interface Chosen {
  dimension: Dimension;
  value: string;
  row: Row;
  /** Keeps this row, or everything else. */
  is: string;
  isNot: string;
}

function choose(dimension: Dimension, row: Row): Chosen[] {
  const { value, other } = row;
  if (value === null || other) return [];
  const condition: Condition = conditionOf(dimension, value);
  const isNot = formatCondition({ ...condition, isNot: true });
  return [{ dimension, value, row, is: formatCondition(condition), isNot }];
}

/** The dimensions whose rows are visits, from which a condition is chosen. */
const VISIT_DIMENSIONS: Dimension[] = ["countries", "devices", "referrers"];

/** The top row of a dimension of visits, if possible one that does not have all of them. Throws Skip if there is none. */
export async function chooseVisits(subject: Subject): Promise<Chosen> {
  subject.demandVisits();
  const rankings = await rankEach(subject, VISIT_DIMENSIONS);
  const found = rankings.flatMap(({ dimension, answer }) =>
    answer.rows.flatMap((row) => choose(dimension, row)).map((chosen) => ({ chosen, totals: answer.totals })),
  );
  const part = found.find(({ chosen, totals }) => (chosen.row.pageviews ?? 0) < totals.pageviews) ?? found[0];
  if (part === undefined) throw new Skip("no visit has a country, a device or a referrer");
  return part.chosen;
}

/** The first row with a value. */
const findTop = (dimension: Dimension, { rows }: Ranking): Chosen | undefined =>
  rows.flatMap((row) => choose(dimension, row))[0];

/** Rows with a value, those first that are not everything: a filter that is ignored shows in them. */
export function findParts(dimension: Dimension, { rows, totals }: Ranking): Chosen[] {
  const all = rows.flatMap((row) => choose(dimension, row));
  const isAll = ({ row }: Chosen) => hits(row, dimension) === (totals[measureOf(dimension)] ?? 0);
  return [...all.filter((each) => !isAll(each)), ...all.filter(isAll)];
}

/** A row of each dimension, if possible one that is not everything. */
export async function chooseEach(subject: Subject): Promise<(Chosen & Read<typeof breakdown>)[]> {
  subject.demandVisits();
  const rankings = await rankEach(subject, dimensions);
  return rankings.flatMap((ranking) =>
    findParts(ranking.dimension, ranking.answer)
      .slice(0, 1)
      .map((part) => ({ ...ranking, ...part })),
  );
}

/** The page with the most visitors. Throws Skip if there is none. */
export async function choosePage(subject: Subject): Promise<Chosen> {
  subject.demandVisits();
  const { answer } = await rank(subject, "pages");
  const top = findTop("pages", answer);
  if (top === undefined) throw new Skip("the site has no pages");
  return top;
}

/** A row's own numbers, read again if `fresh`; zeros if there is no such row. */
export async function readRow(subject: Subject, dimension: Dimension, value: string | null, fresh: boolean) {
  const { reply, answer } = await read(subject, breakdown, { dimension }, { fresh });
  const row = answer.rows.find((each) => each.value === value && !each.other);
  const measure = measureOf(dimension);
  const numbers = { visitors: row?.visitors ?? 0, [measure]: row?.[measure] ?? 0, ...growing(row ?? {}) };
  return { reply, period: answer.period, numbers };
}
