import type { Dimension } from "../../../operations/dimensions.ts";
import { hashText } from "../hashing.ts";
import { append, type Column, createColumn, increase } from "./columns.ts";
import { type CrawlerTally, type DayCounts, DEFINITION } from "./day-counts.ts";
import {
  createFailedRequests,
  createRequestRows,
  type FailedRequests,
  type RequestRows,
} from "./failed-requests.ts";
import { createLimitedValues, type LimitedValues, MAX_VALUES } from "./limits.ts";
import type { OriginValues, ProfileValues } from "./line-dimensions.ts";
import { createNumbered, type Numbered } from "./numbered.ts";
import { createPairNumbers, type PairNumbers } from "./pair-numbers.ts";
import { addProbe } from "./probes.ts";

/** A day whose lines can still come. What an earlier process has kept of it is read when it is needed. */
export interface DayInProgress {
  /** `YYYY-MM-DD` at the site. */
  date: string;
  definition: number;
  /** Seconds since 1970 at which it begins and ends. */
  start: number;
  end: number;
  /** Its requests, if they are in memory. */
  peek(): OpenDay | undefined;
  /** Its requests. Throws DamagedFile if they cannot be read. */
  load(): OpenDay;
  /** The counts that an earlier process has kept, which hold until a line comes. */
  counts?: DayCounts | undefined;
}

/** A day of which everything is in memory. */
export function holdDay(day: OpenDay): DayInProgress {
  const { date, definition, start, end } = day;
  return { date, definition, start, end, peek: () => day, load: () => day };
}

/** Every request of a day that may count, in columns. */
export interface OpenDay {
  /** `YYYY-MM-DD` at the site. */
  date: string;
  /** The version of the counting rules by which its lines are judged. */
  definition: number;
  /** Seconds since 1970 at which it begins and ends. */
  start: number;
  end: number;
  /** The numbers of addresses. IPv6 addresses of one /64 have the same. The other number of each pair is 0. */
  addresses: { ipv4: PairNumbers; others: Map<string, number> };
  /** Including those of an earlier process. */
  addressCount: number;
  /** The numbers of the networks that addresses belong to, as `addresses`: /24 of IPv4, /48 of IPv6. By address, its network. */
  networks: { ipv4: PairNumbers; others: Map<string, number> };
  networkCount: number;
  networkOf: Column;
  /** The numbers of user agents, by their ids; the other number of each pair is 0. */
  agents: PairNumbers;
  /** Including those of an earlier process. */
  agentCount: number;
  /** By address, how many user agents it has sent: senders, that is. */
  agentCounts: Column;
  /** The numbers of senders: by IPv4 address, or by the number of another address, and by the user agent's id. */
  senderNumbers: Record<"ipv4" | "others", PairNumbers>;
  senders: Senders;
  hits: Hits;
  /** The values that the day has, as far as visitors choose them. Hits name pages by their numbers here. */
  values: LimitedValues;
  /** What came when little was left of a limit, see limits.ts. */
  seen: Column;
  /** Where visits came from, and what senders are. */
  origins: Numbered<OriginValues>;
  profiles: Numbered<ProfileValues>;
  /** Which sender a page, origin or profile was added for. */
  addedBy: Record<"pages" | "origins" | "profiles", Column>;
  /** Caches: the numbers of pages and origins by the texts in lines, and of profiles without a place by the user agent. */
  rawPages: Map<string, number>;
  rawOrigins: Map<string, number>;
  /** The same for the profiles of user agents, by their ids, where nothing is known of addresses. */
  rawProfiles: Map<number, number>;
  /** The addresses and senders of an earlier process, which are known by hashes only. */
  known?: KnownSenders | undefined;
  /** The requests of bots, by crawler; of those without a known name as `NO_NAME`. */
  crawlers: Map<string, OpenCrawler>;
  notFound: FailedRequests;
  /** Requests that were answered 5xx. */
  serverErrors: FailedRequests;
  /** Refused requests for static files to which a page of the site led: `link` is the number of that page. */
  brokenFiles: RequestRows;
  /** The dimensions that an earlier version of this program, which recorded a part of the day, did not know. */
  unrecorded: Set<Dimension>;
  /** Grows with each request that may change the counts. */
  version: number;
  /** The counts of a version. */
  counted?: { version: number; counts: DayCounts } | undefined;
}

/** Who sent requests: an address and a user agent each, without bots. */
export interface Senders {
  /** All requests; those that were refused (4xx but 401); of these, the probes, see probes.ts. */
  requests: Column;
  errors: Column;
  probes: Column;
  /** Requests for static files that were not refused. */
  files: Column;
  /** The numbers of the address and of the user agent on this day. */
  addresses: Column;
  agents: Column;
  /** What the address says about a proxy, see relays.ts. */
  relays: Column;
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
export interface OpenCrawler extends Omit<CrawlerTally, "pages"> {
  /** Hashes of the paths, at most `MAX_VALUES`: crawlers ask for millions. */
  paths: Set<number>;
}

/** The senders of an earlier process: of addresses and user agents, only hashes are left. */
export interface KnownSenders {
  findAddress(group: string): number | undefined;
  findNetwork(network: string): number | undefined;
  /** @param id The user agent's. */
  findAgent(id: number): number | undefined;
  /** Takes the numbers of both. */
  findSender(address: number, agent: number): number | undefined;
}

export function openDay(date: string, start: number, end: number): OpenDay {
  const senders: Senders = {
    requests: createColumn(),
    errors: createColumn(),
    probes: createColumn(),
    files: createColumn(),
    addresses: createColumn(),
    agents: createColumn(),
    relays: createColumn(),
    profiles: createColumn(),
  };
  const [networkOf, seen] = [createColumn(), createColumn()];
  const values = createLimitedValues({ senders, networkOf, seen });
  return {
    date,
    definition: DEFINITION,
    start,
    end,
    addresses: { ipv4: createPairNumbers(), others: new Map() },
    addressCount: 0,
    networks: { ipv4: createPairNumbers(), others: new Map() },
    networkCount: 0,
    networkOf,
    senderNumbers: { ipv4: createPairNumbers(), others: createPairNumbers() },
    agents: createPairNumbers(),
    agentCount: 0,
    agentCounts: createColumn(),
    senders,
    values,
    seen,
    hits: { sender: createColumn(), second: createColumn(), page: createColumn(), origin: createColumn() },
    origins: createNumbered(),
    profiles: createNumbered(),
    addedBy: { pages: createColumn(), origins: createColumn(), profiles: createColumn() },
    rawPages: new Map(),
    rawOrigins: new Map(),
    rawProfiles: new Map(),
    crawlers: new Map(),
    notFound: createFailedRequests(values.of("not_found")),
    serverErrors: createFailedRequests(values.of("server_errors")),
    brokenFiles: createRequestRows(),
    unrecorded: new Set(),
    version: 0,
  };
}

/** Whether a hit is a page view, not a download. */
export const isView = ({ hits }: OpenDay, hit: number): boolean => ((hits.page.values[hit] ?? 0) & 1) === 0;

/** @param probe The kind of the probe, if it was one. */
export function addRequest(day: OpenDay, sender: number, isError: boolean, probe: number | undefined): void {
  const { senders } = day;
  increase(senders.requests, sender, 1);
  day.values.addRequest();
  // Any request can make its sender a scanner, or show that they are none.
  day.version++;
  if (!isError) return;
  increase(senders.errors, sender, 1);
  if (probe !== undefined)
    senders.probes.values[sender] = addProbe(senders.probes.values[sender] ?? 0, probe);
}

export function addHit(day: OpenDay, sender: number, time: number, page: number, origin: number): void {
  append(day.hits.sender, sender);
  append(day.hits.second, time - day.start);
  append(day.hits.page, page);
  append(day.hits.origin, origin);
  day.version++;
}

/** Counts a crawler's request. @param time Seconds since 1970. */
export function addCrawlerRequest(
  day: OpenDay,
  crawler: string,
  { status, time }: { status: number; time: number },
  path: string,
): void {
  let counted = day.crawlers.get(crawler);
  if (counted === undefined) {
    counted = { requests: 0, errors: 0, lastSeen: time, paths: new Set() };
    day.crawlers.set(crawler, counted);
  }
  counted.requests++;
  if (status >= 400) counted.errors++;
  counted.lastSeen = Math.max(counted.lastSeen, time);
  if (counted.paths.size < MAX_VALUES) counted.paths.add(hashText(path));
  day.version++;
}
