import type { Column, View } from "../operations/view.ts";
import { drawBar } from "./block-graphics.ts";
import { cleanRows, distinguish } from "./clean-rows.ts";
import { cleanText } from "./clean-text.ts";
import { createCellFormat, isNumeric, paintCell } from "./table-cells.ts";
import { paint, type Screen } from "./terminal-screen.ts";
import { measure, pad, truncate, truncateStart, wrap } from "./text-width.ts";

const GAP = 2;
/** Text is first cut to this width. If that is not enough, details are left out. */
const COMFORTABLE_TEXT = 20;
/** The width of text in tables side by side. Before it is cut further, columns that can be spared are left out. */
const NARROW_TEXT = 14;
const MIN_TEXT_WIDTH = 4;
const MIN_BAR_WIDTH = 6;
const MAX_BAR_WIDTH = 40;

interface Fitted {
  columns: Column[];
  widths: number[];
}

/**
 * A view as an aligned table for people that fits the screen's width. Numbers are on the right, with grouped digits, and
 * never cut. If there is no room, text is cut and details are left out; a single row of numbers gets a line for each. Columns
 * for programs are not shown.
 */
export function formatTable(view: View, screen: Screen): string[] {
  const format = createCellFormat(screen);
  const rows = cleanRows(view.rows);
  const shown = view.columns.filter((column) => column.machine !== true);
  const natural = new Map(
    shown.map((column) => [
      column,
      Math.max(measure(cleanText(column.label)), ...rows.map((row) => measure(format(column, row)))),
    ]),
  );
  const [only, ...others] = rows;
  const isRowOfNumbers = others.length === 0 && shown[0] !== undefined && isNumeric(shown[0]);
  if (only && isRowOfNumbers && sumWidths([...natural.values()]) > screen.width) {
    return formatTurned(shown, (column) => format(column, only), screen);
  }
  const { columns, widths } = fitColumns(shown, natural, screen.width);
  const align = (text: string, index: number, column: Column) => {
    const width = widths[index] ?? 0;
    const cut = column.keepsEnd ? truncateStart(text, width) : truncate(text, width);
    return pad(cut, width, isNumeric(column) ? "right" : "left");
  };
  const header = joinCells(columns.map((column, index) => align(cleanText(column.label), index, column)));
  const drawBars = createBars(view, screen, sumWidths(widths));
  const texts = columns.map((column, index) => {
    const all = rows.map((row) => format(column, row));
    if (column.key !== "label") return all;
    return distinguish(all, (text, spare) => truncate(text, Math.max(1, (widths[index] ?? 0) - spare)));
  });
  const lines = rows.flatMap((row, at) => {
    const parts = columns.map((column, index) =>
      breakCell(column, texts[index]?.[at] ?? "", widths[index] ?? 0),
    );
    const height = Math.max(1, ...parts.map((lines) => lines.length));
    return Array.from({ length: height }, (_, line) => {
      const cells = columns.map((column, index) =>
        paintCell(screen, column, row, align(parts[index]?.[line] ?? "", index, column)),
      );
      return joinCells([...cells, ...(line === 0 ? drawBars(row) : [])]);
    });
  });
  return [paint(screen, "dim", header), ...lines];
}

/** A row as lines of a name and a number. */
function formatTurned(columns: readonly Column[], format: (column: Column) => string, screen: Screen) {
  const lines = columns.map((column) => ({ name: cleanText(column.label), text: format(column) }));
  const nameWidth = Math.max(...lines.map(({ name }) => measure(name)));
  const textWidth = Math.max(...lines.map(({ text }) => measure(text)));
  return lines.map(
    ({ name, text }) =>
      paint(screen, "dim", pad(name, nameWidth, "left")) + " ".repeat(GAP) + pad(text, textWidth, "right"),
  );
}

/** Lines of a cell. A path or address that is wider than the column goes on in the next line. */
const breakCell = ({ wraps, untrusted }: Column, text: string, width: number): string[] =>
  wraps
    ? wrap(text, width)
        .split("\n")
        .flatMap((line) => (untrusted ? [line] : (line.match(new RegExp(`.{1,${width}}`, "gu")) ?? [""])))
    : [text];

const joinCells = (cells: string[]) => cells.join(" ".repeat(GAP)).trimEnd();

/** The smallest useful width of a view's table, without details. */
export function measureTable(view: View, screen: Screen): number {
  const format = createCellFormat(screen);
  const widths = view.columns
    .filter((column) => column.machine !== true && column.detail !== true)
    .map((column) => {
      const widest = Math.max(measure(column.label), ...view.rows.map((row) => measure(format(column, row))));
      return isNumeric(column) ? widest : Math.min(widest, NARROW_TEXT);
    });
  return sumWidths(widths);
}

function fitColumns(shown: Column[], natural: Map<Column, number>, width: number): Fitted {
  let columns = shown;
  const shrinkTo = (minWidth: number) =>
    shrink(
      columns,
      columns.map((column) => natural.get(column) ?? 0),
      width,
      minWidth,
    );
  const drop = (minWidth: number, canGo: (column: Column) => boolean) => {
    while (sumWidths(shrinkTo(minWidth)) > width) {
      const last = columns.findLast(canGo);
      if (!last) break;
      columns = columns.filter((column) => column !== last);
    }
  };
  drop(COMFORTABLE_TEXT, ({ detail }) => detail === true);
  drop(NARROW_TEXT, ({ spare }) => spare === true);
  return { columns, widths: shrinkTo(MIN_TEXT_WIDTH) };
}

/** Cuts the widest text by one column at a time, until the table fits or no text is wider than `minWidth`. */
function shrink(columns: Column[], widths: number[], width: number, minWidth: number): number[] {
  const shrunk = [...widths];
  for (let excess = sumWidths(shrunk) - width; excess > 0; excess--) {
    const texts = columns.flatMap((column, index) =>
      isNumeric(column) || column.kind !== "text" ? [] : [index],
    );
    const widest = texts.reduce<number | undefined>(
      (best, index) => (best === undefined || (shrunk[index] ?? 0) > (shrunk[best] ?? 0) ? index : best),
      undefined,
    );
    if (widest === undefined || (shrunk[widest] ?? 0) <= minWidth) break;
    shrunk[widest] = (shrunk[widest] ?? 0) - 1;
  }
  return shrunk;
}

const sumWidths = (widths: number[]) =>
  widths.reduce((sum, width) => sum + width, 0) + GAP * Math.max(0, widths.length - 1);

function createBars({ bars, rows }: View, screen: Screen, used: number) {
  const room = Math.min(MAX_BAR_WIDTH, screen.width - used - GAP);
  if (bars === undefined || !screen.pictures || room < MIN_BAR_WIDTH) return () => [];
  // A range has no bar.
  const read = (row: View["rows"][number]) => Number(row[bars] ?? 0) || 0;
  const most = Math.max(...rows.map(read));
  return (row: View["rows"][number]) => [paint(screen, "cyan", drawBar(read(row), most, room))];
}
