import type { View } from "./view.ts";

/** A view as people read it, from its first day with data on. Programs get every day that they asked for. */
export function beginRowsWithData(view: View): View {
  const { cut = 0, interval } = view.series ?? {};
  if (cut === 0 || view.rows.length === 0) return view;
  const left = `${cut} ${interval?.name ?? "day"}${cut === 1 ? "" : "s"}`;
  return {
    ...view,
    headline: `${view.headline}. Not shown: the ${left} before the data.`,
    rows: view.rows.slice(cut),
  };
}
