/** The intervals by which the days of a series can be added up. */
export const intervals = ["day", "week", "month"] as const;
export type Interval = (typeof intervals)[number];
