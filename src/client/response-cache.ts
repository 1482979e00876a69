export interface CacheLimits {
  entries: number;
  /** Characters of all cached response bodies together. */
  size: number;
}

interface Entry {
  value: unknown;
  size: number;
  /** Milliseconds since 1970, as is `expires`. */
  stored: number;
  expires: number;
}

export interface ResponseCache {
  /** A result that is still fresh. */
  get(key: string): unknown;
  /** Stores a result for so many seconds, and drops the least recently used ones to make room. */
  set(key: string, value: unknown, size: number, seconds: number): void;
}

/** Caches the results of one credential, for as long as its service allows. */
export function createResponseCache(limits: CacheLimits, clock: () => number): ResponseCache {
  // In order of last use: a Map keeps the order in which keys were added.
  const entries = new Map<string, Entry>();
  let total = 0;
  const drop = (key: string) => {
    total -= entries.get(key)?.size ?? 0;
    entries.delete(key);
  };
  return {
    get: (key) => {
      const entry = entries.get(key);
      if (!entry) return undefined;
      const now = clock();
      // A clock that was set back would keep every entry fresh for too long.
      if (now >= entry.expires || now < entry.stored) return void drop(key);
      entries.delete(key);
      entries.set(key, entry);
      return entry.value;
    },
    set: (key, value, size, seconds) => {
      drop(key);
      if (seconds <= 0 || size > limits.size) return;
      const stored = clock();
      entries.set(key, { value: deepFreeze(value), size, stored, expires: stored + seconds * 1000 });
      total += size;
      for (const oldest of entries.keys()) {
        if (entries.size <= limits.entries && total <= limits.size) break;
        drop(oldest);
      }
    },
  };
}

/** Several callers get the same object, so none may change it. */
function deepFreeze<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  for (const member of Object.values(value)) deepFreeze(member);
  return Object.freeze(value);
}

/**
 * Seconds until midnight at the site, when the numbers of "today" become those of yesterday and must not be reused.
 * Computed from the response's own `as_of`, so that only the service's clock counts.
 */
export function secondsToMidnight(result: unknown): number {
  const asOf: unknown = Reflect.get(Object(Reflect.get(Object(result), "period")), "as_of");
  const [, hours, minutes, seconds] = /T(\d\d):(\d\d):(\d\d)/.exec(String(asOf)) ?? [];
  if (seconds === undefined) return Number.POSITIVE_INFINITY;
  return 86_400 - (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds));
}
