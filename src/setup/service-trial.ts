import type { Target } from "../client/http-client.ts";
import type { ServiceName } from "../config/services.ts";
import { AnalyticsError } from "../errors.ts";
import { sites } from "../operations/index.ts";
import type { Operation, ResultOf } from "../operations/operation.ts";
import { createServiceCall, type ServiceCallOptions } from "../sources/service-source.ts";

const ATTEMPTS = 3;
/** For a list of sites, which is short, while somebody waits; in milliseconds. */
export const SITES_DEADLINE = 30_000;

/** The measurements of several requests for the sites. */
export interface ServiceTrial {
  /** Milliseconds per request, in ascending order. */
  durations: number[];
  headers: Headers | undefined;
  /** When the last request was sent and answered, in milliseconds since 1970. */
  asked: number;
  answered: number;
  found: Pick<ResultOf<typeof sites>, "sites" | "warnings">;
  error: AnalyticsError | undefined;
}

export interface TrialContext extends Pick<ServiceCallOptions, "clock" | "environment"> {
  service: ServiceName | undefined;
}

/** Asks for the sites several times, and keeps the durations and headers. */
export async function runTrial(target: Target, context: TrialContext): Promise<ServiceTrial> {
  const { clock } = context;
  const trial: ServiceTrial = {
    durations: [],
    headers: undefined,
    asked: 0,
    answered: 0,
    found: { sites: [] },
    error: undefined,
  };
  const fetch: Target["fetch"] = async (url, init) => {
    const [start, asked] = [performance.now(), clock()];
    const response = await target.fetch(url, init);
    trial.durations.push(performance.now() - start);
    Object.assign(trial, { headers: response.headers, asked, answered: clock() });
    return response;
  };
  try {
    for (let count = 0; count < ATTEMPTS; count++) {
      trial.found = await ask({ ...target, fetch }, context, sites);
    }
  } catch (error) {
    if (!(error instanceof AnalyticsError)) throw error;
    trial.error = error;
  }
  trial.durations.sort((one, other) => one - other);
  return trial;
}

/** One attempt without retries, which would hide failures that come and go. */
export function ask<O extends Operation>(
  target: Target,
  { service, ...context }: TrialContext,
  operation: O,
): Promise<ResultOf<O>> {
  const call = createServiceCall(service, {
    readTarget: () => target,
    limits: { attempts: 1, deadline: SITES_DEADLINE },
    ...context,
  });
  // The doctor asks only for operations without parameters.
  return call(operation, {} as never, { fresh: true });
}
