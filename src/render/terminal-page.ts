import { beginRowsWithData } from "../operations/rows-before.ts";
import type { View } from "../operations/view.ts";
import { cleanText } from "./clean-text.ts";
import { formatChart, formatSeries, formatSparkline } from "./terminal-chart.ts";
import { paint, type Screen } from "./terminal-screen.ts";
import { formatTable, measureTable } from "./terminal-table.ts";
import { measure, pad, wrap } from "./text-width.ts";

const GAP = 3;
/** In lines: the lowest screen that gets a chart, and the highest chart. */
const MIN_SCREEN_HEIGHT = 24;
const MAX_CHART_HEIGHT = 10;

/** An answer's views as one page for people: tables stacked or side by side, with charts if the screen has room. */
export function formatPage(views: readonly View[], screen: Screen): string {
  const blocks = groupBeside(views.map(beginRowsWithData)).flatMap((group) => layOut(group, screen));
  return blocks
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join("\n"))
    .join("\n\n");
}

/** Adjacent views that may be shown side by side are one group; every other view is alone. */
function groupBeside(views: readonly View[]): View[][] {
  const groups: View[][] = [];
  for (const view of views) {
    const last = groups.at(-1);
    if (view.beside && last?.[0]?.beside) last.push(view);
    else groups.push([view]);
  }
  return groups;
}

/** Puts as many views of a group in a row as there is room for. */
function layOut(group: View[], screen: Screen): string[][] {
  const minWidth = Math.max(...group.map((view) => measureTable(view, screen)));
  const across = Math.max(1, Math.min(group.length, Math.floor((screen.width + GAP) / (minWidth + GAP))));
  if (across === 1) return group.map((view) => formatBlock(view, screen));
  const width = Math.floor((screen.width - GAP * (across - 1)) / across);
  const blocks = group.map((view) => formatBlock(view, { ...screen, width }));
  const rows: string[][] = [];
  for (let index = 0; index < blocks.length; index += across) {
    rows.push(joinBlocks(blocks.slice(index, index + across), width));
  }
  return rows;
}

function joinBlocks(blocks: string[][], width: number): string[] {
  const height = Math.max(...blocks.map((lines) => lines.length));
  return Array.from({ length: height }, (_, row) =>
    blocks
      .map((lines) => pad(lines[row] ?? "", width, "left"))
      .join(" ".repeat(GAP))
      .trimEnd(),
  );
}

function formatBlock(view: View, screen: Screen): string[] {
  // If one of several lists is empty, it is left out, and a note says so.
  if (view.beside && view.rows.length === 0) return [];
  const { series } = view;
  const isSeries = series !== undefined && view.rows.length === 0;
  const headline = isSeries
    ? screen.pictures
      ? ""
      : formatSeries(series, screen)
    : cleanText(view.headline, 1_000);
  const parts = [
    headline === ""
      ? []
      : wrap(headline, screen.width)
          .split("\n")
          .map((line) => paint(screen, "bold", line)),
    ...drawOrder(drawSeries(view, screen), view.rows.length === 0 ? [] : formatTable(view, screen), screen),
  ].filter((lines) => lines.length > 0);
  // Side by side, no empty lines: a headline stays close to its table.
  return parts.flatMap((lines, index) => (index === 0 || view.beside ? lines : ["", ...lines]));
}

/** Above a table longer than the screen, the picture would scroll away, so it goes below. */
const drawOrder = (picture: string[], table: string[], { height }: Screen) =>
  picture.length + table.length + 4 > height ? [table, picture] : [picture, table];

function drawSeries({ series, rows }: View, screen: Screen): string[] {
  if (!series || !screen.pictures || series.values.length < 2) return [];
  if (rows.length === 0 || screen.height < MIN_SCREEN_HEIGHT) return formatSparkline(series, screen);
  const height = Math.min(MAX_CHART_HEIGHT, Math.floor(screen.height / 3));
  return formatChart(series, screen, height).filter((line) => measure(line) > 0);
}
