import { setMaxListeners } from "node:events";
import { createCancelledError, shareTime } from "./time-limit.ts";

interface Flight<T> {
  result: Promise<T>;
  waiting: number;
  controller: AbortController;
}

export type SingleFlight<T> = (
  key: string,
  start: (signal: AbortSignal) => Promise<T>,
  signal: AbortSignal | undefined,
) => Promise<T>;

/**
 * Lets concurrent callers with the same key share one run. When the last of them is aborted, so is the run. An aborted
 * caller gets AnalyticsError `cancelled`.
 */
export function createSingleFlight<T>(): SingleFlight<T> {
  const flights = new Map<string, Flight<T>>();

  const startFlight = (
    key: string,
    start: (signal: AbortSignal) => Promise<T>,
    caller: AbortSignal | undefined,
  ): Flight<T> => {
    const controller = new AbortController();
    shareTime(controller.signal, caller);
    const flight: Flight<T> = { result: start(controller.signal), waiting: 0, controller };
    const end = () => {
      if (flights.get(key) === flight) flights.delete(key);
    };
    flight.result.then(end, end);
    flights.set(key, flight);
    return flight;
  };

  return (key, start, signal) => {
    if (signal?.aborted) return Promise.reject(createCancelledError());
    // Many calls may wait on one caller's signal, and Node warns about the eleventh listener.
    if (signal) setMaxListeners(0, signal);
    const flight = flights.get(key) ?? startFlight(key, start, signal);
    flight.waiting++;
    return new Promise<T>((resolve, reject) => {
      const leave = () => {
        reject(createCancelledError());
        if (--flight.waiting > 0) return;
        if (flights.get(key) === flight) flights.delete(key);
        flight.controller.abort();
      };
      signal?.addEventListener("abort", leave, { once: true });
      flight.result.then(resolve, reject).finally(() => signal?.removeEventListener("abort", leave));
    });
  };
}

const MAX_CACHED = 200;

/**
 * Creates a cache. Callers that ask for a value at the same time share one read, as in a single flight. Failures are not cached.
 *
 * @param freshFor Milliseconds since the read began.
 * @returns A function that reads a value by its key. The signal cancels one caller's wait.
 */
export function createCache<T>(
  freshFor: number,
  clock: () => number,
  read: (key: string, signal: AbortSignal) => Promise<T>,
): (key: string, caller?: AbortSignal) => Promise<T> {
  const known = new Map<string, { value: T; since: number }>();
  const share = createSingleFlight<T>();
  return (key, caller) => {
    const kept = known.get(key);
    const isFresh = kept !== undefined && Math.abs(clock() - kept.since) < freshFor;
    if (isFresh && !caller?.aborted) return Promise.resolve(kept.value);
    const start = async (signal: AbortSignal) => {
      const since = clock();
      const value = await read(key, signal);
      if (known.size >= MAX_CACHED) known.clear();
      known.set(key, { value, since });
      return value;
    };
    return share(key, start, caller);
  };
}

/** Runs at most `count` functions at once. The others wait in order, and leave the queue when their signal is aborted. */
export function createConcurrencyLimiter(count: number) {
  let free = count;
  const queue: (() => void)[] = [];

  const take = (signal: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      if (free > 0) {
        free--;
        return resolve();
      }
      const enter = () => {
        signal.removeEventListener("abort", leave);
        resolve();
      };
      const leave = () => {
        queue.splice(queue.indexOf(enter), 1);
        reject(signal.reason);
      };
      signal.addEventListener("abort", leave, { once: true });
      queue.push(enter);
    });

  return async <T>(run: () => Promise<T>, signal: AbortSignal): Promise<T> => {
    signal.throwIfAborted();
    await take(signal);
    try {
      return await run();
    } finally {
      const next = queue.shift();
      if (next) next();
      else free++;
    }
  };
}
