import type { Target } from "../client/http-client.ts";
import type { ServiceName } from "../config/services.ts";
import { AnalyticsError } from "../errors.ts";
import type { Call } from "../operations/call.ts";
import { openapi, sites } from "../operations/index.ts";
import type { AnswerOf } from "../operations/operation.ts";
import type { Described, DescribedCall } from "../sources/described/capabilities.ts";
import { createContractCall, createServiceCall, type ServiceCallOptions } from "../sources/service-source.ts";

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
  found: Pick<AnswerOf<typeof sites>, "sites" | "warnings">;
  error: AnalyticsError | undefined;
  /** How the service is read if it only describes itself. */
  readDescribed: () => Promise<Described | undefined>;
  readDescription: () => Promise<AnswerOf<typeof openapi>>;
}

export interface TrialContext extends Pick<ServiceCallOptions, "clock" | "environment" | "readMapping"> {
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
    readDescribed: async () => call.readDescribed?.({}),
    readDescription: () => call(openapi, {}, { fresh: true }),
  };
  const fetch: Target["fetch"] = async (url, init) => {
    const [start, asked] = [performance.now(), clock()];
    const response = await target.fetch(url, init);
    trial.durations.push(performance.now() - start);
    Object.assign(trial, { headers: response.headers, asked, answered: clock() });
    return response;
  };
  const call = openCall({ ...target, fetch }, context);
  try {
    for (let count = 0; count < ATTEMPTS; count++) {
      trial.found = await call(sites, {}, { fresh: true });
    }
  } catch (error) {
    if (!(error instanceof AnalyticsError)) throw error;
    trial.error = error;
  }
  trial.durations.sort((one, other) => one - other);
  return trial;
}

/** One attempt without retries, which would hide failures that come and go. */
function openCall(target: Target, { service, ...context }: TrialContext): Call & Partial<DescribedCall> {
  const options = {
    readTarget: () => target,
    limits: { attempts: 1, deadline: SITES_DEADLINE },
    learnsAnew: true,
    ...context,
  };
  return service === undefined ? createContractCall(options) : createServiceCall(service, options);
}
