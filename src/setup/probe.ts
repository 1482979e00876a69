import { createHttpClient, type Target } from "../client/http-client.ts";
import { AnalyticsError } from "../errors.ts";
import { sites } from "../operations/index.ts";
import type { Operation, ResultOf } from "../operations/operation.ts";

const ATTEMPTS = 3;

/** What the service answered to the question for its sites. */
export interface Probe {
  /** Milliseconds that the attempts took, in order of length. */
  durations: number[];
  headers: Headers | undefined;
  /** Milliseconds since 1970 between which the answer came. */
  asked: number;
  answered: number;
  sites: ResultOf<typeof sites>["sites"];
  error: AnalyticsError | undefined;
}

/** Asks as every command does, several times, and keeps what commands do not look at: time and headers. */
export async function readProbe(target: Target, clock: () => number): Promise<Probe> {
  const probe: Probe = {
    ...{ durations: [], headers: undefined, asked: 0, answered: 0, sites: [], error: undefined },
  };
  const fetch: Target["fetch"] = async (url, init) => {
    const [start, asked] = [performance.now(), clock()];
    const response = await target.fetch(url, init);
    probe.durations.push(performance.now() - start);
    Object.assign(probe, { headers: response.headers, asked, answered: clock() });
    return response;
  };
  try {
    for (let count = 0; count < ATTEMPTS; count++) {
      probe.sites = (await ask({ ...target, fetch }, clock, sites)).sites;
    }
  } catch (error) {
    if (!(error instanceof AnalyticsError)) throw error;
    probe.error = error;
  }
  probe.durations.sort((one, other) => one - other);
  return probe;
}

/** One attempt, so that what fails now and then is seen. */
export function ask<O extends Operation>(
  target: Target,
  clock: () => number,
  operation: O,
): Promise<ResultOf<O>> {
  const { call } = createHttpClient({ readTarget: () => target, clock, limits: { attempts: 1 } });
  return call(operation, {} as never, { fresh: true });
}
