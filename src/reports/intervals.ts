/** What the days of a series can be added up by. */
export const intervals = ["day", "week", "month"] as const;
export type Interval = (typeof intervals)[number];
