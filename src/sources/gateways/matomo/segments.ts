import { AnalyticsError, quote } from "../../../errors.ts";
import { readMember } from "../../../member.ts";
import type { Dimension } from "../../../operations/dimensions.ts";
import {
  type Alternative,
  type Condition,
  createFilterError,
  type Filter,
  formatCondition,
  isOnHits,
  MAX_SHOWN,
} from "../../../operations/filter.ts";
import { assertPossibleValues } from "../../dimension-values.ts";
import { DEVICES } from "./reports.ts";

/*
 * A filter as a segment of Matomo: terms such as `countryCode==de`, of which `,` joins those that may hold, and `;` the groups
 * that must. A segment chooses whole visits, so conditions on hits cannot be one.
 */

/** What a segment is written with. */
export interface SegmentContext {
  /** The hosts of the site: Matomo finds pages by their whole address. */
  hosts: readonly string[];
  hasCampaigns: boolean;
}

/** One of the terms must hold. */
type Group = readonly string[];

/** Writes a segment. Throws AnalyticsError `invalid_parameter` for a condition that none can express. */
export function writeSegment(filter: Filter, context: SegmentContext): string {
  const onHits = filter.find(isOnHits);
  if (onHits !== undefined) {
    const { dimension } = onHits;
    const ofVisit = { ...onHits, ofVisit: true };
    // What is proposed must be possible.
    writeSegment(
      filter.map((condition) => (condition === onHits ? ofVisit : condition)),
      context,
    );
    throw createRefusal(
      onHits,
      `Matomo chooses whole visits: write ${formatCondition(ofVisit)} for all of the visits with such ${dimension}`,
    );
  }
  const [, second] = filter.filter(({ ofVisit }) => ofVisit);
  if (second !== undefined)
    throw createRefusal(
      second,
      "Matomo applies two conditions of visit: to the same page view or event, so only one can be given",
    );
  // Codes are the contract's; other values are Matomo's own.
  assertPossibleValues(filter.filter(({ dimension }) => CODES.includes(dimension)));
  return filter.flatMap((condition) => writeCondition(condition, context).map(writeGroup)).join(";");
}

/** Whether a segment can express a filter, on a Matomo that has all that it may have. */
export function canWriteSegment(filter: Filter): boolean {
  try {
    writeSegment(filter, { hosts: ["localhost"], hasCampaigns: true });
    return true;
  } catch (error) {
    if (error instanceof AnalyticsError) return false;
    throw error;
  }
}

const CODES: readonly Dimension[] = ["countries", "regions", "languages", "devices"];

const writeGroup = (group: Group) => group.join(",");

/** Whether a filter has conditions that need the hosts of the site. */
export const needsHosts = (filter: Filter): boolean =>
  filter.some(({ dimension }) => PAGE_NAMES[dimension] !== undefined);

/** The dimensions of pages, as segments name them. */
export const PAGE_NAMES: Partial<Record<Dimension, string>> = {
  pages: "pageUrl",
  entry_pages: "entryPageUrl",
  exit_pages: "exitPageUrl",
};

const writeLower = (value: string) => value.toLowerCase();

/** The dimensions of which one name in a segment has the value, and how it writes it. */
const NAMES: Partial<Record<Dimension, { name: string; write?: (value: string) => string; none?: string }>> =
  {
    countries: { name: "countryCode", write: writeLower, none: "xx" },
    languages: { name: "languageCode", write: writeLower, none: "xx" },
    browsers: { name: "browserName" },
    events: { name: "eventAction" },
    channels: { name: "referrerType", write: (label) => readMember(CHANNELS, label) ?? "" },
  };

/** Matomo keeps these in lower case. */
const CAMPAIGN_NAMES: Partial<Record<Dimension, { name: string; write: (value: string) => string }>> = {
  utm_sources: { name: "campaignSource", write: writeLower },
  utm_mediums: { name: "campaignMedium", write: writeLower },
  utm_campaigns: { name: "campaignName", write: writeLower },
  utm_terms: { name: "campaignKeyword", write: writeLower },
  utm_contents: { name: "campaignContent", write: writeLower },
};

const CHANNELS: Readonly<Record<string, string>> = {
  "Direct Entry": "direct",
  "Search Engines": "search",
  "Social Networks": "social",
  Websites: "website",
  Campaigns: "campaign",
};

const CAMPAIGN = "campaign";

function writeCondition(condition: Condition, context: SegmentContext): Group[] {
  const { dimension, isNot } = condition;
  const page = PAGE_NAMES[dimension];
  if (page !== undefined) return writePages(condition, page, context);
  if (dimension === "devices") return writeDevices(condition);
  if (dimension === "regions") return writeRegions(condition);
  if (dimension === "referrers") return writeReferrers(condition);
  if (dimension === "utm_campaigns" && !context.hasCampaigns) return writeCampaigns(condition);
  const known = NAMES[dimension] ?? (context.hasCampaigns ? CAMPAIGN_NAMES[dimension] : undefined);
  if (known === undefined) throw createRefusal(condition, `Matomo cannot choose visits by ${dimension}`);
  const {
    name,
    write = (value: string) => value,
    none,
  }: { name: string; write?: (value: string) => string; none?: string } = known;
  const terms = condition.alternatives.map((alternative) => {
    const value = readExact(condition, alternative, none);
    const written = value === none ? value : write(value);
    if (written === "") throw createRefusal(condition, `it can be ${Object.keys(CHANNELS).join(", ")}`);
    return writeTerm(name, isNot, written);
  });
  return combine(terms, isNot);
}

/** One of the terms holds, or with `!=` each. */
const combine = (terms: string[], isNot: boolean): Group[] => (isNot ? terms.map((term) => [term]) : [terms]);

const writeTerm = (name: string, isNot: boolean, value: string) =>
  `${name}${isNot ? "!=" : "=="}${encode(value)}`;

/** Matomo decodes a segment as a whole before it takes it apart, then each condition, and then its value. */
export const encode = (value: string) =>
  encodeURIComponent(encodeURIComponent(encodeURIComponent(value.toWellFormed())));

/** How Matomo may have kept a path: as it was sent, which is mostly how browsers write it: `/gr%C3%B6%C3%9Fe`. */
function listSpellings(path: string): Set<string> {
  const text = path.toWellFormed();
  const encoded = text.replace(/[^!-~]|["<>`]/gu, encodeURIComponent);
  try {
    return new Set([text, encoded, decodeURI(text)]);
  } catch {
    return new Set([text, encoded]);
  }
}

function writePages(condition: Condition, name: string, { hosts }: SegmentContext): Group[] {
  const { ofVisit, isNot, alternatives } = condition;
  if (ofVisit && isNot)
    throw createRefusal(condition, "Matomo cannot choose the visits in which a page was not viewed");
  if (hosts.length === 0) throw createRefusal(condition, "Matomo has no address for this site");
  const terms = alternatives.flatMap((alternative) => {
    const [start = "", end, ...more] = alternative ?? [""];
    if (alternative === null || more.length > 0 || (end ?? "") !== "" || (end !== undefined && isNot))
      throw createRefusal(condition, "Matomo finds a page by its path, or with * at its end");
    const operator = end === undefined ? (isNot ? "!=" : "==") : "=^";
    const spellings = [...listSpellings(start)];
    return hosts.flatMap((host) =>
      spellings.map((path) => `${name}${operator}${encode(`https://${host}${path}`)}`),
    );
  });
  return combine(terms, isNot);
}

function writeDevices(condition: Condition): Group[] {
  const terms = condition.alternatives.flatMap((alternative) => {
    const types = readMember(DEVICES, readExact(condition, alternative));
    if (types === undefined) throw createRefusal(condition, `it can be ${Object.keys(DEVICES).join(", ")}`);
    return types.map((type) => writeTerm("deviceType", condition.isNot, type));
  });
  return combine(terms, condition.isNot);
}

/** A region is a country and a code within it, so one of several cannot be written. */
function writeRegions(condition: Condition): Group[] {
  const { isNot, alternatives } = condition;
  if (!isNot && alternatives.length > 1)
    throw createRefusal(condition, "Matomo can choose only one region at once");
  return alternatives.flatMap((alternative) => {
    const [, country, region] = /^([A-Z]{2})-([A-Z0-9]{1,3})$/.exec(readExact(condition, alternative)) ?? [];
    if (country === undefined || region === undefined)
      throw createRefusal(condition, "a region looks like DE-BE");
    const pairs = [
      ["countryCode", country.toLowerCase()],
      ["regionCode", region],
    ] as const;
    const terms = pairs.map(([name, value]) => writeTerm(name, isNot, value));
    return isNot ? [terms] : terms.map((term) => [term]);
  });
}

/** The name of a referrer may also be that of a campaign, which is no referrer. */
function writeReferrers(condition: Condition): Group[] {
  const { isNot, alternatives } = condition;
  const write = (alternative: Alternative) =>
    alternative === null
      ? writeTerm("referrerType", isNot, "direct")
      : writeTerm("referrerName", isNot, readExact(condition, alternative));
  const isCampaign = (is: boolean) => writeTerm("referrerType", !is, CAMPAIGN);
  if (!isNot) return [alternatives.map(write), [isCampaign(false)]];
  return alternatives.map((each) => (each === null ? [write(each)] : [write(each), isCampaign(true)]));
}

function writeCampaigns(condition: Condition): Group[] {
  const { isNot, alternatives } = condition;
  const terms = alternatives.map((each) =>
    writeTerm("referrerName", isNot, writeLower(readExact(condition, each))),
  );
  const isCampaign = writeTerm("referrerType", isNot, CAMPAIGN);
  return isNot ? terms.map((term) => [term, isCampaign]) : [terms, [isCampaign]];
}

function readExact(condition: Condition, alternative: Alternative, none?: string): string {
  if (alternative === null && none !== undefined) return none;
  if (alternative === null || alternative.length > 1)
    throw createRefusal(
      condition,
      `Matomo finds ${condition.dimension} by whole values only, without * and not for a missing value`,
    );
  return alternative[0] ?? "";
}

const createRefusal = (condition: Condition, reason: string) =>
  createFilterError(`cannot be ${quote(formatCondition(condition), { maxLength: MAX_SHOWN })}: ${reason}`);
