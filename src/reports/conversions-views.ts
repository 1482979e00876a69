import { quoteIfNeeded } from "../errors.ts";
import { type Note, note } from "../operations/note.ts";
import { describeVisitors, periodHeadline } from "../operations/period.ts";
import type { View } from "../operations/view.ts";
import type { Bounds } from "./bounds.ts";
import type { Conversions } from "./conversions-result.ts";
import { nameColumns } from "./report-fields.ts";
import { SMALL_SAMPLE } from "./windows.ts";

/** Conversions as a table: one row for all visitors, or one for each value of a dimension. */
export function viewConversions(conversions: Conversions): View[] {
  const { site, period, filter, goal, by, rows, limit = 0, total_rows: total = 0 } = conversions;
  const { notes, warnings } = describeVisitors(period, conversions.warnings);
  return [
    {
      headline: `Goal ${quoteIfNeeded(goal)}${by ? ` by ${by}` : ""} of ${periodHeadline(site.domain, period, filter)}`,
      columns: [
        ...(by ? nameColumns(by) : []),
        { key: "visitors", label: "visitors", kind: "count" },
        { key: "converted", label: "converted", kind: "count" },
        { key: "conversion_rate", label: "rate", kind: "percent" },
      ],
      rows: rows
        ? rows.map((row) => ({ value: row.value, label: row.label, ...showMeasured(row) }))
        : [showMeasured(conversions)],
      ...(rows && { bars: "converted", extent: { total, limit } }),
      notes: [...(rows ? [describeTotals(conversions)] : []), ...describeSamples(conversions), ...notes],
      warnings,
    },
  ];
}

type Measured = Pick<Conversions, "visitors" | "converted" | "conversion_rate" | "bounds">;

function showMeasured({ visitors, converted, conversion_rate: rate, bounds }: Measured) {
  return {
    visitors: visitors ?? formatBounds(bounds?.visitors),
    converted: converted ?? formatBounds(bounds?.converted),
    conversion_rate: rate ?? formatBounds(bounds?.conversion_rate, "%"),
  };
}

const formatBounds = (bounds: Bounds | undefined, unit = "") =>
  bounds ? `${bounds.least}–${bounds.most}${unit}` : null;

/** The totals, which the rows do not add up to. */
function describeTotals(conversions: Conversions): Note {
  const { visitors, converted, conversion_rate: rate } = showMeasured(conversions);
  const share = rate === null ? "" : typeof rate === "number" ? note` (${rate}%)` : ` (${rate})`;
  return note`Rows may not add up, since a visitor can count in several. In all: ${visitors ?? ""} visitors, of whom ${converted ?? ""} converted${share}.`;
}

function describeSamples({ visitors, small_sample, rows = [] }: Conversions): Note[] {
  if (visitors === 0) return ["There were no visitors, so there is no rate."];
  if (small_sample) return [`Small sample (under ${SMALL_SAMPLE} visitors): the rate may be due to chance.`];
  const hasSmall = rows.some((row) => (row.visitors ?? row.bounds?.visitors.least ?? 0) < SMALL_SAMPLE);
  return hasSmall
    ? [`Rows under ${SMALL_SAMPLE} visitors are small samples: their rates may be due to chance.`]
    : [];
}
