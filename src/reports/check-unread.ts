import { isUnread } from "../operations/covered-days.ts";
import { addDays, countDays } from "../operations/days.ts";
import { stats } from "../operations/index.ts";
import type { Warning } from "../operations/warning.ts";
import type { Checked, Finding } from "./check-conditions.ts";
import { askSpan } from "./site-period.ts";

/**
 * The finding that a part of the logs could not be read, whatever is checked: numbers without it tell little. It is met only if
 * that is new, and not so of the days before. What goes on is said beside other findings.
 */
export async function findUnread({
  call,
  options,
  name,
  warnings,
  site,
  today,
  from,
  to,
}: Checked): Promise<Finding[]> {
  const found = warnings.find(isMuchUnread);
  if (found === undefined) return [];
  const days = { from: addDays(from, -countDays(from, to)), to: addDays(from, -1) };
  const before = await askSpan(call, stats, {}, { site, today, ...days }, options);
  const isNew = !before.warnings?.some(isMuchUnread);
  return isNew ? [{ state: "met", text: `${name} has logs that could not be read: ${found.detail}` }] : [];
}

/** Whether it is about a whole file or more than a few lines, such as one that is dated in the future. */
export const isMuchUnread = (warning: Warning): boolean =>
  isUnread(warning) && (Number(warning.values?.percent) >= 1 || Number(warning.values?.files) > 0);
