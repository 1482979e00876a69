import type { Period } from "../../operations/period.ts";

/** The last line of every report: what made it, and when. */
export const formatMark = (
  version: string,
  { as_of, timezone }: Pick<Period, "as_of" | "timezone">,
): string => `Made with analytics-mcp ${version}, ${as_of.slice(0, 16).replace("T", " ")} (${timezone}).`;

/** Whether a file is a report, so that a new one may replace it. */
export const isReport = (text: string): boolean =>
  /^.*\bMade with analytics-mcp \S+, \d{4}-\d\d-\d\d /m.test(text);
