import { readMember } from "../member.ts";
import type { SiteTimezones } from "./services.ts";

/** A site with the timezone that was named for it, if the service has none. */
export function addTimezone<Site extends { domain: string; timezone?: string | undefined }>(
  site: Site,
  timezones: SiteTimezones,
): Site {
  const timezone = site.timezone ?? readMember(timezones, site.domain) ?? timezones["*"];
  return timezone === undefined ? site : { ...site, timezone };
}
