import { createAddressFilter, groupAddress, readClientAddress } from "./addresses.ts";
import type { Agent, Agents, BrowserAgent } from "./agents.ts";
import { createAgents } from "./agents.ts";
import { findChannel, type Origin } from "./channels.ts";
import type { OriginValues, ProfileValues } from "./count-day.ts";
import { addCrawlerRequest } from "./crawler-days.ts";
import type { DayCounts } from "./day-counts.ts";
import { copyText } from "./formats/timestamp.ts";
import type { LogLine } from "./log-line.ts";
import { addHit, addRequest, numberSender, type OpenDay } from "./open-day.ts";
import { createOutcomes, type Outcome, type Outcomes } from "./outcomes.ts";
import { classifyPath, cleanPath, createPathFilter } from "./page-path.ts";
import { isProbe } from "./probes.ts";
import {
  findDomain,
  type RequestTarget,
  readHost,
  readLanguage,
  readOrigin,
  splitTarget,
  withoutWww,
} from "./request.ts";
import type { LogSettings, Place } from "./settings.ts";
import {
  createFindDay,
  createSiteLog,
  type FindDay,
  type SiteLog,
  sealDays,
  weighOpenDays,
} from "./site-log.ts";
import type { SiteValues } from "./values.ts";

/** Takes lines and keeps what counts. */
export interface Collector {
  /** @param site The site of the line's file; undefined if the line's host names it. */
  add(line: LogLine, site: string | undefined): Outcome;
  /** By domain. With hosts in the log, every host has an entry, also those that are no site. */
  readonly sites: ReadonlyMap<string, SiteLog>;
  readonly outcomes: Outcomes;
  /** By number, as days refer to them. */
  readonly userAgents: readonly string[];
  /**
   * Closes the days that are over by an instant, in seconds since 1970, since all lines up to it were added.
   *
   * @param isForced Also if there is memory for them. Until then, lines may come in any order.
   */
  seal(time: number, isForced: boolean): void;
}

/** Sees what a collector keeps only in sums. */
export interface Recorder {
  /** Called for each new sender of a day, in the order of their numbers. */
  addSender(log: SiteLog, day: OpenDay, group: string, userAgent: string): void;
  addBot(log: SiteLog, day: OpenDay, request: BotRequest): void;
  /** Called when a day is closed, with all that was kept of it. */
  closeDay(log: SiteLog, day: OpenDay, counts: DayCounts): void;
}

export interface BotRequest {
  group: string;
  userAgent: string;
  /** Undefined if it is no known crawler. */
  crawler: string | undefined;
  path: string;
  status: number;
  /** Seconds since 1970. */
  time: number;
}

/** Open days may take this many bytes of memory before those that are over are closed early. */
const ROOM = 64_000_000;

export interface CollectorOptions {
  /** Where an address is; absent if nothing says it. */
  findPlace?: ((address: string) => Place) | undefined;
  /** What an earlier process collected. */
  kept?: { sites: readonly SiteLog[]; outcomes: Outcomes } | undefined;
  /** Whether lines of a day are taken; all of them if absent. */
  takesDay?: ((domain: string, date: string) => boolean) | undefined;
  recorder?: Recorder | undefined;
}

/** More hosts than this are strangers' inventions. */
const MOST_HOSTS = 1_000;
/** The caches of raw texts are emptied at this size; they only save time. */
const MOST_KEPT = 50_000;

interface SiteEntry {
  log: SiteLog;
  findDay: FindDay;
  paths: Map<string, number>;
}

/** Throws AnalyticsError `usage` for an address range that is none. */
export function createCollector(
  settings: LogSettings,
  { findPlace, kept, takesDay, recorder }: CollectorOptions = {},
): Collector {
  const entries = new Map<string, SiteEntry>();
  const sites = new Map<string, SiteLog>();
  const hosts = new Map<string, SiteEntry | undefined>();
  const agents = createAgents();
  const outcomes = kept?.outcomes ?? createOutcomes();
  const isExcludedAddress = createAddressFilter(settings.excludeAddresses);
  const isExcludedPath = createPathFilter(settings.excludePaths);

  const addSite = (log: SiteLog): SiteEntry => {
    const entry = { log, findDay: createFindDay(log, takesDay), paths: new Map() };
    entries.set(log.domain, entry);
    sites.set(log.domain, log);
    return entry;
  };
  for (const log of kept?.sites ?? []) addSite(log);
  const named = new Set([...settings.sites, ...settings.files.flatMap(({ site }) => site ?? [])]);

  const openSite = (domain: string): SiteEntry | undefined => {
    const known = entries.get(domain);
    if (known !== undefined) return known;
    if (entries.size >= MOST_HOSTS) forgetUnvisited();
    if (entries.size >= MOST_HOSTS && !named.has(domain)) return undefined;
    return addSite(createSiteLog(domain, settings.timezone));
  };

  /** Strangers invent hosts, which must not keep out a site that is new. */
  const forgetUnvisited = () => {
    for (const [domain, { log }] of entries) {
      if (log.pageviews > 0) continue;
      entries.delete(domain);
      sites.delete(domain);
    }
    hosts.clear();
  };

  const findSite = (site: string | undefined, rawHost: string | undefined): SiteEntry | undefined => {
    const key = site === undefined ? `h${rawHost ?? ""}` : `s${site}`;
    if (hosts.has(key)) return hosts.get(key);
    const domain = site ?? findDomain(rawHost, settings.onlySite);
    const entry = domain === undefined ? undefined : openSite(domain);
    if (hosts.size >= MOST_KEPT) hosts.clear();
    hosts.set(copyText(key), entry);
    return entry;
  };

  const judge = (line: LogLine, fileSite: string | undefined): Outcome => {
    if (line.method === "") return "no_request";
    const asked = splitTarget(line.target);
    const host = asked.host ?? line.host;
    const entry = findSite(fileSite, host);
    if (entry === undefined) return "other_host";
    const { log } = entry;
    log.first = Math.min(log.first ?? line.time, line.time);
    log.last = Math.max(log.last ?? line.time, line.time);
    const address = readClientAddress(line.address, line.forwarded, settings.trustForwarded);
    if (isExcludedAddress(address) || isExcludedPath(asked.path)) return "excluded";
    const day = entry.findDay(line.time);
    if (day === undefined) return "late";
    const agent = findAgentOf(line, agents);
    if (agent.kind === "bot") {
      addBotRequest(log, day, agent.crawler, line, address, asked.path);
      return "bot";
    }
    return addBrowserRequest(entry, day, address, agent, line, asked, host);
  };

  const addBotRequest = (
    log: SiteLog,
    day: OpenDay,
    crawler: string | undefined,
    line: LogLine,
    address: string,
    rawPath: string,
  ) => {
    if (crawler === undefined && recorder === undefined) return;
    const path = cleanPath(rawPath);
    addCrawlerRequest(day, crawler, line, path);
    const { status, time, agent: userAgent = "" } = line;
    recorder?.addBot(log, day, { group: groupAddress(address), userAgent, crawler, path, status, time });
  };

  const addBrowserRequest = (
    entry: SiteEntry,
    day: OpenDay,
    address: string,
    agent: BrowserAgent,
    line: LogLine,
    asked: RequestTarget,
    host: string | undefined,
  ): Outcome => {
    const outcome = judgeRequest(line, asked);
    const sender = findSender(entry, day, address, line.agent ?? "", agent);
    noteRequest(day, sender, line);
    if (outcome === "page_view") addPageView(entry, day, sender, line, asked, host);
    if (outcome === "download") addHit(day, sender, line.time, 2 * findPage(entry, asked) + 1, 0);
    return outcome;
  };

  const addPageView = (
    entry: SiteEntry,
    day: OpenDay,
    sender: number,
    line: LogLine,
    asked: RequestTarget,
    host: string | undefined,
  ) => {
    noteFields(entry.log, line, host);
    entry.log.pageviews++;
    addHit(
      day,
      sender,
      line.time,
      2 * findPage(entry, asked),
      findOrigin(entry.log, day, line, host, asked.query),
    );
  };

  const findSender = (
    { log }: SiteEntry,
    day: OpenDay,
    address: string,
    userAgent: string,
    agent: BrowserAgent,
  ): number => {
    const group = groupAddress(address);
    return numberSender(day, { group, userAgent, agent: agent.id }, () => {
      recorder?.addSender(log, day, group, userAgent);
      return numberProfile(day, log.values, agent, findPlace?.(address));
    });
  };

  const findPage = ({ log, paths }: SiteEntry, { path, query }: RequestTarget): number => {
    const kept = settings.keepQuery.length === 0 || query === "" ? "" : keepQuery(query, settings.keepQuery);
    const raw = path + kept;
    let page = paths.get(raw);
    if (page === undefined) {
      const clean = cleanPath(path) + kept;
      page = log.values("pages").number(clean);
      if (paths.size >= MOST_KEPT) paths.clear();
      // The same text in one place, as it nearly always is.
      paths.set(clean === raw ? (log.values("pages").at(page) ?? raw) : copyText(raw), page);
    }
    return page;
  };

  return {
    sites,
    outcomes,
    userAgents: agents.texts,
    seal: (time, isForced) => {
      const logs = [...sites.values()];
      if (!isForced && logs.reduce((sum, log) => sum + weighOpenDays(log), 0) < ROOM) return;
      for (const log of logs) sealDays(log, time, recorder?.closeDay);
    },
    add: (line, site) => {
      const outcome = judge(line, site);
      outcomes[outcome]++;
      return outcome;
    },
  };
}

function noteRequest(day: OpenDay, sender: number, { status, target }: LogLine): void {
  const isRefused = status >= 400 && status < 500;
  addRequest(day, sender, isRefused, isRefused && isProbe(target));
}

/** A log without user agents cannot tell bots apart; then every sender counts as one unknown browser. */
function findAgentOf({ agent }: LogLine, agents: Agents): Agent {
  return agent === undefined ? UNKNOWN_AGENT : agents.find(agent);
}

const UNKNOWN_AGENT: BrowserAgent = {
  ...{ kind: "browser", id: 0xffffffff },
  ...{ browser: null, operatingSystem: null, device: "desktop" },
};

const HTML = /^(?:text\/html|application\/xhtml\+xml)/i;

function judgeRequest(line: LogLine, { path, query }: RequestTarget): Outcome {
  const { method, status, contentType, purpose } = line;
  if (method !== "GET") return "method";
  if (status >= 500) return "server_error";
  if (status >= 400) return "not_found";
  const asked = classifyPath(path, query);
  if (asked === "static" || asked === "feed" || asked === "data") return asked;
  if (purpose !== undefined && /prefetch|preview|prerender/i.test(purpose)) return "data";
  if (asked === "download") return status === 200 ? "download" : "redirect";
  if (status !== 200 && status !== 304) return "redirect";
  // The answer to a conditional request need not say its type.
  if (contentType && status === 200 && !HTML.test(contentType)) return "data";
  return "page_view";
}

function noteFields({ fields }: SiteLog, line: LogLine, host: string | undefined): void {
  fields.agent[line.agent === undefined ? "absent" : "present"]++;
  fields.referrer[line.referrer === undefined ? "absent" : "present"]++;
  fields.language[line.language === undefined ? "absent" : "present"]++;
  fields.host[host === undefined ? "absent" : "present"]++;
}

/** The parameters of a query to count pages by, in the order in which they are named. */
function keepQuery(query: string, names: readonly string[]): string {
  const params = new URLSearchParams(query);
  const kept = new URLSearchParams();
  for (const name of names) {
    const value = params.get(name);
    if (value !== null) kept.set(name, value.slice(0, 200));
  }
  return kept.size === 0 ? "" : `?${kept}`;
}

function numberProfile(
  { profiles }: OpenDay,
  values: SiteValues,
  agent: BrowserAgent,
  place: Place | undefined,
): number {
  const { browser, operatingSystem, device } = agent;
  const { country = null, region = null, city = null } = place ?? {};
  return profiles.number(
    JSON.stringify([browser, operatingSystem, device, country, region, city]),
    (): ProfileValues => ({
      browsers: values("browsers").number(browser),
      operating_systems: values("operating_systems").number(operatingSystem),
      devices: values("devices").number(device),
      countries: values("countries").number(country),
      regions: values("regions").number(region),
      cities: values("cities").number(city),
    }),
  );
}

function findOrigin(
  log: SiteLog,
  day: OpenDay,
  line: LogLine,
  rawHost: string | undefined,
  query: string,
): number {
  const hasCampaign = /utm_|clid|braid/.test(query);
  if (hasCampaign) return numberOrigin(log, day, line, rawHost, query);
  const key = `${rawHost ?? ""} ${line.language ?? ""} ${line.referrer ?? ""}`;
  let number = day.rawOrigins.get(key);
  if (number === undefined) {
    number = numberOrigin(log, day, line, rawHost, query);
    if (day.rawOrigins.size >= MOST_KEPT) day.rawOrigins.clear();
    day.rawOrigins.set(copyText(key), number);
  }
  return number;
}

function numberOrigin(
  log: SiteLog,
  { origins }: OpenDay,
  line: LogLine,
  rawHost: string | undefined,
  query: string,
): number {
  const host = readHost(rawHost) ?? log.domain;
  const isOwn = (name: string) => name === log.domain || name === withoutWww(host);
  const origin = readOrigin(line, query, isOwn);
  const language = line.language === undefined ? null : readLanguage(line.language);
  return origins.number(JSON.stringify([origin, host, language]), () =>
    numberOriginValues(log, origin, host, language),
  );
}

function numberOriginValues(
  { values }: SiteLog,
  origin: Origin,
  host: string,
  language: string | null,
): OriginValues {
  return {
    hostnames: values("hostnames").number(host),
    languages: values("languages").number(language),
    referrers: values("referrers").number(origin.referrer),
    channels: values("channels").number(findChannel(origin)),
    utm_sources: values("utm_sources").number(origin.source),
    utm_mediums: values("utm_mediums").number(origin.medium),
    utm_campaigns: values("utm_campaigns").number(origin.campaign),
    utm_terms: values("utm_terms").number(origin.term),
    utm_contents: values("utm_contents").number(origin.content),
  };
}
