import * as z from "zod";
import type { Call } from "../operations/call.ts";
import type { Days } from "../operations/days.ts";
import type { Dimension } from "../operations/dimensions.ts";
import { listNotFound, notFoundColumns, notFoundRow } from "../operations/not-found.ts";
import { type Note, note } from "../operations/note.ts";
import type { Column, View } from "../operations/view.ts";
import { comparePeriods } from "./compare-answer.ts";
import type { QueryOptions } from "./default-days.ts";
import { noteMissing } from "./missing-parts.ts";
import { moversResult, viewMovers } from "./movers.ts";
import { overviewParams, type ReportedOverview, reportResult, viewTotals, viewTrend } from "./overview.ts";
import { readOverview } from "./overview-answer.ts";
import { defineReport } from "./query.ts";
import { keepMissing } from "./read-parts.ts";
import { MEASURE_NAMES } from "./report-fields.ts";
import { readDeadLinks, reportQuery } from "./site-report.ts";
import { nameOtherDays, viewTop } from "./top-lists.ts";
import { isByChance } from "./usual-range.ts";
import { ROW_LIMIT } from "./windows.ts";

const DIMENSIONS: Dimension[] = ["pages", "referrers"];
/** Of each list: a letter is read at once. */
const ROWS = 3;
const LINK_ROWS = 2;

const letterResult = () =>
  reportResult().extend({
    /** What changed more than chance explains; absent if the days cannot be compared. */
    moved: z.array(moversResult()).optional(),
    /** Dead links that nobody asked for in the days before; null if it is not known which are new. */
    new_not_found: z.array(notFoundRow()).nullable().optional(),
  });

export type Letter = z.output<ReturnType<typeof letterResult>>;

/** A report as a letter: how many came, what changed most, and what is new. The rest is in the report. */
export const letterQuery = defineReport({
  name: reportQuery.name,
  summary: reportQuery.summary,
  tool: reportQuery.tool,
  shell: reportQuery.shell,
  params: overviewParams,
  result: letterResult,
  compute: async (call, params, options) => {
    const { today, active_now, events, ...overview } = await readOverview(call, params, options, DIMENSIONS);
    const asked = { ...params, today: today?.date ?? overview.period.to };
    const { missing = [], ...moved } = await readMoved(call, asked, overview, options);
    return { ...overview, ...moved, ...keepMissing(overview.missing ?? [], missing) };
  },
  views: (letter) => [
    viewLetterTotals(letter),
    viewTrend(letter),
    ...viewLists(letter),
    ...(letter.new_not_found?.length ? [viewNewDeadLinks(letter.new_not_found)] : []),
  ],
});

/** What changed, if these days can be compared with those before and have visitors enough. */
async function readMoved(
  call: Call,
  { site, today }: { site: string; today: string },
  { period, comparison }: Pick<ReportedOverview, "period" | "comparison">,
  options: QueryOptions,
): Promise<Pick<Letter, "moved" | "new_not_found" | "missing">> {
  if (comparison === null || !comparison.comparable || comparison.small_sample) return {};
  const { previous } = comparison;
  const [current, against] = [period, previous].map(({ from, to }) => `${from}/${to}`);
  const [{ dimensions }, links] = await Promise.all([
    comparePeriods(call, { site, days: 1, period: current, against }, options, DIMENSIONS),
    readNewDeadLinks(call, { site, today }, [period, previous], options),
  ]);
  const expected = expectedOf({ period, comparison });
  const moved = dimensions.map((group) => ({
    ...group,
    movers: group.movers
      .filter(
        ({ current, previous }) =>
          current !== null && previous !== null && !isByChance(current, expected(previous)),
      )
      .slice(0, ROWS),
  }));
  return { moved, ...links };
}

/** What a count of the days before leads to expect of these: as many a day with data. */
export function expectedOf({ period, comparison }: Pick<ReportedOverview, "period" | "comparison">) {
  const before = comparison?.previous;
  const days = comparison?.days_with_data ?? period.days;
  const scale = days / Math.max(1, before?.days_with_data ?? before?.days ?? days);
  return (previous: number) => previous * scale;
}

/** Fewer people may just have mistyped. */
const MIN_VISITORS = 2;

async function readNewDeadLinks(
  call: Call,
  at: { site: string; today: string },
  spans: readonly Days[],
  options: QueryOptions,
): Promise<Pick<Letter, "new_not_found" | "missing">> {
  const [current, previous] = await Promise.all(
    spans.map(({ from, to }) => readDeadLinks(call, { ...at, from, to }, options, ROW_LIMIT)),
  );
  const [now, before] = [current?.links, previous?.links];
  // Both fail for the same reason.
  if (now === undefined || before === undefined)
    return { missing: (current?.missing.length ? current : previous)?.missing };
  // What is not among the first rows may be old.
  if (before.total_rows > before.rows.length) return { new_not_found: null };
  const known = new Set(before.rows.map(({ value }) => value));
  const isNew = ({ value, visitors }: (typeof now.rows)[number]) =>
    value !== null && visitors >= MIN_VISITORS && !known.has(value);
  return { new_not_found: now.rows.filter(isNew).slice(0, LINK_ROWS) };
}

/** The lead has the visitors, and views per visit follow from the others. */
const LEFT_OUT = [MEASURE_NAMES.visitors, MEASURE_NAMES.views_per_visit];
const SUMS = [MEASURE_NAMES.pageviews, MEASURE_NAMES.visits];

function viewLetterTotals(letter: Letter): View {
  const { missing = [], comparison, new_not_found } = letter;
  const totals = viewTotals(letter);
  const hidden = [
    ...LEFT_OUT.flatMap((name) => [name, `${name} a day`]),
    // Sums of unlike periods have no percentage; their averages have.
    ...(comparison?.per_day ? SUMS : []),
  ];
  const rows = totals.rows.filter(({ label }) => !hidden.includes(String(label)));
  // A percentage of so few visitors would say nothing.
  const isSmall = comparison?.small_sample === true;
  const hasColumn = ({ key }: Column) =>
    (key !== "percent" || !isSmall) && rows.some((row) => Reflect.get(row, key) !== null);
  const lists = missing.filter(({ dimension }) => dimension !== undefined);
  return {
    ...totals,
    headline: "",
    columns: totals.columns.filter(hasColumn),
    rows,
    notes: [...noteMissing(lists, "shown"), ...(new_not_found === null ? [UNKNOWN_LINKS] : [])],
  };
}

const UNKNOWN_LINKS: Note = note`Not shown: which dead links are new (there were more than ${ROW_LIMIT} before).`;

/** What moved most, or else the first rows. */
function viewLists({ moved = [], top, comparison }: Letter): View[] {
  const isPerDay = comparison?.per_day !== undefined;
  const groups = moved.map((group) => viewMovers(group, true, isPerDay));
  const hasMoved = groups.some(({ rows }) => rows.length > 0);
  const lists = hasMoved
    ? groups.map((view) => ({ ...view, columns: view.columns.flatMap(nameMoved) }))
    : top.map((list) => viewTop({ ...list, rows: list.rows.slice(0, ROWS) }, nameDaysBeside(list)));
  const warnings = groups.flatMap((view) => view.warnings ?? []);
  return lists.map((view, index) => ({
    ...view,
    headline: "",
    notes: [],
    warnings: index === 0 ? warnings : [],
  }));
}

/** A letter has no headings. */
function nameDaysBeside(list: Letter["top"][number]): string {
  const days = nameOtherDays(list);
  return days && `: ${days}`;
}

/** The columns of a list of changes: the name, and how many there were and had been. */
function nameMoved(column: Column): Column[] {
  const { key, label, machine } = column;
  if (machine || key.startsWith("change") || key === "percent") return [];
  if (key === "label") return [{ ...column, label: `moved: ${label}` }];
  if (key.startsWith("current")) return [{ ...column, label: key === "current" ? "visitors" : "a day" }];
  const { spare: _, ...kept } = column;
  if (key.startsWith("previous")) return [{ ...kept, label: "before" }];
  return [column];
}

const viewNewDeadLinks = (rows: NonNullable<Letter["new_not_found"]>): View => ({
  name: "not_found",
  headline: "",
  columns: notFoundColumns
    .filter(({ key }) => key !== "visitors")
    .map((column) => (column.key === "value" ? { ...column, label: "new dead links" } : column)),
  rows: listNotFound(rows.map((row) => ({ ...row, referrers: row.referrers.slice(0, 1) }))),
  notes: [],
});
