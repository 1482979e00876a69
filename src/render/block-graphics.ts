import { findTop, OFF_SCALE } from "./chart-scale.ts";

const RISING = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"];
const GROWING = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];

/**
 * Draws counts as blocks of eight heights. Zero is a dot, so that a small count never looks like zero; a count far above
 * the others is an arrow, and what is not known is a gap.
 */
export function drawSparkline(values: readonly (number | null)[]): string {
  const top = findTop(values);
  const draw = (value: number | null) => {
    if (value === null) return " ";
    if (value === 0) return "·";
    return value > top ? OFF_SCALE : RISING[Math.ceil((value / top) * RISING.length) - 1];
  };
  return values.map(draw).join("");
}

/** Draws a count as a bar, in eighths of a column. `most` fills the width; a count above zero is always visible. */
export function drawBar(value: number, most: number, width: number): string {
  if (value <= 0 || most <= 0) return "";
  const eighths = Math.max(1, Math.round((value / most) * width * 8));
  return "█".repeat(Math.floor(eighths / 8)) + GROWING[eighths % 8];
}

/** Draws one column of a chart, from the top line down, in eighths of a line; above the scale it ends in an arrow. */
export function drawColumn(value: number, most: number, height: number): string[] {
  if (value > most) return [OFF_SCALE, ...drawColumn(most, most, height - 1)];
  const eighths = value <= 0 || most <= 0 ? 0 : Math.max(1, Math.round((value / most) * height * 8));
  return Array.from({ length: height }, (_, index) => {
    const filled = Math.min(8, Math.max(0, eighths - (height - 1 - index) * 8));
    return filled === 0 ? " " : (RISING[filled - 1] ?? "");
  });
}
