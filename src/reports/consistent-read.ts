import { AnalyticsError } from "../errors.ts";
import type { CallOptions } from "../operations/call.ts";

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
