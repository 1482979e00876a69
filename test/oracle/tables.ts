import stringWidth from "fast-string-width";
import { expect } from "vitest";
import type { Cell, Column, Table } from "./expected.ts";

/** A cell for programs. */
function raw(cell: Cell): string {
  if (typeof cell !== "object" || cell === null) return String(cell ?? "");
  return String("points" in cell ? cell.points : cell.raw);
}

/** A cell for a model. */
const tell = (cell: Cell, { kind }: Pick<Column, "kind">) =>
  typeof cell === "object" && cell !== null && "points" in cell
    ? tellPoints(cell)
    : kind === "day"
      ? nameDay(raw(cell))
      : raw(cell);

const nameDay = (date: string) =>
  `${date} ${new Date(`${date}T12:00:00Z`).toLocaleDateString("en", { weekday: "short", timeZone: "UTC" })}`;

function tellPoints({ points }: { points: number }): string {
  const size = Math.abs(points) === 1 ? "1 point" : `${Math.abs(points)} points`;
  return points === 0 ? size : `${size} ${points > 0 ? "higher" : "lower"}`;
}

/** Several tables are one for programs: each row says which it belongs to, and lacks the columns of the others. */
function mergeTables(tables: Table[]): { header: string[]; rows: string[][] } {
  const keysOf = ({ columns }: Table) => columns.map(({ key }) => key);
  const [single] = tables;
  if (single && tables.length === 1)
    return { header: keysOf(single), rows: single.rows.map((row) => row.map(raw)) };
  const all = new Set(tables.flatMap(keysOf));
  const names = ["value", "label"].filter((key) => all.delete(key));
  const keys = [...names, ...all];
  return {
    header: ["table", ...keys],
    rows: tables.flatMap((table) => {
      const own = keysOf(table);
      return table.rows.map((row) => [
        table.name ?? "",
        ...keys.map((key) => raw(row[own.indexOf(key)] ?? null)),
      ]);
    }),
  };
}

/** Compares the output of a pipe with the tables: tab-separated or comma-separated. */
export function expectData(text: string, tables: Table[], format: "csv" | "tsv"): void {
  const split = format === "tsv" ? (line: string) => line.split("\t") : splitCsv;
  const [header = [], ...rows] = text.replace(/\n$/, "").split("\n").map(split);
  expect({ header, rows }).toEqual(mergeTables(tables));
}

const splitCsv = (line: string) =>
  [...`,${line}`.matchAll(/,(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(
    ([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain ?? "",
  );

/** Compares the text half of a tool's answer with the tables, without the columns for programs. */
export function expectText(text: string, tables: Table[]): void {
  for (const table of tables) {
    if (table.rows.length === 0) continue;
    const { columns, rows } = showValues(table);
    const shown = columns.flatMap(({ machine }, index) => (machine ? [] : [index]));
    const titles = columns.map(({ key, title }) => (key === "label" ? title : key));
    const lines = [
      titles,
      ...rows.map((row) => row.map((cell, index) => tell(cell, columns[index] ?? { kind: "text" }))),
    ].map((cells) => shown.map((index) => cells[index]).join("\t"));
    expect(`\n${text}\n`).toContain(`\n${lines.join("\n")}\n`);
  }
}

/** A model gets the values that are not those of their labels but for case and `www.`: filters take them. */
function showValues(table: Table): Table {
  const [label, value] = ["label", "value"].map((name) => table.columns.findIndex(({ key }) => key === name));
  if (label === undefined || value === undefined || label < 0 || value < 0) return table;
  const plain = (cell: unknown) =>
    String(cell)
      .toLowerCase()
      .replace(/^www\./, "");
  const isOther = (row: Table["rows"][number]) =>
    typeof row[value] === "string" && plain(row[value]) !== plain(row[label]);
  if (table.columns[value]?.isUnfiltered || !table.rows.some(isOther)) return table;
  const order = [label, value, ...table.columns.keys()].filter((index, at, all) => all.indexOf(index) === at);
  return {
    ...table,
    columns: order.flatMap((index) => {
      const { machine: _, ...column } = table.columns[index] ?? { key: "", kind: "text" as const };
      return [index === value ? column : (table.columns[index] ?? column)] as Table["columns"];
    }),
    rows: table.rows.map((row) =>
      order.map((index) => (index === value && !isOther(row) ? null : (row[index] ?? null))),
    ),
  };
}

/** Compares a page of a terminal with the tables, by what is under each header. */
export function expectPage(text: string, tables: Table[], pictures: boolean): void {
  const lines = text.split("\n").map(layOut);
  for (const table of tables) {
    if (table.rows.length === 0) continue;
    const { columns, cells } = readTable(lines, table, tables);
    const shown = columns.map((column) => table.columns.indexOf(column));
    const expected = table.rows.map((row) =>
      shown.map((index) => formatCell(table.columns[index] as Column, row[index] ?? null, pictures)),
    );
    expect(cells).toEqual(expected);
  }
}

/** A line as the columns of a terminal: a wide character takes two. */
function layOut(line: string): string[] {
  const characters = [...new Intl.Segmenter("en").segment(line)].map(({ segment }) => segment);
  return characters.flatMap((each) => [each, ...Array(Math.max(0, stringWidth(each) - 1)).fill("")]);
}

/** A bar or a sparkline. */
const PICTURE = /^[█▏▎▍▌▋▊▉▁▂▃▄▅▆▇·↑]+$/;

function readTable(lines: string[][], table: Table, tables: Table[]) {
  const starts = lines.map((line) => tables.flatMap((each) => findHeader(line.join(""), each) ?? []));
  const found = lines.findIndex((line) => findHeader(line.join(""), table) !== undefined);
  const header = lines[found];
  if (!header) throw new Error(`There is no table with ${table.columns.map(({ title }) => title)}.`);
  const own = findHeader(header.join(""), table)?.index ?? 0;
  const others = (starts[found] ?? []).map(({ index }) => index).filter((index) => index > own);
  // Side by side, the first table begins at the start of the line and each ends where the next one begins.
  const isFirst = (starts[found] ?? []).every(({ index }) => index >= own);
  const [from, to] = [isFirst ? 0 : own, Math.min(...others, Number.POSITIVE_INFINITY)];
  const cut = (line: string[]) => line.slice(from, to).join("").trim().split(/ {2,}/);
  const titles = cut(header);
  return {
    columns: table.columns.filter(({ title, people = title }) => titles.includes(people)),
    cells: lines.slice(found + 1, found + 1 + table.rows.length).map((line) => {
      const cells = cut(line);
      return PICTURE.test(cells.at(-1) ?? "") ? cells.slice(0, -1) : cells;
    }),
  };
}

/** Finds the header of a table in a line, with or without its details. */
function findHeader(line: string, { columns }: Table): { index: number } | undefined {
  const shown = columns.filter(({ machine }) => !machine);
  const words = shown.map(({ title, people = title, detail }, index) => {
    const word = `${index === 0 ? "" : " {2,}"}${people}`;
    return detail ? `(?:${word})?` : word;
  });
  const match = new RegExp(`(?<=^ *| {3})${words.join("")}(?= {3}|$)`).exec(line);
  return match ? { index: match.index } : undefined;
}

const group = (value: number) => String(Math.abs(value)).replace(/\B(?=(\d{3})+$)/g, ",");
const tenths = (value: number) => {
  const [whole = "", tenth = "0"] = String(Math.abs(value)).split(".");
  return `${group(Number(whole))}.${tenth}`;
};

function formatText(kind: Column["kind"], text: string): string {
  // People read times without seconds and offset.
  if (kind === "time") return `${text.slice(0, 10)} ${text.slice(11, 16)}`;
  return kind === "day" ? nameDay(text) : text;
}

/** A cell for people: grouped digits, one decimal of percentages, signs and arrows of changes. */
function formatCell({ kind }: Column, cell: Cell, pictures: boolean): string {
  if (cell === null) return "–";
  if (typeof cell === "object") return "points" in cell ? tellPoints(cell) : cell.people;
  if (typeof cell === "string") return formatText(kind, cell);
  const sign = cell > 0 ? "+" : cell < 0 ? "-" : "";
  const arrow = !pictures || cell === 0 ? "" : cell > 0 ? "▲ " : "▼ ";
  if (kind === "percent") return `${cell > 0 && cell < 0.1 ? Number(cell.toPrecision(2)) : tenths(cell)}%`;
  if (kind === "percent_change") return `${arrow}${sign}${tenths(cell)}%`;
  return kind === "change" ? sign + group(cell) : group(cell);
}
