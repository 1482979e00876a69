import { AnalyticsError, quoteWord } from "../../errors.ts";
import type { View } from "../../operations/view.ts";
import { suggest } from "../../render/suggest.ts";

/**
 * The views with the columns that are named, in that order, and pictures of nothing else; tables that have none of
 * them are left out. Throws AnalyticsError `usage` for a name that is no column's.
 */
export function chooseFields(views: readonly View[], fields: string): View[] {
  const asked = fields.split(",").map((each) => each.trim());
  const known = [...new Set(views.flatMap(({ columns }) => columns.map(({ key }) => key)))];
  const unknown = asked.find((name) => !known.includes(name));
  if (unknown !== undefined) {
    throw new AnalyticsError("usage", `There is no field ${quoteWord(unknown)} here.`, {
      hint: `${suggest(unknown, known)}The fields are ${known.join(", ")}.`,
    });
  }
  return views.flatMap((view): View[] => {
    const columns = asked.flatMap((name) => {
      const found = view.columns.find(({ key }) => key === name);
      if (!found) return [];
      // What is asked for by name is wanted, by whoever reads it.
      const { machine: _, detail: __, ...column } = found;
      return [column];
    });
    if (columns.length === 0) return [];
    const { name, rows, notes, bars } = view;
    // A list without its names still says of what it is.
    const headline = view.headline === "" && name !== undefined ? name : view.headline;
    return [
      {
        ...(name !== undefined && { name }),
        headline,
        rows,
        notes,
        columns,
        ...(bars !== undefined && asked.includes(bars) && { bars }),
      },
    ];
  });
}
