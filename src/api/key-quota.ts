export interface Quota {
  /** Requests allowed in a window. */
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

/** Counts requests by key in fixed windows, each starting with a key's first request. */
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
