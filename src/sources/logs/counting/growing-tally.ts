import type { Tallies } from "../../measure/tallies.ts";
import { append, createColumn, increase, readColumn } from "./columns.ts";

/** Counts the values of a dimension on one day. */
export interface GrowingTally {
  readonly size: number;
  /**
   * @param value Its number.
   * @param visitor Visitors come one after the other.
   * @param visit If it has the value, and is counted with it: how many page views it has, and how long it was.
   */
  add(value: number, visitor: number, hits: number, visit?: { views: number; seconds: number }): void;
  /** @param textOf The value with a number. */
  finish(textOf: (number: number) => string | null): Tallies;
}

export function createGrowingTally(): GrowingTally {
  /** The rows of values, from 1 up. */
  let rowOf = new Uint32Array(16);
  const [values, visitors, hits, last] = [createColumn(), createColumn(), createColumn(), createColumn()];
  const [visits, bounces] = [createColumn(), createColumn()];
  /** All visits of a large day together can have more seconds than a column holds. */
  const visitSeconds: number[] = [];
  const addRow = (value: number) => {
    if (value >= rowOf.length) {
      const grown = new Uint32Array(2 * value);
      grown.set(rowOf);
      rowOf = grown;
    }
    append(values, value);
    for (const column of [visitors, hits, last, visits, bounces]) append(column, 0);
    visitSeconds.push(0);
    rowOf[value] = values.length;
    return values.length;
  };
  return {
    get size() {
      return values.length;
    },
    add: (value, visitor, more, visit) => {
      const row = (rowOf[value] || addRow(value)) - 1;
      increase(hits, row, more);
      if (visit !== undefined) {
        increase(visits, row, 1);
        if (visit.views === 1) increase(bounces, row, 1);
        visitSeconds[row] = (visitSeconds[row] ?? 0) + visit.seconds;
      }
      // The last visitor of a value tells whether this is another one.
      if (last.values[row] === visitor) return;
      last.values[row] = visitor;
      increase(visitors, row, 1);
    },
    finish: (textOf) => ({
      values: Array.from(readColumn(values), textOf),
      visitors: readColumn(visitors).slice(),
      hits: readColumn(hits).slice(),
      ...(visits.values.some((count) => count > 0) && {
        ofVisits: { visits: readColumn(visits).slice(), bounces: readColumn(bounces).slice(), visitSeconds },
      }),
    }),
  };
}
