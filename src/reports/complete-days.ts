import { addDays } from "../operations/days.ts";
import type { Period } from "../operations/period.ts";
import type { Warning } from "../operations/warning.ts";

interface Dated {
  period: Period;
  warnings?: readonly Warning[] | undefined;
}

export interface SeriesPoint {
  partial?: boolean | undefined;
  missing?: true | undefined;
}

/**
 * Creates the test of a point: whether its day is complete and has data. Days are incomplete that are not over, that the data
 * begins in the middle of, and on which it ends, perhaps in the middle; and a last day of which it is not known whether it is over.
 */
export function createCompleteTest({
  period,
  warnings = [],
}: Dated): (date: string, point: SeriesPoint) => boolean {
  const named = new Set(
    warnings.flatMap(({ code, values }) => {
      if (code === "partial_first_day") return values?.day ?? [];
      return code === "stale" ? (values?.data_until ?? []) : [];
    }),
  );
  const { complete_through: last = addDays(period.to, -1) } = period;
  return (date, { partial, missing }) => !partial && !missing && date <= last && !named.has(date);
}
