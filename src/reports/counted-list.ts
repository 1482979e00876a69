import { AnalyticsError } from "../errors.ts";
import type { breakdown } from "../operations/index.ts";
import type { AnswerOf } from "../operations/operation.ts";
import type { Period } from "../operations/period.ts";

type List = AnswerOf<typeof breakdown>;
type Row = List["rows"][number];

/** A breakdown that says which days it covers and how many visitors each row and all of them have. */
export interface CountedList extends Omit<List, "rows" | "period" | "totals" | "total_rows"> {
  period: Period;
  totals: NonNullable<List["totals"]>;
  rows: (Row & { visitors: number })[];
  /** At least, where a service cut its list and does not say how many there are. */
  total_rows: number;
}

/** Why breakdowns of a service cannot be compared, subtracted or put beside a total. */
export const createNoDaysError = (parameter: "days" | "period" | "dimension" | "goal", dimension?: string) =>
  new AnalyticsError(
    "invalid_parameter",
    `${parameter} cannot be used: this service's breakdowns take no days, and do not say which days they cover.`,
    {
      hint: `Ask for the breakdown${dimension === undefined ? "" : ` of ${dimension}`} without days.`,
      parameters: [{ parameter, detail: "cannot be used: breakdowns take no days here" }],
    },
  );

/** Takes a breakdown only with its days and its visitors. Throws AnalyticsError `invalid_parameter` for one without. */
export function countList(list: List): CountedList {
  const { period, totals, rows, total_rows, truncated, dimension } = list;
  if (period === undefined) throw createNoDaysError("dimension", dimension);
  const counted = rows.flatMap(({ visitors, ...row }) =>
    visitors === undefined ? [] : [{ ...row, visitors }],
  );
  if (totals === undefined || counted.length < rows.length) {
    const detail = `cannot be ${dimension}: this service does not say how many visitors its rows have`;
    throw new AnalyticsError("invalid_parameter", `dimension ${detail}.`, {
      hint: "The breakdown itself shows what the service counts.",
      parameters: [{ parameter: "dimension", detail }],
    });
  }
  const known = total_rows ?? rows.length + Number(truncated);
  return { ...list, period, totals, rows: counted, total_rows: known };
}
