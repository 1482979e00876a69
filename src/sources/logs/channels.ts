import { findReferrerKind } from "./referrers.ts";

/** Where a visit came from, as the first page view's referrer and address say. */
export interface Origin {
  /** The referring host; null if there is none, or if it is the site itself. */
  referrer: string | null;
  source: string | null;
  medium: string | null;
  campaign: string | null;
  term: string | null;
  content: string | null;
  /** The parameter that an advertisement adds, such as `gclid`. */
  clickId: string | null;
}

const PAID = /^(?:.*cp.*|ppc|retargeting|paid.*)$/;
const SOCIAL = /^(?:social|social-network|social-media|sm|social network|social media)$/;
const DISPLAY = /^(?:display|banner|expandable|interstitial|cpm)$/;

/** The channel of a visit, by the usual default channel groups with AI assistants beside them. */
export function findChannel(origin: Origin): string {
  const medium = origin.medium?.toLowerCase() ?? "";
  const source = origin.source?.toLowerCase() ?? "";
  const kind = findReferrerKind(source) ?? findReferrerKind(origin.referrer ?? "");
  if (DISPLAY.test(medium)) return "Display";
  const isPaid = PAID.test(medium) || origin.clickId !== null;
  if (isPaid) return PAID_CHANNELS[kind ?? ""] ?? "Paid Other";
  if (/^affiliates?$/.test(medium)) return "Affiliates";
  if (/^e[-_ ]?mail$/.test(medium) || /^(?:e[-_ ]?mail|newsletter)$/.test(source)) return "Email";
  if (medium === "sms" || source === "sms") return "SMS";
  if (medium === "audio") return "Audio";
  if (/push$|^(?:mobile|notification)$/.test(medium)) return "Mobile Push Notifications";
  if (kind !== undefined) return ORGANIC_CHANNELS[kind];
  if (SOCIAL.test(medium)) return "Organic Social";
  if (medium === "organic") return "Organic Search";
  if (/video/.test(medium)) return "Organic Video";
  if (origin.referrer !== null || /^(?:referral|app|link)$/.test(medium)) return "Referral";
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
