import { findReferrerKind } from "./referrers.ts";

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
