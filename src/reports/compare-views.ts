import { quoteIfNeeded } from "../errors.ts";
import { addDays } from "../operations/days.ts";
import { headFilter } from "../operations/filter.ts";
import { forModels, forPeople, type Note, note } from "../operations/note.ts";
import { formatSpan, noteVisitors } from "../operations/period.ts";
import type { View } from "../operations/view.ts";
import type { Bounds } from "./bounds.ts";
import type { Comparison } from "./compare-result.ts";
import { describeCoverage } from "./coverage.ts";
import { noteMissing } from "./missing-lists.ts";
import { averageColumns, changeColumns, listTotals, nameColumns, noteLengths } from "./report-fields.ts";
import { ROW_LIMIT, SMALL_SAMPLE_NOTE } from "./windows.ts";

type Movers = Comparison["dimensions"][number];

/** A comparison as tables: both periods, then what changed most in each dimension. */
export function viewComparison(comparison: Comparison): View[] {
  return [viewWindows(comparison), ...comparison.dimensions.map((group) => viewMovers(group, comparison))];
}

function viewWindows(comparison: Comparison): View {
  const { site, filter, timezone, as_of, current, previous, change, dimensions, per_day } = comparison;
  const { sums, rates, averages, notes: noted } = listTotals(current, previous, comparison);
  const isUntilToday = current.to === addDays(as_of.slice(0, 10), -1);
  const shown = { sum: change.visitors, average: per_day?.visitors };
  const { notes, warnings } = describeCoverage(comparison, comparison, shown, filter);
  return {
    name: "windows",
    headline: `${quoteIfNeeded(site.domain)}${headFilter(filter)}, ${formatSpan(current)} compared with ${formatSpan(previous)}${timezone === undefined ? "" : ` (${timezone})`}`,
    columns: [{ key: "label", label: "measure", kind: "text" }, ...changeColumns],
    rows: [...sums, ...rates, ...averages],
    notes: [
      ...(current.visitors === undefined ? [] : noteVisitors(Math.max(current.days, previous.days))),
      ...(isUntilToday ? [forPeople("Complete days only: today is in neither period.")] : []),
      forModels(`Complete days only: today is in neither period. As of ${as_of}.`),
      ...(isCompared(comparison) ? noteLengths(current, previous) : []),
      ...(comparison.small_sample ? [SMALL_SAMPLE_NOTE] : []),
      ...notes,
      ...noteRest(dimensions),
      ...noteMissing(comparison.missing, "compared"),
      ...noted,
    ],
    warnings: [...warnings, ...(comparison.near ?? [])],
  };
}

/** False if a period has no data, or if it is not known how many of its days have some. */
const isCompared = ({ change, per_day }: Comparison) =>
  change.visitors.absolute !== null || per_day !== undefined;

/** For people, a single note about how much all lists leave out. */
function noteRest(groups: readonly Movers[]): Note[] {
  const longer = groups.filter(({ more }) => more.count > 0);
  const [first] = longer;
  if (first === undefined) return [];
  const verb = longer.every(isCertain) ? "changed" : "may have changed";
  const counts = longer.map(({ dimension, more }) => note`${more.count} ${dimension}`);
  const list = counts.reduce((all, count, index) =>
    index === counts.length - 1 ? note`${all} and ${count}` : note`${all}, ${count}`,
  );
  const advice = groups.length > 1 ? ` --dimension ${first.dimension} lists more of them.` : "";
  return [forPeople(note`Not shown: ${list} that ${verb} less.${advice}`)];
}

function viewMovers(group: Movers, comparison: Comparison): View {
  const { dimension, movers } = group;
  const { per_day } = comparison;
  return {
    name: dimension,
    headline: `${dimension} that changed most, by visitors${per_day ? " a day" : ""}`,
    beside: true,
    columns: [...nameColumns(dimension), ...(per_day ? averageColumns : changeColumns)],
    rows: movers.map(fillMover),
    // The totals say why nothing is compared.
    ...(isCompared(comparison) ? describeMovers(group) : { notes: [] }),
  };
}

function fillMover({ value, label, current, previous, change, per_day, bounds }: Movers["movers"][number]) {
  const averages = bounds?.per_day;
  return {
    value,
    label,
    current: current ?? (bounds ? formatBounds(bounds.current) : null),
    previous: previous ?? (bounds ? formatBounds(bounds.previous) : null),
    change: change?.absolute ?? (bounds?.change ? formatChange(bounds.change) : null),
    percent: change?.percent ?? null,
    current_per_day: per_day?.current ?? (averages ? formatBounds(averages.current) : null),
    previous_per_day: per_day?.previous ?? (averages ? formatBounds(averages.previous) : null),
    change_per_day: per_day?.change ?? (averages ? formatChange(averages.change) : null),
    change_per_day_percent: per_day?.percent ?? null,
  };
}

const isCertain = ({ cut_off, drift: errorBound }: Movers) => !cut_off && errorBound === 0;

function describeMovers(group: Movers): { notes: Note[]; warnings: Note[] } {
  const { dimension, drift: errorBound, cut_off, movers, more } = group;
  const [are, verb] = isCertain(group)
    ? ["changed", "changed"]
    : ["are known to have changed", "may have changed"];
  return {
    notes: [
      ...(movers.length === 0 ? [`No ${dimension} ${are}.`] : []),
      ...(more.count > 0
        ? [forModels(note`${dimension}: ${more.count} more ${verb}, by at most ${formatMost(more)} each.`)]
        : []),
    ],
    warnings: [
      ...(errorBound > 0
        ? [
            note`Visits arrived while ${dimension} were read: each count may be off by ${errorBound}, and each change by ${2 * errorBound}.`,
          ]
        : []),
      ...(cut_off
        ? [
            note`The service returned only the first ${ROW_LIMIT} ${dimension}, so some counts are known only as a range.`,
          ]
        : []),
    ],
  };
}

const formatMost = ({ most, most_per_day: rate }: Movers["more"]) =>
  rate === undefined ? note`${most ?? 0} visitors` : note`${rate} visitors a day`;

/** A range of one number is that number. */
const formatBounds = ({ least, most }: Bounds) => (least === most ? most : `${least}–${most}`);

/** "217–250 more", "6–8 fewer". Only certain changes are shown, so both ends have one sign. */
const formatChange = ({ least, most }: Bounds) =>
  least > 0 ? `${least}–${most} more` : `${-most}–${-least} fewer`;
