import { createParameterError, quote, quoteIfNeeded } from "../errors.ts";
import { type Call, createNoStepsError, type StepCounts } from "../operations/call.ts";
import { type Filter, formatCondition, MAX_CONDITIONS } from "../operations/filter.ts";
import { stats } from "../operations/index.ts";
import { NO_SUCH_VALUE, type Warning } from "../operations/warning.ts";
import { percentOf } from "./conversion-counts.ts";
import type { QueryOptions } from "./default-days.ts";
import { assertOfVisits, readGoal } from "./goal.ts";
import { type AskedDays, answerDays } from "./site-period.ts";
import { SMALL_SAMPLE } from "./windows.ts";

const FEWEST = 2;

/** Counts the visits of the days, and those of them that took steps one after the other. */
export async function countSteps(call: Call, asked: AskedDays & { steps: string[] }, options: QueryOptions) {
  const steps = readSteps(asked.steps);
  assertOfVisits(options.filter ?? [], "steps");
  const { countSteps } = call;
  if (countSteps === undefined) throw createNoStepsError();
  return answerDays(call, stats, asked, options, async (ask) => {
    const { site, period, warnings = [] } = await ask(stats, {}, options);
    const { from, to } = period;
    const { most, ...least } = await countSteps({ site: site.id, from, to, steps }, options);
    const { visits } = least;
    const all = [...warnings, ...warnOfMissing(steps, most ?? least)];
    const counts = listCounts(least);
    const upper = most && listCounts(most);
    /** Those before the first step are all visits. */
    const isKnown = (place: number) => upper === undefined || upper[place] === counts[place];
    const rate = (place: number, of: number) =>
      isKnown(place) && isKnown(of) && counts[of] !== 0
        ? percentOf(counts[place] ?? 0, counts[of] ?? 0)
        : null;
    return {
      site,
      period,
      visits,
      ...(!isKnown(0) && { visits_at_most: upper?.[0] }),
      converted: isKnown(steps.length) ? (counts.at(-1) ?? 0) : null,
      conversion_rate: rate(steps.length, 0),
      steps: steps.map((step, index) => ({
        step: formatCondition(step),
        visits: counts[index + 1] ?? 0,
        ...(!isKnown(index + 1) && { visits_at_most: upper?.[index + 1] }),
        percentage: rate(index + 1, 0),
        percentage_of_previous: rate(index + 1, index),
      })),
      small_sample: visits < SMALL_SAMPLE,
      ...(all.length > 0 && { warnings: all }),
    };
  });
}

/** All visits, then those of each step. */
const listCounts = ({ visits, reached }: Omit<StepCounts, "most">) => [visits, ...reached];

/** Reads steps as goals. Throws AnalyticsError `invalid_parameter`. */
function readSteps(texts: readonly string[]): Filter {
  if (texts.length < FEWEST || texts.length > MAX_CONDITIONS)
    throw createParameterError(
      "steps",
      `needs ${FEWEST} to ${MAX_CONDITIONS} pages or events in order, such as pages=/cart and then pages=/thanks`,
    );
  return texts.map((text) => {
    const step = readGoal(text, "steps");
    if (step.dimension !== "hostnames") return step;
    throw createParameterError("steps", `must be pages or events, not ${quote(text, { maxLength: 80 })}`);
  });
}

/** Says that nobody can have taken a step because no visit has such a hit, in whatever order. */
function warnOfMissing(steps: Filter, { visits, met }: Omit<StepCounts, "most">): Warning[] {
  const missing = steps.filter((_, index) => visits > 0 && met[index] === 0).map(formatCondition);
  const [first] = missing;
  if (first === undefined) return [];
  const detail = `No visit of these days has ${missing.map(quoteIfNeeded).join(" or ")}.`;
  return [{ code: NO_SUCH_VALUE, detail, values: { filter: first } }];
}
