/*
 * The way of a line, from a request to the counts of a day:
 *
 * host-sites.ts   which site it is about
 * site-log.ts     which day of the site
 * agents.ts       whether a bot sent it
 * outcomes.ts     whether it is a page view, a download, or neither
 * probes.ts       whether scanners ask for it
 * senders.ts      who sent it: a number for each address with a user agent
 * line-values.ts  the page and the origin, as numbers
 * add-failed.ts   what was asked for in vain, and which page led there
 * open-day.ts     all of these numbers, as long as lines of the day can come
 *
 * When the day is closed, or asked about:
 *
 * scanners.ts     finds the senders who are no people
 * open-table.ts   makes a table of the others' hits
 * count-day.ts    has it counted (src/sources/measure/)
 * close-days.ts   keeps the counts alone
 */

import { NO_NAME } from "../../crawler-list.ts";
import { OTHER } from "../../measure/definition.ts";
import { classifyPath } from "../../measure/path-kinds.ts";
import type { LogLine } from "../reading/log-line.ts";
import type { LogSettings, Place } from "../settings.ts";
import { addFailed, findFailure, type RequestContext } from "./add-failed.ts";
import { createAddressFilter, groupAddress, readClientAddress } from "./addresses.ts";
import { type Agent, type Agents, type BrowserAgent, createAgents } from "./agents.ts";
import { closeDays, estimateMemory, type OnClose } from "./close-days.ts";
import { increase } from "./columns.ts";
import { countRequest } from "./failed-requests.ts";
import { createHostSites, type HostSite, type OnlyDays } from "./host-sites.ts";
import { findOrigin, findPage, numberProfile } from "./line-values.ts";
import { addCrawlerRequest, addHit, addRequest, type OpenDay } from "./open-day.ts";
import { createIsOwnHost, readOwnPage } from "./origin.ts";
import { createOutcomes, judgeRequest, type Outcome, type Outcomes } from "./outcomes.ts";
import { cleanPath, createPathFilter } from "./page-path.ts";
import { findProbeKind } from "./probes.ts";
import type { Recorder } from "./recorder.ts";
import {
  type FileSite,
  findRawHost,
  isForeign,
  listNamed,
  type RequestTarget,
  splitTarget,
} from "./request.ts";
import { numberSender, OTHER_AGENT } from "./senders.ts";
import { LOGGED_FIELDS, type SiteLog, type SiteLogs } from "./site-log.ts";

/** Takes lines and keeps what counts. */
export interface Collector {
  add(line: LogLine, file: FileSite): Outcome;
  /** By domain. If the log has hosts, every host has an entry, even if it is not a site. */
  readonly sites: SiteLogs;
  readonly outcomes: Outcomes;
  /** Closes the days that are over. All lines up to now must have been added. @param time Now, in seconds since 1970. */
  closeDays(time: number): void;
  /**
   * The same early, if open days take much memory. Where they do not, their lines may come in any order.
   *
   * @param time Seconds since 1970: all lines up to then were added.
   */
  makeRoom(time: number): void;
}

/** In bytes: when open days take more memory, those that are over are closed early. */
const MAX_MEMORY = 64_000_000;

export interface CollectorOptions {
  /** Looks up where an address is; absent without a database. */
  findPlace?: ((address: string) => Place) | undefined;
  /** What an earlier process collected. */
  kept?: { sites: readonly SiteLog[] } | undefined;
  /** All days of all sites if absent. */
  onlyDays?: OnlyDays | undefined;
  recorder?: Recorder | undefined;
  /** Called when a day is closed. */
  onClose?: OnClose | undefined;
}

/** Throws AnalyticsError `usage` for an invalid address range. */
export function createCollector(
  settings: LogSettings,
  { findPlace, kept, onlyDays, recorder, onClose }: CollectorOptions = {},
): Collector {
  const sites = createHostSites(settings, kept?.sites, onlyDays);
  const agents = createAgents();
  const outcomes = createOutcomes();
  const named = listNamed(settings);
  const isExcludedAddress = createAddressFilter(settings.excludeAddresses);
  const isExcludedPath = createPathFilter(settings.excludePaths);

  const judge = (line: LogLine, file: FileSite): Outcome => {
    if (line.method === "") return "no_request";
    const asked = splitTarget(line.target);
    const host = findRawHost(line, asked, named);
    const entry = sites.find(file, host);
    if (entry === undefined || isForeign(asked, entry.log.domain, host)) return "other_host";
    const { log } = entry;
    log.first = Math.min(log.first ?? line.time, line.time);
    log.last = Math.max(log.last ?? line.time, line.time);
    const address = readClientAddress(line.address, line.forwarded, settings.trustForwarded);
    if (isExcludedAddress(address) || isExcludedPath(asked.path)) return "excluded";
    const day = entry.findDay(line.time);
    if (day === undefined) return "late";
    const agent = findAgentOf(line, agents);
    if (agent.kind === "bot") {
      addBotRequest(log, day, agent.crawler, line, address, asked);
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
    asked: RequestTarget,
  ) => {
    const path = cleanPath(asked.path);
    const failure = findFailure(line, asked);
    if (failure !== undefined) day[failure].bots++;
    addCrawlerRequest(day, crawler ?? NO_NAME, line, path);
    const { status, time, agent: userAgent = "" } = line;
    recorder?.addBot(log, day, { group: groupAddress(address), userAgent, crawler, path, status, time });
  };

  const addBrowserRequest = (
    entry: HostSite,
    day: OpenDay,
    address: string,
    agent: BrowserAgent,
    line: LogLine,
    asked: RequestTarget,
    host: string | undefined,
  ): Outcome => {
    const outcome = judgeRequest(line, asked);
    const sender = findSender(entry, day, address, line.agent ?? "", agent);
    const { keepQuery } = settings;
    const context = { domain: entry.log.domain, rawHost: host, keepQuery };
    noteRequest(day, sender, line, asked, context);
    if (outcome === "static") increase(day.senders.files, sender, 1);
    const failure = findFailure(line, asked);
    if (failure !== undefined) {
      const link = addFailed(day, failure, sender, line, asked, context);
      recorder?.addFailed(entry.log, day, { sender, link, status: line.status, time: line.time });
    }
    if (outcome === "page_view") addPageView(entry, day, sender, line, asked, host);
    if (outcome === "download") {
      addHit(day, sender, line.time, 2 * findPage(day, asked, keepQuery, sender) + 1, 0);
    }
    return outcome;
  };

  const addPageView = (
    entry: HostSite,
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
      2 * findPage(day, asked, settings.keepQuery, sender),
      findOrigin(entry.log.domain, day, line, host, asked.query, sender),
    );
  };

  const findSender = (
    { log }: HostSite,
    day: OpenDay,
    address: string,
    userAgent: string,
    agent: BrowserAgent,
  ): number => {
    const group = groupAddress(address);
    return numberSender(day, { group, agent: agent.id }, (number, isOther) => {
      recorder?.addSender(log, day, group, isOther ? OTHER : userAgent);
      const place = findPlace?.(address);
      if (place !== undefined) notePlace(log, place);
      const known = isOther ? { ...agent, id: OTHER_AGENT, browser: OTHER, operatingSystem: OTHER } : agent;
      return numberProfile(day, known, place, number);
    });
  };

  const closeAll = (time: number) => {
    for (const log of sites.logs.values()) closeDays(log, time, onClose);
  };

  return {
    sites: sites.logs,
    outcomes,
    closeDays: closeAll,
    makeRoom: (time) => {
      const bytes = [...sites.logs.values()].reduce((sum, log) => sum + estimateMemory(log), 0);
      if (bytes >= MAX_MEMORY) closeAll(time);
    },
    add: (line, file) => {
      const outcome = judge(line, file);
      outcomes[outcome]++;
      return outcome;
    },
  };
}

function notePlace({ places }: SiteLog, { country, region, city }: Place): void {
  if (country) places.add("countries");
  if (region) places.add("regions");
  if (city) places.add("cities");
}

function noteRequest(
  day: OpenDay,
  sender: number,
  { status, target, referrer }: LogLine,
  asked: RequestTarget,
  { domain, rawHost, keepQuery }: RequestContext,
): void {
  // A 401 asks who it is: IIS answers so twice for each page, before the page.
  const isRefused = status >= 400 && status < 500 && status !== 401;
  if (!isRefused) {
    addRequest(day, sender, false, undefined);
    return;
  }
  const page = readOwnPage(referrer, createIsOwnHost(domain, rawHost));
  const kind = findProbeKind(target);
  addRequest(day, sender, true, kind >= 0 && page === undefined ? kind : undefined);
  if (page === undefined || classifyPath(asked.path, asked.query) !== "static") return;
  countRequest(day.brokenFiles, sender, findPage(day, page, keepQuery, sender));
}

/** A log without user agents cannot tell bots apart; then every sender counts as one unknown browser. */
function findAgentOf({ agent }: LogLine, agents: Agents): Agent {
  return agent === undefined ? UNKNOWN_AGENT : agents.find(agent);
}

const UNKNOWN_AGENT: BrowserAgent = {
  kind: "browser",
  id: 0,
  browser: null,
  operatingSystem: null,
  device: "desktop",
};

function noteFields({ fields }: SiteLog, line: LogLine, host: string | undefined): void {
  for (const field of LOGGED_FIELDS) {
    const text = field === "host" ? host : line[field];
    fields[field][text === undefined ? "absent" : "present"]++;
  }
}
