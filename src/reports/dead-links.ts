import { AnalyticsError, type ErrorCode } from "../errors.ts";
import type { Call } from "../operations/call.ts";
import { notFound } from "../operations/index.ts";
import { listNotFound, notFoundColumns } from "../operations/not-found.ts";
import { note } from "../operations/note.ts";
import type { View } from "../operations/view.ts";
import type { QueryOptions } from "./default-days.ts";
import type { ReportedOverview } from "./overview-result.ts";
import { askSpan, type SitePeriod } from "./site-period.ts";

type DeadLinks = NonNullable<ReportedOverview["not_found"]>;

const ROWS = 10;

/** What a service answers that does not offer dead links, or not for these days. */
const LACKING: ReadonlySet<ErrorCode> = new Set(["not_found", "invalid_parameter"]);

/** Reads the first dead links; undefined if there are none, or if the source does not know them. */
export async function readDeadLinks(
  call: Call,
  span: SitePeriod,
  options: QueryOptions,
): Promise<DeadLinks | undefined> {
  // They belong to no visit, so that no filter can choose among them.
  if (options.filter !== undefined) return undefined;
  try {
    const { totals, total_rows, rows } = await askSpan(call, notFound, { limit: ROWS }, span, options);
    return rows.length === 0 ? undefined : { requests: totals.requests, total_rows, rows };
  } catch (error) {
    if (error instanceof AnalyticsError && LACKING.has(error.code)) return undefined;
    throw error;
  }
}

export const viewDeadLinks = ({ requests, total_rows, rows }: DeadLinks): View => ({
  name: "not_found",
  headline: "",
  columns: notFoundColumns,
  rows: listNotFound(rows),
  notes: [note`Not found: ${requests} requests of people for ${total_rows} paths were answered 404 or 410.`],
});
