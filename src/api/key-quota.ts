export interface Quota {
  /** Requests per window. */
  limit: number;
  /** Length of the window in seconds. */
  window: number;
}

export interface Allowance {
  allowed: boolean;
  remaining: number;
  /** Seconds until the window ends. */
  reset: number;
}

/**
 * Counts requests per key in fixed windows; a window starts with the key's first request. The returned function counts
 * one request at `now`, in milliseconds since 1970.
 */
export function createKeyQuota({ limit, window }: Quota): (key: string, now: number) => Allowance {
  const windows = new Map<string, { end: number; used: number }>();
  return (key, now) => {
    let current = windows.get(key);
    if (!current || current.end <= now) {
      current = { end: now + window * 1000, used: 0 };
      windows.set(key, current);
    }
    const allowed = current.used < limit;
    if (allowed) current.used++;
    return { allowed, remaining: limit - current.used, reset: Math.ceil((current.end - now) / 1000) };
  };
}
