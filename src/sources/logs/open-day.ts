import { append, type Column, createColumn, createPairNumbers, type PairNumbers } from "./columns.ts";

/** A day whose lines can still come: every request that may count, in columns. */
export interface OpenDay {
  /** `YYYY-MM-DD` at the site. */
  date: string;
  /** Seconds since 1970 at which it begins and ends. */
  start: number;
  end: number;
  /** The numbers of addresses. IPv6 addresses of one /64 have the same. */
  addresses: Map<string, number>;
  senders: Senders;
  hits: Hits;
  crawlers: Map<string, CrawlerDay>;
  /** Grows with each request that may change the counts. */
  version: number;
}

/** Who sent requests: one (address, user agent) each, without bots. */
export interface Senders {
  /** By number of the address and of the user agent. */
  numbers: PairNumbers;
  /** All requests; those that were answered 4xx; those of them for a known probe. */
  requests: Column;
  errors: Column;
  probes: Column;
  /** The number of the address on this day. */
  addresses: Column;
  /** The number of the profile: what user agent and address say. */
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

/** The requests of a crawler that says who it is. */
export interface CrawlerDay {
  requests: number;
  errors: number;
  /** Numbers of its paths. */
  paths: Set<number>;
  /** Seconds since 1970. */
  lastSeen: number;
}

export function openDay(date: string, start: number, end: number): OpenDay {
  return {
    ...{ date, start, end },
    addresses: new Map(),
    senders: {
      numbers: createPairNumbers(),
      requests: createColumn(),
      errors: createColumn(),
      probes: createColumn(),
      addresses: createColumn(),
      profiles: createColumn(),
    },
    hits: { sender: createColumn(), second: createColumn(), page: createColumn(), origin: createColumn() },
    crawlers: new Map(),
    version: 0,
  };
}

/**
 * The number of a sender, who is added if they are new.
 *
 * @param readProfile The number of what address and agent say.
 */
export function numberSender(
  { senders }: OpenDay,
  address: number,
  agent: number,
  readProfile: () => number,
): number {
  const known = senders.numbers.find(address, agent);
  if (known >= 0) return known;
  append(senders.requests, 0);
  append(senders.errors, 0);
  append(senders.probes, 0);
  append(senders.addresses, address);
  append(senders.profiles, readProfile());
  return senders.numbers.add(address, agent);
}

export function addRequest({ senders }: OpenDay, sender: number, isError: boolean, isProbe: boolean): void {
  increment(senders.requests, sender);
  if (!isError) return;
  increment(senders.errors, sender);
  if (isProbe) increment(senders.probes, sender);
}

function increment({ values }: Column, at: number): void {
  values[at] = (values[at] ?? 0) + 1;
}

export function addHit(day: OpenDay, sender: number, time: number, page: number, origin: number): void {
  append(day.hits.sender, sender);
  append(day.hits.second, time - day.start);
  append(day.hits.page, page);
  append(day.hits.origin, origin);
  day.version++;
}
