import { setMaxListeners } from "node:events";

/** Reads a value by its key. The signal cancels one caller's wait. */
export type CachedRead<T> = (key: string, signal?: AbortSignal) => Promise<T>;

interface Entry<T> {
  value: Promise<T>;
  /** Milliseconds since 1970. */
  since: number;
  /** Cancels the read once no caller waits for it. */
  controller: AbortController;
  waiting: number;
}

const MAX_ENTRIES = 200;

/**
 * Creates a cache. Callers that ask for a value at the same time share one read, which is cancelled when all of them have
 * stopped waiting. Failures are not cached.
 *
 * @param freshFor Milliseconds.
 */
export function createCache<T>(
  freshFor: number,
  clock: () => number,
  read: (key: string, signal: AbortSignal) => Promise<T>,
): CachedRead<T> {
  const entries = new Map<string, Entry<T>>();

  const start = (key: string): Entry<T> => {
    const controller = new AbortController();
    const entry = { value: read(key, controller.signal), since: clock(), controller, waiting: 0 };
    if (entries.size >= MAX_ENTRIES) entries.clear();
    entries.set(key, entry);
    entry.value.catch(() => {
      if (entries.get(key) === entry) entries.delete(key);
    });
    return entry;
  };

  return async (key, signal) => {
    signal?.throwIfAborted();
    const known = entries.get(key);
    const isFresh = known !== undefined && Math.abs(clock() - known.since) < freshFor;
    const entry = isFresh ? known : start(key);
    entry.waiting++;
    const leave = () => {
      entry.waiting--;
      if (entry.waiting > 0) return;
      if (entries.get(key) === entry) entries.delete(key);
      entry.controller.abort();
    };
    if (signal === undefined) return entry.value.finally(() => entry.waiting--);
    return new Promise<T>((resolve, reject) => {
      const onAbort = () => {
        leave();
        reject(signal.reason);
      };
      // All reads for an overview listen to the same signal.
      setMaxListeners(0, signal);
      signal.addEventListener("abort", onAbort, { once: true });
      entry.value.then(resolve, reject).finally(() => {
        signal.removeEventListener("abort", onAbort);
        if (!signal.aborted) entry.waiting--;
      });
    });
  };
}
