import type { Call } from "../../src/operations/call.ts";
import { addDays, countDays } from "../../src/operations/days.ts";
import type { Operation } from "../../src/operations/operation.ts";
import { type CheckResult, createCheck } from "../../src/reports/check.ts";
import type { Conditions, Finding } from "../../src/reports/check-conditions.ts";
import type { Random } from "../../src/sources/demo/random.ts";
import { createLookup } from "../../src/sources/lookup.ts";

/** A site on ordinary days. */
export interface Ordinary {
  visitors: number;
  /** How much its days vary beyond chance: one standard deviation, in parts of their visitors. */
  noise: number;
  /** In parts, a week. */
  growth?: number;
}

/** From Monday on, beside each other. */
const WEEK = [1.12, 1.15, 1.13, 1.1, 1, 0.73, 0.77];
const FIRST = "2025-01-06";
/** The week in which a site that grows has its visitors. */
const GROWN = 10;

const normal = (random: Random): number =>
  Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());

/** A number of people who come independently of each other. */
function drawPoisson(random: Random, mean: number): number {
  // As a sum of smaller ones: e^-mean would be 0.
  if (mean > 200) return drawPoisson(random, mean / 2) + drawPoisson(random, mean / 2);
  let count = 0;
  for (let rest = Math.exp(mean) * random(); rest > 1; rest *= random()) count++;
  return count;
}

/** Draws the visitors of a day, counted from FIRST. `part` of the usual number of people want to come. */
export function drawDay(
  random: Random,
  day: number,
  { visitors, noise, growth = 0 }: Ordinary,
  part = 1,
): number {
  const usual = visitors * part * (WEEK[day % 7] ?? 1) * (1 + growth) ** (day / 7 - GROWN);
  return drawPoisson(random, usual * Math.exp(noise * normal(random) - noise ** 2 / 2));
}

/** Requests in vain and failures that every site has: few a path, beside the visitors. */
const REQUESTS = { "4xx": { perVisitor: 0.012, paths: 30 }, "5xx": { perVisitor: 0.001, paths: 5 } };

function listRequests(random: Random, visitors: number, status: keyof typeof REQUESTS) {
  const { perVisitor, paths } = REQUESTS[status];
  const weights = Array.from({ length: paths }, (_, index) => 1 / (index + 1));
  const all = weights.reduce((sum, weight) => sum + weight, 0);
  return weights
    .map((weight, index) => ({
      value: `/gone-${index}`,
      requests: drawPoisson(random, (perVisitor * visitors * weight) / all),
      referrers: [],
    }))
    .filter(({ requests }) => requests > 0)
    .toSorted((a, b) => b.requests - a.requests);
}

/** A source that has these visitors, the last of them yesterday. */
function createSource(random: Random, counts: readonly number[]): Call {
  const today = addDays(FIRST, counts.length);
  const site = { id: "1", domain: "example.com" };
  const pointsOf = (from: string, to: string) =>
    Array.from({ length: countDays(from, to) }, (_, index) => addDays(from, index)).map((date) => {
      const visitors = counts[countDays(FIRST, date) - 1] ?? 0;
      return { date, visitors, pageviews: 2 * visitors };
    });
  const ask = async (
    { name }: Operation,
    { status = "4xx" }: { status?: keyof typeof REQUESTS },
    { span: { from, to } = { from: today, to: today } }: { span?: { from: string; to: string } } = {},
  ) => {
    const days = countDays(from, to);
    const period = { from, to, days, timezone: "UTC", partial: false, complete_through: to };
    const points = pointsOf(from, to);
    const visitors = points.reduce((sum, point) => sum + point.visitors, 0);
    const about = { site, period: { ...period, as_of: `${today}T08:00:00Z` } };
    const warnings =
      from < FIRST
        ? [{ code: "before_data_since", detail: "It starts later.", values: { data_since: FIRST } }]
        : undefined;
    switch (name) {
      case "sites":
        return { as_of: `${today}T08:00:00Z`, sites: [{ ...site, name: "Example", timezone: "UTC" }] };
      case "stats":
        return { ...about, visitors, pageviews: 2 * visitors, events: 0, warnings };
      case "timeseries":
        return { ...about, interval: "day", points, warnings };
      default:
        return { ...about, rows: listRequests(random, visitors, status), totals: {}, warnings };
    }
  };
  return Object.assign(ask as unknown as Call, {
    today: async () => today,
    offersSpans: async () => true,
    readDataDays: async () => ({ since: FIRST }),
  });
}

const checks = createLookup(createCheck);

/** What a check of the last of these days finds. */
export async function checkLast(
  random: Random,
  counts: readonly number[],
  conditions: Conditions,
): Promise<Finding[]> {
  const { result } = await checks
    .get(conditions)
    .ask(createSource(random, counts), { site: "example.com" }, {});
  return (result as CheckResult).findings;
}
