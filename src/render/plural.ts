/** A unit beside its number: `day` of 1, `days` of 0, of 0.5 and of 2. */
export const nameUnit = (count: number, unit: string): string => (count === 1 ? unit : `${unit}s`);

/** A count with its unit: `1 day`, `2 days`. */
export const formatCount = (count: number, unit: string): string => `${count} ${nameUnit(count, unit)}`;
