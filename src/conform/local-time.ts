import { quote } from "../errors.ts";
import type { Reply } from "./reply.ts";
import { demand, Skip } from "./verdict.ts";

/** The zone that was asked for last: nearly all timestamps are of one site, and Intl is slow. */
let latest: { timezone: string; clock: Intl.DateTimeFormat } | undefined;

/** An instant as a site's clock shows it, `2026-11-21 05:05:10`; undefined if the zone is not an IANA zone. */
export function localTime(instant: number, timezone: string): string | undefined {
  try {
    if (latest?.timezone !== timezone) {
      const options = { timeZone: timezone, dateStyle: "short", timeStyle: "medium" } as const;
      latest = { timezone, clock: new Intl.DateTimeFormat("sv-SE", options) };
    }
    return latest.clock.format(instant);
  } catch {
    return undefined;
  }
}

/** A timestamp as a site's clock shows it. Throws Skip if the zone is not an IANA zone, which is a separate rule. */
export function demandLocalTime(time: string, timezone: string): string {
  const local = localTime(Date.parse(time), timezone);
  if (local === undefined) throw new Skip("the site has no IANA timezone: see sites.timezone");
  return local;
}

/** Demands that a timestamp has the offset of the timezone at that moment. */
export function demandLocal(time: string, timezone: string, reply: Reply): void {
  const local = demandLocalTime(time, timezone);
  const holds = time.slice(0, 19).replace("T", " ") === local;
  demand(holds, reply, `${local} on the clock of ${timezone}`, quote(time));
}
