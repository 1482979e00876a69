/** A count with its unit: `1 day`, `2 days`. */
export const formatCount = (count: number, unit: string): string =>
  `${count} ${unit}${count === 1 ? "" : "s"}`;
