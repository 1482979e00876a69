import { readMember } from "../../../member.ts";
import { nameValue } from "../../../names/value-names.ts";
import type { Dimension } from "../../../operations/dimensions.ts";
import { NEAR, type Warning } from "../../../operations/warning.ts";
import type { ExpandedRow } from "./answers.ts";

/** How Umami knows a dimension. */
interface UmamiDimension {
  /** The `type` of its list of values. */
  type: string;
  /** Set if each visitor has one value all day, so that whoever is in no row has none. */
  isOfVisitor?: true;
  /** Set if single page views have it, and its rows are about these. */
  isOfViews?: true;
  /** In what its rows differ from the contract's. */
  differs?: string;
  /** The contract's value; Umami's own if absent. */
  readValue?: (row: ExpandedRow) => string;
}

const OF_OWN_VIEWS =
  "count the page views that have the value themselves, such as the first of a visit, and not all page views of these visits";
const OF_ENDS =
  "are those of Umami's visits, which end at the full hour, so somebody who stays longer has several, and count these page views alone";

const utm = (type: string): UmamiDimension => ({
  type,
  differs: `leave out visits without one, and ${OF_OWN_VIEWS}`,
});

/** Umami's names of channels in those of the contract. */
const CHANNELS: Record<string, string> = {
  direct: "Direct",
  organicSearch: "Organic Search",
  organicSocial: "Organic Social",
  organicShopping: "Organic Shopping",
  organicVideo: "Organic Video",
  paidSearch: "Paid Search",
  paidSocial: "Paid Social",
  paidShopping: "Paid Shopping",
  paidVideo: "Paid Video",
  paidAds: "Paid Other",
  referral: "Referral",
  affiliate: "Affiliates",
  email: "Email",
  sms: "SMS",
};

/** Umami's names of devices in those of the contract. A laptop is a desktop whose screen is narrow. */
export const DEVICES: Record<string, string> = { laptop: "desktop", smarttv: "tv" };

export const DIMENSIONS: Record<Dimension, UmamiDimension> = {
  pages: { type: "path", isOfViews: true },
  entry_pages: { type: "entry", differs: OF_ENDS },
  exit_pages: { type: "exit", differs: OF_ENDS },
  hostnames: { type: "hostname", isOfViews: true, differs: OF_OWN_VIEWS },
  referrers: { type: "referrer", differs: `leave out visits without a referrer, and ${OF_OWN_VIEWS}` },
  channels: {
    type: "channel",
    differs: `are Umami's channels, without AI assistants and without a row of direct visits, and ${OF_OWN_VIEWS}`,
    readValue: ({ name }) => readMember(CHANNELS, name) ?? name,
  },
  utm_sources: utm("utmSource"),
  utm_mediums: utm("utmMedium"),
  utm_campaigns: utm("utmCampaign"),
  utm_terms: utm("utmTerm"),
  utm_contents: utm("utmContent"),
  countries: { type: "country", isOfVisitor: true },
  regions: { type: "region", isOfVisitor: true },
  cities: {
    type: "city",
    isOfVisitor: true,
    differs: "are names with their country, since Umami has no GeoNames ids",
    readValue: ({ name, country }) => (country ? `${name}, ${country}` : name),
  },
  languages: {
    type: "language",
    isOfVisitor: true,
    differs:
      "are without a region, since Umami adds up de-AT and de-DE, by two letters: fil, Filipino, is in the row of fi",
  },
  devices: { type: "device", isOfVisitor: true, readValue: ({ name }) => readMember(DEVICES, name) ?? name },
  browsers: { type: "browser", isOfVisitor: true },
  operating_systems: { type: "os", isOfVisitor: true },
  events: { type: "event", isOfViews: true },
};

/** Names of browsers, for people; Umami has them in lower case. */
const BROWSERS: Record<string, string> = {
  chrome: "Chrome",
  "chromium-webview": "Chrome (webview)",
  crios: "Chrome (iOS)",
  "edge-chromium": "Edge",
  "edge-ios": "Edge (iOS)",
  facebook: "Facebook",
  firefox: "Firefox",
  fxios: "Firefox (iOS)",
  instagram: "Instagram",
  ios: "Safari (iOS)",
  "ios-webview": "iOS (webview)",
  opera: "Opera",
  safari: "Safari",
  samsung: "Samsung Internet",
  yandexbrowser: "Yandex",
};

export const labelValue = (dimension: Dimension, value: string | null): string =>
  (dimension === "browsers" ? readMember(BROWSERS, value ?? "") : undefined) ?? nameValue(dimension, value);

/** What a reader must know about the rows of a dimension; undefined if they are the contract's. */
export function warnOfDimension(dimension: Dimension): Warning | undefined {
  const { differs } = DIMENSIONS[dimension];
  if (differs === undefined) return undefined;
  return { code: NEAR, detail: `Rows of ${dimension.replaceAll("_", " ")} ${differs}.` };
}
