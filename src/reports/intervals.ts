/** How long a point of a series can be. The contract has hours and days; days are added up to weeks and months here. */
export const intervals = ["hour", "day", "week", "month"] as const;
export type Interval = (typeof intervals)[number];
