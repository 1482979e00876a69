import { findReferrerKind, groupReferrer } from "../../../names/referrers.ts";
import { copyText } from "../copy-text.ts";
import { readHost, withoutWww } from "../host-name.ts";
import type { LogLine } from "../reading/log-line.ts";
import { type RequestTarget, splitTarget } from "./request.ts";

/** The fields that say where a page view came from, beside its host and query. */
export const CLUES = ["language", "referrer"] as const;
export type Clues = Pick<LogLine, (typeof CLUES)[number]>;

/** Where a visit came from, by the referrer and the URL of its first page view. */
export interface Origin {
  /** The referring host; null if there is none, or if it is the site itself. */
  referrer: string | null;
  source: string | null;
  medium: string | null;
  campaign: string | null;
  term: string | null;
  content: string | null;
  /** The parameter that an advertising network adds, such as `gclid`. */
  clickId: string | null;
}

/** The referring host without `www.`; null if there is none, or if it is not a URL. */
function readReferringHost(referrer: string | undefined): string | null {
  if (referrer === undefined || referrer === "") return null;
  const [, authority = ""] = /^(?:https?|android-app):\/\/([^/?#]{1,300})/i.exec(referrer) ?? [];
  const host = withoutWww(
    authority.replace(/^.*@/, "").replace(/:\d*$/, "").replace(/\.$/, "").toLowerCase(),
  );
  return host === "" ? null : host;
}

/** The same, grouped by site; null also if it is one of the site's own hosts. */
function readReferrer(referrer: string | undefined, isOwn: (host: string) => boolean): string | null {
  const host = readReferringHost(referrer);
  return host === null || isOwn(host) ? null : groupReferrer(host);
}

/**
 * Creates a test for hosts of the site itself.
 *
 * @param rawHost The host of the line, which may be another name of the site.
 */
export function createIsOwnHost(domain: string, rawHost: string | undefined): (host: string) => boolean {
  const host = withoutWww(readHost(rawHost) ?? domain);
  return (name) => name === domain || name === host;
}

/**
 * The page that led to a request: its path if it is one of the site's own, which begins with a slash, else its host, grouped
 * by site; null if there is none.
 *
 * @param readPage Returns the path of an own page as it is counted.
 */
export function readLinkingPage(
  referrer: string | undefined,
  isOwn: (host: string) => boolean,
  readPage: (target: RequestTarget) => string,
): string | null {
  const host = readReferringHost(referrer);
  const own = readOwnPage(referrer, isOwn);
  return own === undefined ? host && groupReferrer(host) : readPage(own);
}

/** The page of the site itself that led to a request; undefined if none did. */
export function readOwnPage(
  referrer: string | undefined,
  isOwn: (host: string) => boolean,
): RequestTarget | undefined {
  const host = readReferringHost(referrer);
  if (host === null || !isOwn(host)) return undefined;
  const [, rest = ""] = /^[a-z-]+:\/\/[^/?#]*(.*)/is.exec(referrer ?? "") ?? [];
  return splitTarget(rest.startsWith("/") ? rest : `/${rest}`);
}

export const CLICK_IDS = ["gclid", "gbraid", "wbraid", "msclkid"];

/** Where a page view came from. */
export function readOrigin({ referrer }: Clues, query: string, isOwn: (host: string) => boolean): Origin {
  const host = readReferrer(referrer, isOwn);
  if (!hasCampaign(query)) return { ...NO_CAMPAIGN, referrer: host };
  const params = new URLSearchParams(query);
  const read = (name: string) => {
    const value = params.get(name)?.trim().slice(0, MAX_VALUE_LENGTH);
    return value ? copyText(value) : null;
  };
  return {
    referrer: host,
    source: read("utm_source"),
    medium: read("utm_medium"),
    campaign: read("utm_campaign"),
    term: read("utm_term"),
    content: read("utm_content"),
    clickId: CLICK_IDS.find((name) => params.has(name)) ?? null,
  };
}

/** Whether a query may say where its visitor came from. */
export const hasCampaign = (query: string): boolean => /utm_|clk?id|braid/.test(query);

const MAX_VALUE_LENGTH = 300;

const NO_CAMPAIGN = {
  source: null,
  medium: null,
  campaign: null,
  term: null,
  content: null,
  clickId: null,
};

/** The channels that parameters name; the first match counts. Parameters come before the referrer, which knows less. */
const NAMED: readonly [name: "medium" | "source", pattern: RegExp, channel: string][] = [
  ["medium", /^affiliates?$/, "Affiliates"],
  ["medium", /^e[-_ ]?mail$/, "Email"],
  ["source", /^(?:e[-_ ]?mail|newsletter)$/, "Email"],
  ["medium", /^sms$/, "SMS"],
  ["source", /^sms$/, "SMS"],
  ["medium", /^audio$/, "Audio"],
  ["medium", /push$|^(?:mobile|notification)$/, "Mobile Push Notifications"],
];

/** The channels that a medium names where the source is unknown. */
const OTHERS: readonly [pattern: RegExp, channel: string][] = [
  [/^(?:social|social-network|social-media|sm|social network|social media)$/, "Organic Social"],
  [/^organic$/, "Organic Search"],
  [/video/, "Organic Video"],
  [/^(?:referral|app|link)$/, "Referral"],
];

const DISPLAY = /^(?:display|banner|expandable|interstitial|cpm)$/;
const PAID = /^(?:.*cp.*|ppc|retargeting|paid.*)$/;

/** The channel of a visit, by the usual default channel groups, plus AI assistants. */
export function findChannel(origin: Origin): string {
  const medium = origin.medium?.toLowerCase() ?? "";
  const source = origin.source?.toLowerCase() ?? "";
  const kind = findReferrerKind(source) ?? findReferrerKind(origin.referrer ?? "");
  if (DISPLAY.test(medium)) return "Display";
  if (PAID.test(medium) || origin.clickId !== null) return PAID_CHANNELS[kind ?? ""] ?? "Paid Other";
  const texts = { medium, source };
  const named = NAMED.find(([name, pattern]) => pattern.test(texts[name]));
  if (named) return named[2];
  if (kind !== undefined) return ORGANIC_CHANNELS[kind];
  const other = OTHERS.find(([pattern]) => pattern.test(medium));
  if (other) return other[1];
  if (origin.referrer !== null) return "Referral";
  return source === "" && medium === "" && origin.campaign === null ? "Direct" : "Unassigned";
}

const PAID_CHANNELS: Record<string, string> = {
  search: "Paid Search",
  social: "Paid Social",
  video: "Paid Video",
  shopping: "Paid Shopping",
};

const ORGANIC_CHANNELS = {
  search: "Organic Search",
  social: "Organic Social",
  video: "Organic Video",
  shopping: "Organic Shopping",
  mail: "Email",
  assistant: "AI assistants",
} as const;
