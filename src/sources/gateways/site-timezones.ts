import type { SiteTimezones } from "../../config/services.ts";
import { TIMEZONES_VARIABLE } from "../../config/services.ts";
import { AnalyticsError, quoteIfNeeded } from "../../errors.ts";
import { readMember } from "../../member.ts";
import { quoteForShell } from "../../operations/shell-command.ts";

const ANY = "*";

/** The sites that a person named with their timezones. */
export const listNamedSites = (timezones: SiteTimezones | undefined): [domain: string, timezone: string][] =>
  Object.entries(timezones ?? {}).filter(([domain]) => domain !== ANY);

/** The timezone of a site; undefined if none was given. */
export const lookUpTimezone = (timezones: SiteTimezones | undefined, domain: string): string | undefined =>
  readMember(timezones, domain) ?? timezones?.[ANY];

/** The same. Throws AnalyticsError `usage` if none was given: with a wrong one, every number would be. */
export function findSiteTimezone(timezones: SiteTimezones | undefined, domain: string, service: string) {
  const timezone = lookUpTimezone(timezones, domain);
  if (timezone !== undefined) return timezone;
  throw createTimezonesError(service, domain);
}

/** @param domain A site that was named; undefined if none was, and the service does not tell which there are. */
export function createTimezonesError(service: string, domain?: string): AnalyticsError {
  const example = quoteForShell(`${domain ?? "example.com"}=Europe/Berlin`);
  return new AnalyticsError(
    "usage",
    domain === undefined
      ? `${service} cannot list your sites or their timezones, and no site was named.`
      : `${service} does not say in which timezone the days of ${quoteIfNeeded(domain)} begin.`,
    {
      hint: `Log in again with it: analytics-mcp login --service ${service.toLowerCase()} --site-timezones ${example}. Or set ${TIMEZONES_VARIABLE}=${example}`,
    },
  );
}
