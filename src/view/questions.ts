import { setImmediate } from "node:timers/promises";
import { createCache, createConcurrencyLimiter, createSingleFlight } from "../client/concurrency.ts";
import { AnalyticsError } from "../errors.ts";
import type { Call, CallOptions } from "../operations/call.ts";
import { readFilterInput } from "../operations/filter-input.ts";
import type { Operation } from "../operations/operation.ts";
import { readParams } from "../operations/parameters.ts";
import { assertNotDaysAndPeriod, resolvePeriod } from "../operations/period-words.ts";
import type { Answer, Query } from "../reports/query.ts";
import { headQuery, reportQuery } from "../reports/site-report.ts";
import { type Address, change, type Fit, formatAddress, readQuestion } from "./address.ts";

/** In milliseconds: how long an answer is shown again. */
const FRESH = 60_000;
/** How many pages are counted at once; others wait. */
const MOST_AT_ONCE = 4;

/** Some periods only: a page has buttons and fields for most. */
const FORMS = "one such as last_week, october, 2026-10 or 2026-11-01/2026-11-15";

export interface Question {
  query: Query;
  params: Record<string, unknown>;
  fit: Fit;
}

/** Reads the parameters of a page. Throws AnalyticsError, with the sentence of the command line, for what cannot be asked. */
export function parseQuestion(address: Address): Question {
  const { query, texts, fit, others } = readQuestion(address);
  if (others.length > 0)
    throw new AnalyticsError("unknown_parameter", `No page has the parameter ${others.join(", ")}.`);
  const params = readParams(query.params, texts);
  readFilterInput(texts.get("filter"));
  assertNotDaysAndPeriod((name) => texts.has(name));
  // A date that is later than any period.
  for (const period of texts.get("period") ?? []) resolvePeriod(period, "9000-01-01", { forms: FORMS });
  return { query, params, fit };
}

/** Answers a page. `onHead` gets the totals and the trend of a report before its lists, unless the whole answer is known. */
export type Ask = (
  address: Address,
  question: Question,
  signal: AbortSignal,
  onHead?: (head: Answer) => void,
) => Promise<Answer>;

/** Asks the questions of pages: a few at once, each only once in a minute, and none that nobody waits for any more. */
export function createQuestions(call: Call, clock: () => number): Ask {
  const limit = createConcurrencyLimiter(MOST_AT_ONCE);
  const shared = shareCalls(call);
  // A read begins at once, with what was set here just before.
  let next: { question: Question; onHead: ((head: Answer) => void) | undefined } | undefined;
  const answers = createCache<Answer>(FRESH, clock, (_, signal) => {
    if (next === undefined) throw new Error("A page is asked without its question.");
    const { question, onHead } = next;
    const { query, params, fit } = question;
    const options = { signal, ...fit };
    return limit(() => {
      // If it fails, the report fails for the same reason, and says it.
      if (query === reportQuery && onHead)
        headQuery.ask(shared, params, options).then(onHead, () => undefined);
      return query.ask(shared, params, options);
    }, signal);
  });
  return (address, question, signal, onHead) => {
    next = { question, onHead };
    const answer = answers(formatAddress(change(address, { format: undefined, search: undefined })), signal);
    next = undefined;
    return answer;
  };
}

/**
 * The same call, whose callers that ask the same at the same time share one request: the parts of a page, and its head. Each
 * begins in a turn of its own, so that what a page has so far is sent before the next is counted.
 */
function shareCalls(call: Call): Call {
  const share = createSingleFlight<unknown>();
  const shared = (operation: Operation, params: object, { signal, ...options }: CallOptions = {}) =>
    share(
      JSON.stringify([operation.path, params, options]),
      async (own) => {
        await setImmediate();
        return call(operation, params as never, { ...options, signal: own });
      },
      signal,
    );
  return Object.assign(shared, call) as Call;
}
