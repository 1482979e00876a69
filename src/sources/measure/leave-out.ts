import { isOfHit, OTHER } from "./definition.ts";
import type { HitColumn, HitDimension, HitTable } from "./hit-table.ts";
import { findVisits } from "./visits.ts";

/** A table that knows the paths of its events, too, which are no pages. */
export interface PathTable extends HitTable {
  paths(): HitColumn;
}

/** A table without the hits of some paths. */
export function leaveOutPaths(table: PathTable, isLeftOut: (path: string) => boolean): HitTable {
  const { numbers, texts } = table.paths();
  const verdicts = texts.map((text) => text !== null && text !== OTHER && isLeftOut(text));
  if (!verdicts.includes(true)) return table;
  return leaveOut(
    table,
    Uint8Array.from({ length: table.length }, (_, row) => (verdicts[numbers[row] ?? 0] ? 1 : 0)),
  );
}

/**
 * A table without some of its hits, and without visitors of whom no page view is left. A visit stays the same visit: where it came
 * from does not change, also if its first page view is left out.
 *
 * @param isLeftOut By row, 1 for those to leave out.
 */
function leaveOut(table: HitTable, isLeftOut: Uint8Array): HitTable {
  const rows = listRows(table, isLeftOut);
  const pick = <T extends Uint32Array | Uint8Array>(list: T) => rows.map((row) => list[row] ?? 0);
  const visits = findVisits(table);
  const column = (dimension: HitDimension): HitColumn => {
    const { numbers, texts } = table.column(dimension);
    if (texts.length === 1) return { numbers, texts };
    const rowOf = (row: number) => (isOfHit(dimension) ? row : (visits.first[visits.ofRow[row] ?? 0] ?? 0));
    return { numbers: rows.map((row) => numbers[rowOf(row)] ?? 0), texts };
  };
  return {
    length: rows.length,
    visitors: pick(table.visitors),
    visits: pick(table.visits),
    times: pick(table.times),
    events: Uint8Array.from(rows, (row) => table.events[row] ?? 0),
    column,
  };
}

function listRows({ length, visitors, events }: HitTable, isLeftOut: Uint8Array): Uint32Array {
  const rows = new Uint32Array(length);
  let [count, start, visitor, hasView] = [0, 0, 0, false];
  const end = () => {
    if (!hasView) count = start;
  };
  for (let row = 0; row < length; row++) {
    if (visitors[row] !== visitor) {
      end();
      [start, visitor, hasView] = [count, visitors[row] ?? 0, false];
    }
    if (isLeftOut[row] === 1) continue;
    rows[count++] = row;
    if (events[row] === 0) hasView = true;
  }
  end();
  return rows.subarray(0, count);
}
