import { type SiteTimezones, TIMEZONES_VARIABLE } from "../../config/services.ts";
import { AnalyticsError, quoteIfNeeded } from "../../errors.ts";
import { readMember } from "../../member.ts";
import { quoteForShell } from "../../operations/shell-command.ts";
import type { GatewayContext } from "./gateway.ts";
import { formatLogin } from "./login-command.ts";

const ANY = "*";

/** The sites that a person named with their timezones. */
export const listNamedSites = (timezones: SiteTimezones | undefined): [domain: string, timezone: string][] =>
  Object.entries(timezones ?? {}).filter(([domain]) => domain !== ANY);

/** The timezone of a site; undefined if none was given. */
export const lookUpTimezone = (timezones: SiteTimezones | undefined, domain: string): string | undefined =>
  readMember(timezones, domain) ?? timezones?.[ANY];

/** The service whose sites they are. */
type Named = Pick<GatewayContext, "target"> & { title: string };

/** The same. Throws AnalyticsError `usage` if none was given: with a wrong one, every number would be. */
export function findSiteTimezone(timezones: SiteTimezones | undefined, domain: string, service: Named) {
  const timezone = lookUpTimezone(timezones, domain);
  if (timezone !== undefined) return timezone;
  throw createTimezonesError(service, domain);
}

/** @param domain A site that was named; undefined if none was, and the service does not tell which there are. */
export function createTimezonesError({ title, target }: Named, domain?: string): AnalyticsError {
  const example = `${domain ?? "example.com"}=Europe/Berlin`;
  return new AnalyticsError(
    "usage",
    domain === undefined
      ? `${title} cannot list your sites or their timezones, and no site was named.`
      : `${title} does not say in which timezone the days of ${quoteIfNeeded(domain)} begin.`,
    {
      hint: `To name ${domain === undefined ? "them" : "it"}: ${formatLogin(title, target, "--site-timezones", example)}. Or set ${TIMEZONES_VARIABLE}=${quoteForShell(example)}`,
    },
  );
}
