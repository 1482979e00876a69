import { readFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { unpackDays } from "../../bench/services/sample-visits.ts";
import { startOfDay } from "../../src/sources/calendar.ts";
import type { Visit } from "../../src/sources/demo/visits.ts";
import { AGENTS, readLoggableFixtures } from "./demo-logs.ts";

/** The days whose visits were sent into a running Umami: an ordinary one, and those on which the clocks are changed. */
export const UMAMI_VISITS = {
  "example.com": ["2026-03-29", "2026-10-25", "2026-11-03"],
  "docs.example.com": ["2026-11-01"],
} as const;

export type UmamiDomain = keyof typeof UMAMI_VISITS;

/** What a tracker sends, and the headers with which a content delivery network says where the visitor is. */
export interface UmamiRequest {
  payload: Record<string, string | number>;
  headers: Record<string, string>;
}

const umamiFixtures = readLoggableFixtures();

/** A few visits that the demo once made up, kept since what Umami answers about them is. */
const sent = unpackDays(
  readFileSync("test/sources/gateways/umami/sent-visits.ndjson", "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line)),
);

/** The visits of some days, each visitor's one after the other. */
export const listUmamiVisits = (domain: UmamiDomain): { date: string; visit: Visit }[] =>
  sent
    .filter(({ date }) => UMAMI_VISITS[domain].some((own) => own === date))
    .flatMap(({ date, visits }) => visits.map((visit) => ({ date, visit })));

/** The requests of each visitor, by time. */
export function listUmamiRequests(domain: UmamiDomain, website: string): UmamiRequest[][] {
  const { timezone } = findProfile(domain);
  const agentOf = (technology: Visit["technology"]) => {
    const [key = ""] =
      Object.entries(umamiFixtures.technologies).find(([, known]) => isDeepStrictEqual(known, technology)) ??
      [];
    return AGENTS[key] ?? "";
  };
  const byVisitor = new Map<string, UmamiRequest[]>();
  for (const { date, visit } of listUmamiVisits(domain)) {
    const midnight = startOfDay(date, timezone) / 1000;
    const address = addressOf(visit, date);
    const { technology, hostname, source, place } = visit;
    const query = writeUtm(source.utm);
    const requests = visit.hits.map(({ at, path, event }, index): UmamiRequest => {
      const before = visit.hits[index - 1];
      const external = source.referrer === null ? "" : `https://${source.referrer}/`;
      return {
        payload: {
          website,
          hostname,
          url: `${encodeURI(path)}${index === 0 ? query : ""}`,
          referrer: before === undefined ? external : `https://${hostname}${encodeURI(before.path)}`,
          language: place.language ?? "",
          screen: SCREENS[technology.device] ?? "",
          title: path,
          timestamp: midnight + at,
          userAgent: agentOf(technology),
          ...(event !== null && { name: event }),
        },
        headers: { "x-forwarded-for": address, ...locate(place) },
      };
    });
    byVisitor.set(address, [...(byVisitor.get(address) ?? []), ...requests]);
  }
  return [...byVisitor.values()].map((requests) =>
    requests.sort((a, b) => Number(a.payload.timestamp) - Number(b.payload.timestamp)),
  );
}

/** Umami calls a desktop a laptop whose screen is at most 1920 pixels wide. */
const SCREENS: Record<string, string> = { desktop: "2560x1440", mobile: "390x844", tablet: "1024x1366" };

/** The number of a visitor is one within a day. Umami does not look up where loopback addresses are. */
function addressOf({ visitor, place }: Visit, date: string): string {
  const days = Math.round((Date.parse(date) - Date.parse("2026-01-01")) / 86_400_000);
  return place.country === null
    ? `127.${days >> 8}.${days & 255}.${visitor}`
    : `2001:db8::${days.toString(16)}:${visitor.toString(16)}`;
}

/** Header values are bytes of UTF-8. */
const encode = (text: string) => Buffer.from(text).toString("latin1");

function locate({ country, region, city_label: city }: Visit["place"]): Record<string, string> {
  if (country === null) return {};
  return {
    "cf-ipcountry": country,
    ...(region !== null && { "cf-region-code": region }),
    ...(city !== undefined && { "cf-ipcity": encode(city.split(",")[0] ?? "") }),
  };
}

function writeUtm(utm: Visit["source"]["utm"]): string {
  const search = new URLSearchParams();
  for (const [key, value] of Object.entries(utm)) if (value !== null) search.set(`utm_${key}`, value);
  return search.size === 0 ? "" : `?${search}`;
}

export function findProfile(domain: UmamiDomain) {
  const profile = umamiFixtures.sites.find((site) => site.domain === domain);
  if (profile === undefined) throw new Error(`The fixtures have no ${domain}.`);
  return profile;
}
