// How a model reads an answer that has nothing else: from its text alone, or from its structured content alone.

/** Where a number stands: in a table of the text, and in the structured content. */
export interface Place {
  /** The row by its first or second cell (else the only one), and the column by its name. */
  text: readonly [row: string | undefined, column: string];
  /** The entry of a list by what names it (else the whole answer), and the member, with dots for those within. */
  data: readonly [row: string | number | undefined, member: string];
}

/** A number of the whole answer. */
export const whole = (column: string, member = column): Place => ({
  text: [undefined, column],
  data: [undefined, member],
});

/** A number of a row. */
export const row = (name: string, column: string, member = column, named: string | number = name): Place => ({
  text: [name, column],
  data: [named, member],
});

/** A total of a comparison or an overview: a row of the text, a member of the structured content. */
export const total = (name: string, column: string, member: string): Place => ({
  text: [name, column],
  data: [undefined, member],
});

export type Found = string | number | null | undefined;

/** Reads a cell; undefined if the text does not have it. */
export function readText(text: string, [name, column]: Place["text"]): Found {
  let header: string[] | undefined;
  for (const line of text.split("\n")) {
    const cells = line.split("\t");
    if (cells.includes(column) && cells.length > 1) header = cells;
    else if (cells.length === 1 && column === line) header = cells;
    else if (header?.length === cells.length && (name === undefined || cells.slice(0, 2).includes(name)))
      // A list of events begins with their names, under the same word.
      return readCell(cells[header.lastIndexOf(column)] ?? "");
  }
  return undefined;
}

const readCell = (cell: string) => (cell === "" ? null : /^-?\d+(\.\d+)?$/.test(cell) ? Number(cell) : cell);

/** What names an entry. */
const NAMES = ["value", "label", "date", "from", "weekday", "hour", "time", "step", "domain", "dimension"];

/** Reads a member; undefined if the structured content does not have it. */
export function readData(data: unknown, [name, member]: Place["data"]): Found {
  const path = member.split(".");
  return name === undefined ? follow(data, path) : findEntry(data, name, path);
}

const follow = (data: unknown, path: readonly string[]) =>
  path.reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], data) as Found;

function findEntry(data: unknown, name: string | number, path: readonly string[]): Found {
  if (typeof data !== "object" || data === null) return undefined;
  const entry = data as Record<string, unknown>;
  const isNamed = NAMES.some((key) => entry[key] === name);
  const own = isNamed ? follow(entry, path) : undefined;
  if (own !== undefined) return own;
  for (const value of Object.values(entry)) {
    const found = findEntry(value, name, path);
    if (found !== undefined) return found;
  }
  return undefined;
}
