const RISING = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"];
const GROWING = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];

/**
 * Counts as blocks of eight heights, from zero to the largest. Nothing is a blank of the lowest height's, so that
 * something never looks like nothing.
 */
export function drawSparkline(values: readonly number[]): string {
  const most = Math.max(...values, 0);
  return values
    .map((value) => (value === 0 ? "·" : RISING[Math.ceil((value / most) * RISING.length) - 1]))
    .join("");
}

/** A count as a bar against the largest, in eighths of a column. Whatever is there can be seen. */
export function drawBar(value: number, most: number, width: number): string {
  if (value <= 0 || most <= 0) return "";
  const eighths = Math.max(1, Math.round((value / most) * width * 8));
  return "█".repeat(Math.floor(eighths / 8)) + GROWING[eighths % 8];
}

/** The lines of a column of a chart, from the top: how full each is, in eighths. */
export function drawColumn(value: number, most: number, height: number): string[] {
  const eighths = value <= 0 || most <= 0 ? 0 : Math.max(1, Math.round((value / most) * height * 8));
  return Array.from({ length: height }, (_, index) => {
    const filled = Math.min(8, Math.max(0, eighths - (height - 1 - index) * 8));
    return filled === 0 ? " " : (RISING[filled - 1] ?? "");
  });
}
