import { AnalyticsError, quoteWord } from "../../errors.ts";
import type { View } from "../../operations/view.ts";
import { suggest } from "../../suggest.ts";

import { readFields, TABLE } from "./tables.ts";

const isName = (key: string) => key === "label" || key === "value";

/**
 * Keeps the named columns of each view, in that order. Drops the bars of other columns, and tables in which only the names
 * of the rows would be left. Throws AnalyticsError `usage` for an unknown column.
 */
export function chooseFields(views: readonly View[], fields: string): View[] {
  const asked = readFields(fields).filter((name) => views.length < 2 || name !== TABLE.key);
  const known = [...new Set(views.flatMap(({ columns }) => columns.map(({ key }) => key)))];
  const unknown = asked.find((name) => !known.includes(name));
  if (unknown !== undefined || asked.length === 0) {
    const why =
      unknown === undefined ? "name others beside table" : `there is no field ${quoteWord(unknown)} here`;
    throw new AnalyticsError("usage", `--fields: ${why}.`, {
      hint: `${suggest(unknown ?? "", known)}The fields are ${known.join(", ")}.`,
    });
  }
  return views.flatMap((view): View[] => {
    const columns = asked.flatMap((name) => {
      const found = view.columns.find(({ key }) => key === name);
      if (!found) return [];
      // A column asked for by name is always shown.
      const { machine: _, detail: __, ...column } = found;
      return [column];
    });
    // Names alone, without any of the numbers asked for, say nothing.
    if (columns.every(({ key }) => isName(key)) && !asked.every(isName)) return [];
    const { name, rows, notes, bars } = view;
    // Without its label column, a list still needs a title.
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
