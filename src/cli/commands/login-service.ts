import { readBodyText } from "../../client/http-response.ts";
import { explainLastFailure } from "../../client/network-failure.ts";
import type { Profile } from "../../config/profiles.ts";
import {
  findSiteTimezones,
  findTimezone,
  formatSiteTimezones,
  readSiteTimezones,
  type SiteTimezones,
} from "../../config/services.ts";
import { AnalyticsError, quoteWord } from "../../errors.ts";
import { readJson, readMember } from "../../member.ts";
import type { sites as sitesOperation } from "../../operations/index.ts";
import type { AnswerOf } from "../../operations/operation.ts";
import { normalizeSite } from "../../operations/site-name.ts";
import type { GatewayKind } from "../../sources/gateways/gateway.ts";
import { gatewayKinds } from "../../sources/gateways/gateway-kinds.ts";
import { listNamedSites } from "../../sources/gateways/site-timezones.ts";
import { reachService } from "../../sources/service-source.ts";
import { hintOnTimezone, readTimezone } from "../../sources/source-options.ts";
import { suggestSite } from "../../suggest.ts";
import type { Io } from "../io.ts";
import type { Ask } from "./login-prompt.ts";

/** What `login` asks about a service that does not tell all by itself, and how it reads the answers. */

/** The timezones that were given: with `--site-timezones`, in the environment, or at an earlier login. */
export function findGivenTimezones(
  { environment }: Io,
  text: string | undefined,
  saved: Profile | undefined,
): SiteTimezones | undefined {
  if (text !== undefined) return readTimezones(text, "--site-timezones");
  return findSiteTimezones(environment) ?? saved?.siteTimezones;
}

/** Asks for the timezones of sites that the service lists, or for its sites and then for the timezone of each that was given without. */
export async function askForTimezones(
  ask: Ask,
  { asksFor, title }: GatewayKind,
  saved: SiteTimezones | undefined,
): Promise<SiteTimezones> {
  const fallback = saved && formatSiteTimezones(saved);
  const own = readTimezone(undefined);
  if (asksFor === "timezones") {
    const read = (text: string) => formatSiteTimezones(readTimezones(text, TYPED));
    return readTimezones(
      await ask({ label: `Timezone of the days in ${title}`, fallback: fallback ?? own, read }),
      TYPED,
    );
  }
  const label = `Sites in ${title}, such as example.com,shop.example`;
  const read = (text: string) => {
    if (Object.keys(splitSites(text).known).includes("*")) {
      throw new AnalyticsError("usage", `${title} does not list your sites.`, {
        hint: WRITE_DOMAINS,
      });
    }
    return text;
  };
  const { known, open } = splitSites(await ask({ label, fallback, read }));
  const found = Object.entries(known);
  for (const domain of open) {
    const zone = {
      label: `Timezone of ${domain} (in ${title}: the site's settings, General)`,
      fallback: readMember(saved, domain) ?? own,
      read: (text: string) => Object.values(readTimezones(`${domain}=${text}`, TYPED)).join(),
    };
    found.push([domain, await ask(zone)]);
  }
  return Object.fromEntries(found);
}

const TYPED = "What you typed";
const WRITE_DOMAINS = "Write the domain of each, such as example.com,shop.example.";

/** Sites as they were typed: with their timezones, `example.com=Europe/Berlin`, or without. Throws AnalyticsError `usage`. */
function splitSites(text: string): { known: SiteTimezones; open: string[] } {
  const names = text.split(",").filter((name) => name.trim() !== "");
  const isOpen = (name: string) => /^[\w-]{1,63}(\.[\w-]{1,63})+(:\d{1,5})?$/.test(normalizeSite(name));
  const wrong = names.find(
    (name) => !name.includes("=") && !isOpen(name) && findTimezone(name.trim()) === undefined,
  );
  if (wrong !== undefined) {
    throw new AnalyticsError(
      "usage",
      `${TYPED} has ${quoteWord(wrong.trim(), { maxLength: 100 })}, which is not a domain.`,
      {
        hint: WRITE_DOMAINS,
      },
    );
  }
  const given = names.filter((name) => name.includes("=") || !isOpen(name)).join(",");
  return {
    known: given === "" ? {} : readTimezones(given, TYPED),
    open: names.filter((name) => !name.includes("=") && isOpen(name)).map(normalizeSite),
  };
}

/** Reads `example.com=Europe/Berlin,…`, or one timezone for all sites. Throws AnalyticsError `usage`. */
export function readTimezones(text: string, source: string): SiteTimezones {
  const timezone = text.length < 100 ? findTimezone(text.trim()) : undefined;
  return timezone === undefined ? readSiteTimezones(text, source, hintOnTimezone) : { "*": timezone };
}

const MAX_NAME_LENGTH = 500;

/** A user's name or password as it was typed. Throws AnalyticsError `usage`. */
export function readWord(text: string): string {
  if (text !== "" && text.length <= MAX_NAME_LENGTH) return text;
  throw new AnalyticsError("usage", "What you typed is empty, or too long.");
}

const MAX_PROBE_BYTES = 10_000;
const PROBE_MS = 10_000;

/**
 * The service that answers at an address, by requests without a key; undefined if none of the known ones does. The one that was named
 * goes first. Throws AnalyticsError if nothing answers there, or something else than a service that takes more than a key to ask.
 */
export async function recognizeService(
  { environment }: Io,
  baseUrl: string,
  named: GatewayKind | undefined,
): Promise<GatewayKind | undefined> {
  const { fetch, proxies = [] } = (await reachService(environment, { baseUrl }))("");
  const isKind = async ({ recognize }: GatewayKind) => {
    const signal = AbortSignal.timeout(PROBE_MS);
    const headers = { Accept: "application/json" };
    const response = await fetch(`${baseUrl}${recognize.path}`, { headers, signal });
    // Whatever else it is, it is not this service.
    const text = await readBodyText(response, MAX_PROBE_BYTES).catch(() => "");
    if (recognize.matches(response.status, readJson(text))) return true;
    return isUnclear(response.status) ? undefined : false;
  };
  const kinds = [...new Set([...(named === undefined ? [] : [named]), ...gatewayKinds])];
  const found = await Promise.allSettled(kinds.map(isKind));
  const at = found.findIndex((result) => result.status === "fulfilled" && result.value);
  const [first] = found;
  if (first?.status === "rejected" && found.every(({ status }) => status === "rejected"))
    throw explainLastFailure(first.reason, new URL(baseUrl).origin, proxies);
  // Before somebody looks up all sites and timezones for it. Others show right after the key whether they are there.
  const isOther = first?.status === "fulfilled" && first.value === false;
  if (at < 0 && named?.asksFor === "sites" && isOther) throw createNotThereError(baseUrl, named);
  return kinds[at];
}

/** Whether the service may be there and not answer now, or at another address that the next request names. */
const isUnclear = (status: number) => status === 429 || status >= 500 || (status >= 300 && status < 400);

/** @param cause What the address answered to a key. */
export const createNotThereError = (baseUrl: string, { title }: GatewayKind, cause?: AnalyticsError) =>
  new AnalyticsError(
    cause?.code ?? "bad_answer",
    [`${baseUrl} does not look like ${title}.`, ...(cause ? [cause.message] : [])].join(" "),
    { hint: `Check the address: it is the one at which you open ${title} in a browser.`, cause },
  );

/** Refuses options for a service that tells everything: of the contract, or with an API of its own. */
export function assertHasUse(kind: GatewayKind | undefined, siteTimezones: string | undefined): void {
  if (siteTimezones === undefined || kind?.asksFor !== undefined) return;
  throw new AnalyticsError(
    "usage",
    `--site-timezones is not needed: ${kind?.title ?? "the service"} tells them.`,
    {
      hint: `Leave out --site-timezones ${quoteWord(siteTimezones)}.`,
    },
  );
}

/** The sites that have a timezone of their own and that the service does not have, each with a sentence. */
export function findUnknownSites(
  siteTimezones: SiteTimezones | undefined,
  { sites, warnings = [] }: AnswerOf<typeof sitesOperation>,
): string[] {
  const unlisted = warnings.flatMap(({ values }) => (typeof values?.site === "string" ? [values.site] : []));
  const known = [...sites.map(({ domain }) => domain), ...unlisted].map((each) => normalizeSite(each));
  return listNamedSites(siteTimezones)
    .filter(([domain]) => !known.includes(normalizeSite(domain)))
    .map(([domain]) =>
      `warning: There is no site ${domain}, whose timezone was given. ${suggestSite(domain, known)}`.trim(),
    );
}
