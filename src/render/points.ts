import { type Cell, type Column, POINTS } from "../operations/view.ts";
import { nameUnit } from "./plural.ts";

/** Whether a cell is a change in percentage points: a number among percentages would pass for one of them. */
export const isPoints = ({ kind }: Column, { unit }: Record<string, Cell>): boolean =>
  kind === "change" && unit === POINTS;

/** A change in percentage points, in words: `0.7 points higher`, `1 point lower`, `0 points`. */
export function describePoints(change: number, formatNumber: (value: number) => string = String): string {
  const size = Math.abs(change);
  const way = change === 0 ? "" : change > 0 ? " higher" : " lower";
  return `${formatNumber(size)} ${nameUnit(size, "point")}${way}`;
}
