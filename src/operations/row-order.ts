interface Counted {
  value: string | null;
  visitors: number;
  /** Page views; for the dimension `events`, events. */
  hits: number;
}

/** Compares rows in the contract's order: by visitors, then hits, both descending, then by value, null last. */
export function compareRows(a: Counted, b: Counted): number {
  return b.visitors - a.visitors || b.hits - a.hits || compareValues(a.value, b.value);
}

/** Compares by requests, the most first, then by value. */
export const compareRequests = (
  a: { value: string | null; requests: number },
  b: { value: string | null; requests: number },
): number => b.requests - a.requests || compareValues(a.value, b.value);

/** Compares by code point, null last. Comparing strings directly would compare UTF-16 units: wrong beyond U+FFFF. */
export function compareValues(a: string | null, b: string | null): number {
  if (a === b) return 0;
  if (a === null) return 1;
  if (b === null) return -1;
  let at = 0;
  while (at < a.length && a[at] === b[at]) at++;
  return (a.codePointAt(at) ?? -1) - (b.codePointAt(at) ?? -1);
}
