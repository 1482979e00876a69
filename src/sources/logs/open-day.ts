import { type AddressNumbers, createAddressNumbers, parseIpv4 } from "./address-numbers.ts";
import {
  append,
  type Column,
  createColumn,
  createPairNumbers,
  increase,
  type PairNumbers,
} from "./columns.ts";
import type { CrawlerDay, DayCounts } from "./day-counts.ts";
import type { KnownSenders, SenderHashes } from "./known-senders.ts";
import type { OriginValues, ProfileValues } from "./line-dimensions.ts";
import { createNumbered, type Numbered } from "./numbered.ts";

/** A day whose lines can still come: every request that may count, in columns. */
export interface OpenDay {
  /** `YYYY-MM-DD` at the site. */
  date: string;
  /** Seconds since 1970 at which it begins and ends. */
  start: number;
  end: number;
  /** The numbers of addresses. IPv6 addresses of one /64 have the same. */
  addresses: AddressNumbers;
  addressCount: number;
  /** By address and number of the user agent; where the address is not IPv4, by its number. */
  senderNumbers: Record<"ipv4" | "others", PairNumbers>;
  senders: Senders;
  hits: Hits;
  /** Where visits came from, and what senders are. */
  origins: Numbered<OriginValues>;
  profiles: Numbered<ProfileValues>;
  /** A cache: the numbers of origins by the texts in lines. */
  rawOrigins: Map<string, number>;
  /** The addresses and senders of an earlier process, which are known by hashes only. */
  known?: KnownSenders | undefined;
  /** The hashes of addresses and senders, as far as they were written to disk. */
  hashes?: SenderHashes | undefined;
  /** The crawlers' requests, by crawler. */
  crawlers: Map<string, OpenCrawler>;
  /** Grows with each request that may change the counts. */
  version: number;
  /** The counts of a version. */
  counted?: { version: number; counts: DayCounts } | undefined;
}

/** Who sent requests: an address and a user agent each, without bots. */
export interface Senders {
  /** All requests; those that were answered 4xx; of these, those for a known probe. */
  requests: Column;
  errors: Column;
  probes: Column;
  /** The number of the address on this day. */
  addresses: Column;
  /** The number of the profile: what user agent and address say about the sender. */
  profiles: Column;
}

/** Page views, and downloads as events. */
export interface Hits {
  sender: Column;
  /** Seconds after `start`. */
  second: Column;
  /** Twice the number of the path; one more for a download. */
  page: Column;
  /** The number of the origin: referrer, campaign, host and language. */
  origin: Column;
}

/** The requests of one crawler. */
export interface OpenCrawler extends Omit<CrawlerDay, "pages"> {
  /** Hashes of the paths: crawlers ask for millions. */
  paths: Set<number>;
}

export function openDay(date: string, start: number, end: number): OpenDay {
  return {
    date,
    start,
    end,
    addresses: createAddressNumbers(),
    addressCount: 0,
    senderNumbers: { ipv4: createPairNumbers(), others: createPairNumbers() },
    senders: {
      requests: createColumn(),
      errors: createColumn(),
      probes: createColumn(),
      addresses: createColumn(),
      profiles: createColumn(),
    },
    hits: { sender: createColumn(), second: createColumn(), page: createColumn(), origin: createColumn() },
    origins: createNumbered(),
    profiles: createNumbered(),
    rawOrigins: new Map(),
    crawlers: new Map(),
    version: 0,
  };
}

/** Who sends a request. */
export interface Sender {
  /** The address that identifies visitors (`groupAddress`). */
  group: string;
  userAgent: string;
  /** The number of the user agent. */
  agent: number;
}

/**
 * The number of a sender, who is added if they are new.
 *
 * @param readProfile Returns the number of the sender's profile.
 */
export function numberSender(day: OpenDay, sender: Sender, readProfile: () => number): number {
  const { group, userAgent, agent } = sender;
  const ipv4 = parseIpv4(group);
  const numbers = ipv4 < 0 ? day.senderNumbers.others : day.senderNumbers.ipv4;
  const key = ipv4 < 0 ? numberAddress(day, group, ipv4) : ipv4;
  const found = numbers.find(key, agent);
  if (found >= 0) return found;
  const number =
    day.known?.findSender(group, userAgent) ??
    addSender(day.senders, numberAddress(day, group, ipv4), readProfile());
  numbers.set(key, agent, number);
  return number;
}

function numberAddress(day: OpenDay, group: string, ipv4: number): number {
  const known = day.addresses.find(group, ipv4);
  if (known !== undefined) return known;
  const number = day.known?.findAddress(group) ?? day.addressCount++;
  day.addresses.set(group, ipv4, number);
  return number;
}

function addSender(senders: Senders, address: number, profile: number): number {
  append(senders.requests, 0);
  append(senders.errors, 0);
  append(senders.probes, 0);
  append(senders.addresses, address);
  append(senders.profiles, profile);
  return senders.requests.length - 1;
}

export function addRequest(day: OpenDay, sender: number, isError: boolean, isProbe: boolean): void {
  const { senders } = day;
  increase(senders.requests, sender, 1);
  // Any request can make its sender a scanner, or show that they are none.
  day.version++;
  if (!isError) return;
  increase(senders.errors, sender, 1);
  if (isProbe) increase(senders.probes, sender, 1);
}

export function addHit(day: OpenDay, sender: number, time: number, page: number, origin: number): void {
  append(day.hits.sender, sender);
  append(day.hits.second, time - day.start);
  append(day.hits.page, page);
  append(day.hits.origin, origin);
  day.version++;
}
