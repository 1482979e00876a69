export interface CacheLimits {
  entries: number;
  /** Characters of the answers as they came. */
  size: number;
}

interface Entry {
  value: unknown;
  size: number;
  kept: number;
  /** Milliseconds since 1970. */
  expires: number;
}

export interface ResponseCache {
  /** An answer that is still fresh. */
  find(key: string): unknown;
  /** Keeps an answer for so many seconds; what was used longest ago makes room. */
  keep(key: string, value: unknown, size: number, seconds: number): void;
}

/** Answers of one credential, for as long as its service says that they may be used again. */
export function createResponseCache(limits: CacheLimits, clock: () => number): ResponseCache {
  const entries = new Map<string, Entry>();
  let total = 0;
  const forget = (key: string) => {
    total -= entries.get(key)?.size ?? 0;
    entries.delete(key);
  };
  return {
    find: (key) => {
      const entry = entries.get(key);
      if (!entry) return undefined;
      const now = clock();
      // A clock that was set back would make everything fresh for longer than it may be.
      if (now >= entry.expires || now < entry.kept) return void forget(key);
      entries.delete(key);
      entries.set(key, entry);
      return entry.value;
    },
    keep: (key, value, size, seconds) => {
      forget(key);
      if (seconds <= 0 || size > limits.size) return;
      const kept = clock();
      entries.set(key, { value: freeze(value), size, kept, expires: kept + seconds * 1000 });
      total += size;
      for (const oldest of entries.keys()) {
        if (entries.size <= limits.entries && total <= limits.size) break;
        forget(oldest);
      }
    },
  };
}

/** Several readers get the same object: none may change it for the others. */
function freeze<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  for (const each of Object.values(value)) freeze(each);
  return Object.freeze(value);
}
