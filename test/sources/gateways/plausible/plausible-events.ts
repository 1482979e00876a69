import type { Fixtures, SiteProfile } from "../../../../src/sources/demo/fixture-types.ts";
import { createVisits, type Visit } from "../../../../src/sources/demo/visits.ts";
import { moveDate, startOf } from "../../../oracle/calendar.ts";

/** A hit as Plausible stores it: a row with the values of its visit. */
export interface StoredEvent {
  /** `pageview`, or what the site calls its event. */
  name: string;
  user: string;
  session: string;
  /** Milliseconds since 1970. */
  at: number;
  /** The date that the site's clocks show. */
  day: string;
  /** By the dimension that shows it; what there is none of is empty, 0, or two NUL characters. */
  values: Readonly<Record<string, string | number>>;
}

/** The demo's visits of a site as Plausible would have stored them. */
export function listStoredEvents(
  fixtures: Fixtures,
  profile: SiteProfile,
  { dates, now }: { dates: readonly string[]; now: number },
): StoredEvent[] {
  const readVisits = createVisits(profile, fixtures, "analytics", mondayBefore(now));
  const events: StoredEvent[] = [];
  for (const date of dates) {
    const midnight = startOf(date, profile.timezone);
    for (const [index, visit] of readVisits(date).entries()) {
      const hits = visit.hits.filter(({ at }) => midnight + at * 1_000 <= now);
      const pages = hits.filter(({ event }) => event === null).map(({ path }) => path);
      const ofVisit = describeVisit(visit, pages);
      for (const { at, path, event } of hits)
        events.push({
          name: event ?? "pageview",
          user: `${date} ${visit.visitor}`,
          session: `${date} ${index}`,
          at: midnight + at * 1_000,
          day: date,
          values: { ...ofVisit, "event:page": path, "event:hostname": visit.hostname },
        });
    }
  }
  return events;
}

function describeVisit({ visitor, source, place, technology }: Visit, pages: readonly string[]) {
  const { utm } = source;
  return {
    "visit:entry_page": pages[0] ?? "",
    "visit:exit_page": pages.at(-1) ?? "",
    "visit:referrer": source.referrer ?? "",
    "visit:channel": source.channel === "AI assistants" ? "AI Assistants" : source.channel,
    "visit:utm_source": utm.source ?? "",
    "visit:utm_medium": utm.medium ?? "",
    "visit:utm_campaign": utm.campaign ?? "",
    "visit:utm_term": utm.term ?? "",
    "visit:utm_content": utm.content ?? "",
    "visit:country": place.country ?? "\0\0",
    "visit:country_name": place.country === null ? "" : `Country ${place.country}`,
    "visit:region": place.region ?? "",
    "visit:region_name": place.region_label ?? "",
    "visit:city": Number(place.city ?? 0),
    "visit:city_name": place.city_label ?? "",
    "visit:device": nameDevice(technology.device, visitor),
    "visit:browser": technology.browser ?? "",
    "visit:os": technology.operating_system ?? "",
  };
}

/** Plausible tells small desktops apart. */
function nameDevice(device: string | null, visitor: number): string {
  if (device === null) return "";
  if (device === "desktop" && visitor % 3 === 0) return "Laptop";
  return `${device.charAt(0).toUpperCase()}${device.slice(1)}`;
}

/** The demo's days count from the Monday, in UTC, of the week in which it is opened. */
function mondayBefore(now: number): string {
  const today = new Date(now);
  return moveDate(today.toISOString().slice(0, 10), -((today.getUTCDay() + 6) % 7));
}
