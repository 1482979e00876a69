import { AnalyticsError } from "../errors.ts";
import type { Call } from "../operations/call.ts";

const SINGLE = "ask for totals, days and lists one at a time.";

/** The request that shows what a service offers. */
const DESCRIPTION = "description";

/**
 * Answers a query that takes several calls. If the service's quota is smaller than their number, the AnalyticsError
 * `rate_limited` says so, because waiting would not help.
 */
export async function adviseOnQuota<T>(
  call: Call,
  params: Record<string, unknown>,
  ask: (call: Call) => Promise<T>,
): Promise<T> {
  // Repeated calls do not count: they only read again what changed meanwhile.
  const needed = new Set<string>();
  const counted: Call = (operation, params, options) => {
    needed.add(JSON.stringify([operation.name, params, options?.span, options?.filter]));
    return call(operation, params, options);
  };
  try {
    const offersSpans: Call["offersSpans"] = async (operation, options) => {
      needed.add(DESCRIPTION);
      return (await call.offersSpans?.(operation, options)) ?? false;
    };
    const offersHours: Call["offersHours"] = async (options) => {
      needed.add(DESCRIPTION);
      return (await call.offersHours?.(options)) ?? false;
    };
    return await ask(Object.assign(counted, call, { offersSpans, offersHours }));
  } catch (error) {
    if (!(error instanceof AnalyticsError) || error.code !== "rate_limited") throw error;
    const isOfMany = params.dimension === undefined && params.goal === undefined;
    const advice = isOfMany ? `compare by one dimension, or ${SINGLE}` : SINGLE;
    throw explain(error, needed.size, advice);
  }
}

function explain(error: AnalyticsError, needed: number, advice: string): AnalyticsError {
  const { code, message, hint, status, quota } = error;
  if (quota === undefined) {
    const maybe = `This query takes at least ${needed} requests at once. If it fails again, the quota may be smaller than that: ${advice}`;
    const next = hint === undefined ? maybe : `${hint} ${maybe}`;
    return new AnalyticsError(code, message, { hint: next, status, cause: error });
  }
  if (quota.requests >= needed) return error;
  const window = quota.seconds === undefined ? "" : ` in ${quota.seconds} seconds`;
  return new AnalyticsError(
    code,
    `This query needs ${needed} requests at once, but the service's quota is ${quota.requests}${window}.`,
    { hint: `Waiting does not help. Ask for less: ${advice}`, status, quota, cause: error },
  );
}
