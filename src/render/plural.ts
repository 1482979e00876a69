/** A number of things in words: `1 day`, `2 days`. */
export const formatCount = (count: number, unit: string): string =>
  `${count} ${unit}${count === 1 ? "" : "s"}`;
