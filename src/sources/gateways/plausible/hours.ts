import { addDays } from "../../../operations/days.ts";
import { listHours, offsetAt, startOfDay } from "../../calendar.ts";
import type { HourTotals, Span } from "../../data-source.ts";
import type { PlausibleApi } from "./api.ts";

const METRICS = ["visitors", "pageviews"] as const;
/** Seconds. */
const FRESH = 30;

/** The totals of each hour. Plausible names hours as the clocks show them, so those that they repeat are asked for alone. */
export async function readHours(api: PlausibleApi, span: Span, signal?: AbortSignal): Promise<HourTotals[]> {
  const { site, from, to, now } = span;
  const { timezone } = site;
  const rows = await api.askRows(span, { metrics: METRICS, dimensions: ["time:hour"] }, signal);
  const counts = new Map(rows.map(({ dimensions: [hour = ""], metrics }) => [hour, metrics]));
  const hours = listHours(from, to, timezone);
  const end = startOfDay(addDays(to, 1), timezone);
  const names = hours.map((hour) => nameHour(hour, timezone));
  const isRepeated = (name: string) => names.indexOf(name) !== names.lastIndexOf(name);
  return Promise.all(
    hours
      .filter((hour) => hour <= now)
      .map(async (start, index) => {
        const name = names[index] ?? "";
        const last = (hours[index + 1] ?? end) - 1_000;
        const [visitors, pageviews] = isRepeated(name)
          ? await api.askInstants(span, [start, last], METRICS, { freshFor: FRESH, signal })
          : (counts.get(name) ?? []);
        return { start, visitors: visitors ?? 0, pageviews: pageviews ?? 0 };
      }),
  );
}

const nameHour = (instant: number, timezone: string) =>
  `${new Date(instant + offsetAt(instant, timezone)).toISOString().slice(0, 13).replace("T", " ")}:00:00`;
