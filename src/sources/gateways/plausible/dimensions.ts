import { readMember } from "../../../member.ts";
import type { Dimension } from "../../../operations/dimensions.ts";

/** A dimension of the contract in Plausible. */
interface NativeDimension {
  /** `event:…` for values of hits, `visit:…` for values of visits. */
  name: string;
  /** The dimension that has the names of its values. */
  labels?: string;
  /** The texts that stand for no value, in answers and in filters. */
  none: readonly string[];
  /** What its values are here, where that is another text. Different ones may be the same here. */
  values?: Readonly<Record<string, string>>;
}

const NOT_SET = ["(not set)"];
/** No value has this text: a filter for it keeps nothing, or what has none where Plausible writes it for that. */
export const IMPOSSIBLE = "(none)";

export const nativeDimensions: Partial<Record<Dimension, NativeDimension>> = {
  pages: { name: "event:page", none: [""] },
  entry_pages: { name: "visit:entry_page", none: [""] },
  exit_pages: { name: "visit:exit_page", none: [""] },
  hostnames: { name: "event:hostname", none: [IMPOSSIBLE, ""] },
  referrers: { name: "visit:referrer", none: ["Direct / None"] },
  channels: {
    name: "visit:channel",
    none: [IMPOSSIBLE],
    values: {
      ...Object.fromEntries(
        [
          ...["Affiliates", "Audio", "Cross-network", "Direct", "Display", "Email"],
          ...["Mobile Push Notifications", "Organic Search", "Organic Shopping", "Organic Social"],
          ...["Organic Video", "Paid Other", "Paid Search", "Paid Shopping", "Paid Social", "Paid Video"],
          ...["Referral", "SMS"],
        ].map((name) => [name, name]),
      ),
      "AI Assistants": "AI assistants",
      // Visits from before there were channels: Plausible shows them so, but keeps no text.
      "": "Direct",
    },
  },
  utm_sources: { name: "visit:utm_source", none: NOT_SET },
  utm_mediums: { name: "visit:utm_medium", none: NOT_SET },
  utm_campaigns: { name: "visit:utm_campaign", none: NOT_SET },
  utm_terms: { name: "visit:utm_term", none: NOT_SET },
  utm_contents: { name: "visit:utm_content", none: NOT_SET },
  // A filter on the codes takes nothing but two letters: `filters.ts` looks for those without a name.
  countries: { name: "visit:country", none: ["ZZ"] },
  regions: { name: "visit:region", labels: "visit:region_name", none: [""] },
  cities: { name: "visit:city", labels: "visit:city_name", none: ["0"] },
  devices: {
    name: "visit:device",
    none: NOT_SET,
    values: { Desktop: "desktop", Laptop: "desktop", Mobile: "mobile", Tablet: "tablet" },
  },
  browsers: { name: "visit:browser", none: NOT_SET },
  operating_systems: { name: "visit:os", none: NOT_SET },
  events: { name: "event:goal", none: [] },
};

/** The dimensions that Plausible knows of visits alone: it counts no page views by them. */
export const isOfVisitsAlone = (dimension: Dimension): boolean =>
  dimension === "entry_pages" || dimension === "exit_pages";

export function findNative(dimension: Dimension): NativeDimension {
  const native = nativeDimensions[dimension];
  if (native === undefined) throw new TypeError(`Plausible has no ${dimension}.`);
  return native;
}

const UNKNOWN_COUNTRY = "\0\0";

/** What Plausible's text is here; null if it stands for no value. */
export function readValue(dimension: Dimension, text: string): string | null {
  const { none, values } = findNative(dimension);
  const value = text === UNKNOWN_COUNTRY ? "" : text;
  const own = readMember(values, value);
  if (own !== undefined) return own;
  if (value === "" || none.includes(value)) return null;
  if (dimension === "referrers") return readHost(value);
  return dimension === "devices" ? value.toLowerCase() : value;
}

/** A referrer has no `https://`, but may have a path; that of an app keeps its scheme. */
function readHost(referrer: string): string {
  const [, scheme = ""] = /^([a-z][a-z\d+.-]{0,30}:\/\/)/i.exec(referrer) ?? [];
  const rest = referrer.slice(scheme.length);
  return scheme + rest.slice(0, rest.search(/[/?#]|$/));
}
