import { AnalyticsError, quoteWord } from "../errors.ts";
import { suggest } from "../suggest.ts";
import { type Environment, readVariable } from "./variables.ts";

/** The services that have an API of their own, in place of this program's contract. */
export const serviceNames = ["matomo", "umami", "plausible"] as const;

export type ServiceName = (typeof serviceNames)[number];

/** The name of a service as people write it. Throws AnalyticsError `usage` for any other. */
function readServiceName(text: string, source: string): ServiceName {
  const name = serviceNames.find((known) => known === text.trim().toLowerCase());
  if (name !== undefined) return name;
  throw new AnalyticsError(
    "usage",
    `${source} ${quoteWord(text)} is not a service that this program knows.`,
    {
      hint: `${explainOther(text)}It knows ${serviceNames.join(", ")}. For your own service, leave out --service.`,
    },
  );
}

/** What a name stands for that is none of theirs. */
function explainOther(text: string): string {
  if (/^piwik/i.test(text)) return "Piwik is called Matomo today: --service matomo. ";
  if (/^(?:google|ga\d?$|gtag)/i.test(text)) return "Google Analytics is not supported. ";
  return suggest(text, serviceNames);
}

/** IANA names of timezones by domain; `*` stands for all other sites. */
export type SiteTimezones = Readonly<Record<string, string>>;

/** The timezones of sites that a service does not tell. */
export const TIMEZONES_VARIABLE = "ANALYTICS_SITE_TIMEZONES";

const MAX_SITES = 1_000;

/** Reads the timezones that are given in the environment. Throws AnalyticsError `usage`. */
export function findSiteTimezones(environment: Environment): SiteTimezones | undefined {
  const text = readVariable(environment, TIMEZONES_VARIABLE);
  return text === undefined ? undefined : readSiteTimezones(text, TIMEZONES_VARIABLE);
}

/**
 * Reads `example.com=Europe/Berlin,*=UTC`. Throws AnalyticsError `usage`.
 *
 * @param hintOn What to do about a name that is no timezone's.
 */
export function readSiteTimezones(
  text: string,
  source: string,
  hintOn?: (zone: string) => string,
): SiteTimezones {
  const parts = text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
  const createError = (
    reason: string,
    hint = "Write each site with its timezone: example.com=Europe/Berlin,shop.example=America/New_York",
  ) => new AnalyticsError("usage", `${source} ${reason}.`, { hint });
  if (parts.length === 0 || parts.length > MAX_SITES) throw createError(`must name 1 to ${MAX_SITES} sites`);
  return Object.fromEntries(
    parts.map((part) => {
      const [, domain = "", zone = ""] =
        /^(?:https?:\/\/)?(\*|[\w.-]{1,253}(?::\d{1,5})?)\/?=([\w/+-]{1,64})$/.exec(part) ?? [];
      if (domain === "") {
        const what = part.includes("=")
          ? "a site with its timezone, such as example.com=Europe/Berlin"
          : "a timezone";
        const hint = /[.=]/.test(part) ? undefined : hintOn?.(part);
        throw createError(`has ${quoteWord(part)}, which is not ${what}`, hint);
      }
      const known = findTimezone(zone);
      if (known === undefined)
        throw createError(`has ${quoteWord(zone)}, which is not a timezone`, hintOn?.(zone));
      return [domain.toLowerCase(), known];
    }),
  );
}

/** The text that `readSiteTimezones` reads. */
export const formatSiteTimezones = (timezones: SiteTimezones): string =>
  Object.entries(timezones)
    .map(([domain, timezone]) => `${domain}=${timezone}`)
    .join(",");

/** The IANA name of a timezone in its own spelling; undefined if there is none of that name. */
export function findTimezone(name: string): string | undefined {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone;
  } catch {
    return undefined;
  }
}

/** The addresses of services that their makers host. Matomo gives each customer one of their own. */
const HOSTED: Partial<Record<ServiceName, string>> = {
  umami: "https://api.umami.is/v1",
  plausible: "https://plausible.io",
};

export const findHostedAddress = (service: ServiceName | undefined): string | undefined =>
  service && HOSTED[service];

export const SERVICE_VARIABLE = "ANALYTICS_SERVICE";

/** The service that the command line names, else the environment. Throws AnalyticsError `usage` for an unknown name. */
export function findNamedService({ service }: { service?: string | undefined }, environment: Environment) {
  if (service !== undefined) return readServiceName(service, "--service");
  const text = readVariable(environment, SERVICE_VARIABLE);
  return text === undefined ? undefined : readServiceName(text, SERVICE_VARIABLE);
}
