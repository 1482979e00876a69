import * as z from "zod";
import { nameColumns } from "../operations/dimensions.ts";
import { count, date } from "../operations/fields.ts";
import { formatSpan } from "../operations/period.ts";
import type { Column, View } from "../operations/view.ts";
import type { Warning } from "../operations/warning.ts";
import { formatCount } from "../render/plural.ts";

/** The top rows of several dimensions. */
export const topLists = () =>
  z.array(
    z.object({
      dimension: z.string(),
      /** What is said of the days of the list if the service names none. */
      no_period: z.string().optional(),
      /** The days of the list, if they are not those of the answer. */
      period: z.object({ from: date, to: date, days: count, partial: z.literal(true).optional() }).optional(),
      rows: z.array(
        z.object({
          value: z.string().nullable(),
          label: z.string(),
          /** In the place of visitors, a service may have another count of a row, named or not. */
          visitors: count.optional(),
          pageviews: count.optional(),
          count: count.optional(),
          visitors_at_most: count.optional(),
          percentage: z.number().optional(),
        }),
      ),
    }),
  );

type TopList = z.output<ReturnType<typeof topLists>>[number];

const MAIN_LISTS = ["pages", "referrers", "countries"];
const MAIN_ROWS = 5;

/** The top lists for a terminal and a model, which both have little room. */
export function pickMainLists(top: TopList[]): TopList[] {
  return top
    .filter(({ dimension }) => MAIN_LISTS.includes(dimension))
    .map((list) => ({ ...list, rows: list.rows.slice(0, MAIN_ROWS) }));
}

/** The warnings without those of a list that is none of them. */
export function pickMainWarnings(warnings: readonly Warning[] = []): Warning[] | undefined {
  const kept = warnings.filter(
    ({ values: { dimension } = {} }) => dimension === undefined || MAIN_LISTS.includes(String(dimension)),
  );
  return kept.length === 0 ? undefined : kept;
}

export const hasRanges = ({ rows }: TopList) =>
  rows.some(({ visitors_at_most }) => visitors_at_most !== undefined);

const SHARE: Column = { key: "percentage", label: "share", kind: "percent", detail: true };

/** What the rows of a list count: visitors, unless the service has another count. */
const findMeasure = (rows: TopList["rows"]) =>
  (["visitors", "pageviews", "count"] as const).find((name) => rows.some((row) => row[name] !== undefined)) ??
  "visitors";

/** Which days a list covers, if they are not those of the answer; otherwise an empty text. */
export function nameOtherDays({ no_period, period }: TopList): string {
  if (no_period !== undefined) return no_period;
  if (period === undefined) return "";
  return `${formatSpan(period)} (${formatCount(period.days, "day")}${period.partial ? ", today included" : ""})`;
}

/** Lists as tables. Those of other days than the answer come last, below a heading that says which. */
export function viewLists(top: readonly TopList[]): View[] {
  const headings = [...new Set(["", ...top.map(nameOtherDays)])];
  return headings.flatMap((days) => {
    const heading = { name: "lists", headline: `Top lists: ${days}`, columns: [], rows: [], notes: [] };
    const lists = top.filter((list) => nameOtherDays(list) === days);
    return [...(days === "" ? [] : [heading]), ...lists.map((list) => viewTop(list))];
  });
}

/** @param more What the head of the list says beside its name. */
export function viewTop({ dimension, rows }: TopList, more = ""): View {
  const measure = findMeasure(rows);
  return {
    name: dimension,
    headline: "",
    columns: [
      ...nameColumns(dimension, `top ${dimension.replaceAll("_", " ")}${more}`),
      { key: measure, label: measure === "pageviews" ? "page views" : measure, kind: "count" },
      ...(rows.some(({ percentage }) => percentage !== undefined) || rows.length === 0 ? [SHARE] : []),
    ],
    rows: rows.map(({ value, label, visitors_at_most, percentage, ...counts }) => ({
      value,
      label,
      [measure]:
        visitors_at_most === undefined ? (counts[measure] ?? null) : `${counts.visitors}–${visitors_at_most}`,
      ...(percentage !== undefined && { percentage }),
    })),
    notes: [],
    beside: true,
  };
}
