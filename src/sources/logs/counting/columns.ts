/** A growing list of whole numbers below 2^32. */
export interface Column {
  /** Longer than the list: only the first `length` numbers count. */
  values: Uint32Array;
  length: number;
}

/** @param size Small enough that V8 keeps the numbers of small days in its own heap, where they are collected sooner. */
export const createColumn = (size = 16): Column => ({ values: new Uint32Array(size), length: 0 });

export function append(column: Column, value: number): void {
  if (column.length === column.values.length) {
    const grown = new Uint32Array(2 * column.length);
    grown.set(column.values);
    column.values = grown;
  }
  column.values[column.length++] = value;
}

/** Makes a column at least so long; the new numbers are 0. */
export function growTo(column: Column, length: number): void {
  if (length > column.values.length) {
    const grown = new Uint32Array(2 * length);
    grown.set(column.values);
    column.values = grown;
  }
  column.length = Math.max(column.length, length);
}

export function increase({ values }: Column, at: number, by: number): void {
  values[at] = (values[at] ?? 0) + by;
}

/** The numbers of a column; a view, not a copy. */
export const readColumn = ({ values, length }: Column): Uint32Array => values.subarray(0, length);

export function columnOf(values: Uint32Array): Column {
  return values.length === 0 ? createColumn() : { values, length: values.length };
}
