/** What a point of a trend is, as far as its axis differs. */
export type PointUnit = "hour" | "day" | "week";

export const WEEK = 7;
/** A longer trend is read by weeks: by days, its weekends would hide it. */
export const MAX_DAYS = 120;

/** Cuts a list into groups of a size, counted from its end, so that only the first can be smaller. */
export function groupFromEnd<T>(items: readonly T[], size: number): T[][] {
  const missing = (size - (items.length % size)) % size;
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(Math.max(0, index * size - missing), (index + 1) * size - missing),
  );
}

const STRIDES = { day: [1, 2, 7, 14, 28, 56], hour: [1, 2, 3, 6, 12] };

/**
 * The points with a label: the last one and earlier ones at intervals that leave room for each label, and the first one if there
 * is room. Longer intervals are whole weeks, so that all labels are on the same weekday. Of hours, it is the first one and
 * later ones; of weeks, the first ones of months.
 *
 * @param names The first day or hour of each point.
 * @param fitting How many labels fit.
 */
export function findLabels(names: readonly string[], unit: PointUnit, fitting: number): number[] {
  if (unit === "week") return findMonths(names, fitting);
  const stride = STRIDES[unit].find((length) => Math.ceil(names.length / length) <= fitting) ?? names.length;
  const last = unit === "hour" ? 0 : names.length - 1;
  const found = [...names.keys()].filter((index) => (index - last) % stride === 0);
  const hasRoom = (found[0] ?? 0) * fitting >= names.length;
  return hasRoom ? [0, ...found] : found;
}

/** The first weeks of months. */
function findMonths(names: readonly string[], fitting: number): number[] {
  const starts = [...names.keys()].filter(
    (index) => index > 0 && names[index]?.slice(0, 7) !== names[index - 1]?.slice(0, 7),
  );
  const stride = Math.ceil(starts.length / fitting);
  return starts.filter((_, index) => index % stride === 0);
}
