import { addDays } from "../operations/days.ts";
import { forModels, forPeople, type Note, note } from "../operations/note.ts";
import { formatSpan } from "../operations/period.ts";
import type { View } from "../operations/view.ts";
import type { Bounds } from "./bounds.ts";
import type { Comparison } from "./compare-result.ts";
import { describeStart } from "./data-start.ts";
import { createChangeColumns, nameColumns, noteLengths } from "./report-fields.ts";
import { ROW_LIMIT } from "./subtracted-spans.ts";
import { SMALL_SAMPLE_NOTE } from "./windows.ts";

type Movers = Comparison["dimensions"][number];

/** A comparison as tables: both periods, then what changed most in each dimension. */
export function viewComparison(comparison: Comparison): View[] {
  return [viewWindows(comparison), ...comparison.dimensions.map((group) => viewMovers(group, comparison))];
}

function viewWindows(comparison: Comparison): View {
  const { site, timezone, as_of, current, previous, change, small_sample, dimensions } = comparison;
  const { columns, fill } = createChangeColumns(comparison);
  const show = (name: "visitors" | "pageviews") => ({
    label: name,
    ...fill({
      current: current[name],
      previous: previous[name],
      change: change[name].absolute,
      percent: change[name].percent,
    }),
  });
  const isUntilToday = current.to === addDays(as_of.slice(0, 10), -1);
  const { notes, warnings } = describeStart(comparison, previous, current);
  return {
    name: "windows",
    headline: `${site.domain}, ${formatSpan(current)} compared with ${formatSpan(previous)} (${timezone})`,
    columns: [{ key: "label", label: "measure", kind: "text" }, ...columns],
    rows: [show("visitors"), show("pageviews")],
    notes: [
      ...(isUntilToday ? [forPeople("Complete days only: today is in neither period.")] : []),
      forModels(`Complete days only: today is in neither period. As of ${as_of}.`),
      ...noteLengths(current, previous),
      ...(small_sample ? [SMALL_SAMPLE_NOTE] : []),
      ...notes,
      ...noteRest(dimensions),
    ],
    warnings,
  };
}

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
  const { columns, fill } = createChangeColumns(comparison);
  return {
    name: dimension,
    headline: `${dimension} that changed most, by visitors`,
    beside: true,
    columns: [...nameColumns(dimension), ...columns],
    rows: movers.map(({ value, label, change, bounds, ...counts }) => ({
      value,
      label,
      ...fill({
        current: counts.current ?? (bounds ? formatBounds(bounds.current) : null),
        previous: counts.previous ?? (bounds ? formatBounds(bounds.previous) : null),
        change: change?.absolute ?? (bounds ? formatChange(bounds.change) : null),
        percent: change?.percent ?? null,
      }),
    })),
    ...describeMovers(group, comparison.changes_per_day ? "visitors a day" : "visitors"),
  };
}

const isCertain = ({ cut_off, drift: errorBound }: Movers) => !cut_off && errorBound === 0;

function describeMovers(group: Movers, unit: string): { notes: Note[]; warnings: Note[] } {
  const { dimension, drift: errorBound, cut_off, movers, more } = group;
  const [are, verb] = isCertain(group)
    ? ["changed", "changed"]
    : ["are known to have changed", "may have changed"];
  return {
    notes: [
      ...(movers.length === 0 ? [`No ${dimension} ${are}.`] : []),
      ...(more.count > 0
        ? [forModels(note`${dimension}: ${more.count} more ${verb}, by at most ${more.most} ${unit} each.`)]
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

const formatBounds = ({ least, most }: Bounds) => `${least}–${most}`;

/** "217–250 more", "6–8 fewer". Only certain changes are shown, so both ends have one sign. */
const formatChange = ({ least, most }: Bounds) =>
  least > 0 ? `${least}–${most} more` : `${-most}–${-least} fewer`;
