import { type Note, note } from "../operations/note.ts";
import { describeVisitors, periodHeadline } from "../operations/period.ts";
import type { Cell, Column, View } from "../operations/view.ts";
import type { Bounds } from "./bounds.ts";
import type { Conversions } from "./conversions-result.ts";
import { nameColumns } from "./report-fields.ts";
import { SMALL_SAMPLE } from "./windows.ts";

const columns: readonly Column[] = [
  { key: "visitors", label: "visitors", kind: "count" },
  { key: "converted", label: "converted", kind: "count" },
  { key: "conversion_rate", label: "rate", kind: "percent" },
];

type Measured = Pick<Conversions, "visitors" | "converted" | "conversion_rate" | "bounds">;

/** Conversions as a table: one row for all visitors, or one for each value of a dimension. */
export function viewConversions(conversions: Conversions): View[] {
  const { site, period, filter, goal, by, rows, limit = 0, total_rows: total = 0 } = conversions;
  const { notes, warnings } = describeVisitors(period, conversions.warnings);
  const what = by === undefined ? goal : `${goal} by ${by}`;
  const headline = `Goal ${what} of ${periodHeadline(site.domain, period, filter)}`;
  const samples = describeSamples(conversions);
  if (by === undefined || rows === undefined) {
    const all = [showMeasured(conversions)];
    return [{ headline, columns: [...columns], rows: all, notes: [...samples, ...notes], warnings }];
  }
  return [
    {
      headline,
      columns: [...nameColumns(by), ...columns],
      bars: "converted",
      rows: rows.map(({ value, label, ...row }) => ({ value, label, ...showMeasured(row) })),
      extent: { total, limit },
      notes: [describeTotals(conversions), ...samples, ...notes],
      warnings,
    },
  ];
}

function showMeasured({ bounds, ...known }: Measured): Record<string, Cell> {
  const { visitors, converted, conversion_rate: rate } = known;
  return {
    visitors: visitors ?? (bounds ? formatBounds(bounds.visitors) : null),
    converted: converted ?? (bounds ? formatBounds(bounds.converted) : null),
    conversion_rate: rate ?? (bounds ? `${formatBounds(bounds.conversion_rate)}%` : null),
  };
}

const formatBounds = ({ least, most }: Bounds) => `${least}–${most}`;

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
    ? [`Rows with under ${SMALL_SAMPLE} visitors are small samples: their rates may be due to chance.`]
    : [];
}
