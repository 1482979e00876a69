/*
 * The way of a line into what the command `logs` shows and exports:
 *
 * line-observer.ts   notes what each line counts as, with examples
 * dry-run.ts         adds up the notes and the counts of the days: the command `logs`
 *
 * hit-export.ts      gets each hit when its day is closed
 * export-hits.ts     writes them: the command `logs --ndjson`
 */

import { compareValues } from "../../../operations/row-order.ts";
import { createCollector } from "../counting/collector.ts";
import type { DayCounts } from "../counting/day-counts.ts";
import { outcomes as explanations, type Outcome } from "../counting/outcomes.ts";
import { listCounts, listProxied } from "../counting/proxied-days.ts";
import type { SiteLog } from "../counting/site-log.ts";
import { findSites } from "../counting/sites.ts";
import type { LogCalendar } from "../day-span.ts";
import { createFileRegistry } from "../reading/file-registry.ts";
import type { LogContent } from "../reading/log-content.ts";
import type { LineSink } from "../reading/log-reader.ts";
import { listRepeated } from "../reading/repeated-lines.ts";
import type { LogSettings } from "../settings.ts";
import { createLineObserver, type DomainLines, type LineObserver } from "./line-observer.ts";
import { createTextTally, type TextTally } from "./text-tally.ts";

/** What logs have, and what would be counted. Dates are in `timezone`. */
export interface DryRun {
  files: DryRunFile[];
  left_out: { file: string; reason: string }[];
  sites: DryRunSite[];
  /** Of a log that names no site: the host that its pages seem to have; null if there is none. */
  likely_site: string | null;
  /** Hosts in the log that are not sites, the most frequent first; `other_hosts_total` counts all of them. */
  other_hosts: { host: string; lines: number }[];
  other_hosts_total: number;
  /** All lines of all files. The lines of `outcomes` add up to this number. */
  lines: number;
  outcomes: DryRunOutcome[];
  pages: { site: string; path: string; pageviews: number }[];
  not_found: { path: string; requests: number }[];
  bots: { name: string; requests: number }[];
  /** The first lines that could not be read, cleaned. */
  unreadable: string[];
  timezone: string;
  /** How long reading took. */
  milliseconds: number;
}

export interface DryRunFile {
  file: string;
  format: string;
  lines: number;
  /** Of its decompressed text. */
  bytes: number;
  first_day: string | null;
  last_day: string | null;
  /** Why reading it ended early. */
  damage: string | null;
  /** Another file that has some of the same lines. */
  repeats: string | null;
}

export interface DryRunSite {
  site: string;
  first_day: string | null;
  last_day: string | null;
  /** The sum of the daily visitors, without days whose visitors cannot be counted. */
  visitors: number;
  pageviews: number;
  events: number;
  scanners: number;
  /** The number of days whose visitors cannot be counted, since nearly all seem to come from a proxy. */
  proxied_days: number;
}

export type LineOutcome = keyof typeof lineOutcomes;

export interface DryRunOutcome {
  outcome: LineOutcome;
  lines: number;
  /** The most frequent paths. */
  examples: string[];
}

/** What lines count as, for people. A line that a collector takes for a page view may turn out to be a scanner's. */
export const lineOutcomes = {
  ...explanations,
  scanner_page_view: "page views of scanners",
  other_download: "downloads without a visitor",
  comment: "comments of the log",
  unreadable: "unreadable",
  too_long: "longer than 64 kB",
  future: "dated more than a day ahead",
} as const;

/** The name of the site of a log that names none. */
export const UNNAMED = "(unnamed)";

const MAX_ROWS = 10;
const MAX_EXAMPLES = 3;

/** Reads logs and reports what would be counted. Throws AnalyticsError as queries do. */
export async function dryRun(given: LogSettings, clock: () => number, signal?: AbortSignal): Promise<DryRun> {
  const settings = { ...given, onlySite: given.onlySite ?? UNNAMED };
  const { calendar } = settings;
  const collector = createCollector(settings);
  const observer = createLineObserver(settings);
  const sink: LineSink = {
    ...collector,
    add: (line, content) => observer.observe(line, collector.add(line, content), content),
  };
  const { refresh, contents, leftOut } = createFileRegistry(settings, sink, clock);
  const start = clock();
  await refresh(signal);
  const milliseconds = clock() - start;

  const unnamed = collector.sites.get(UNNAMED);
  const named = findSites(collector.sites, settings).filter((log) => log !== unnamed);
  const logs = named.length === 0 && unnamed ? [unnamed] : named;
  const counted = logs.map((log) => ({ log, days: listCounts(log).map(({ counts }) => counts) }));
  const sites = counted.map(({ log, days }) => describeSite(log, days));
  const lines = logs.flatMap(({ domain }) => observer.domains.get(domain) ?? []);
  const files = [...contents.values()].filter((content) => content.lines > 0);
  const hosts = listOtherHosts(observer, logs);
  return {
    files: files.map((content) => describeFile(content, observer, calendar)),
    left_out: [...leftOut].map(([file, { reason }]) => ({ file, reason })),
    sites,
    likely_site: named.length === 0 && unnamed ? observer.pageHosts.proposed() : null,
    other_hosts: hosts.slice(0, MAX_ROWS),
    other_hosts_total: hosts.length,
    lines: sum(files.map((content) => content.lines)),
    outcomes: listOutcomes(observer, lines, sites, files, hosts),
    pages: listPages(counted),
    not_found: merge(
      lines.map(({ examples }) => examples.get("not_found")),
      MAX_ROWS,
    ).map(({ text, count }) => ({ path: text, requests: count })),
    bots: merge(
      lines.map(({ bots }) => bots),
      MAX_ROWS,
    ).map(({ text, count }) => ({ name: text, requests: count })),
    unreadable: files.flatMap(({ examples }) => examples).slice(0, MAX_EXAMPLES),
    timezone: calendar.timezone,
    milliseconds,
  };
}

function describeFile(content: LogContent, { spans }: LineObserver, calendar: LogCalendar): DryRunFile {
  const { path: file, format, lines, read: bytes, damage } = content;
  const span = spans.get(content);
  return {
    file,
    format,
    lines,
    bytes,
    damage: damage?.reason ?? null,
    repeats: listRepeated([content]).length > 0 ? content.repeats.path : null,
    first_day: dateOf(span?.first, calendar),
    last_day: dateOf(span?.last, calendar),
  };
}

/** @param time Seconds since 1970. */
const dateOf = (time: number | undefined, calendar: LogCalendar): string | null =>
  time === undefined ? null : calendar.find(time).date;

function describeSite(log: SiteLog, days: readonly DayCounts[]): DryRunSite {
  const { domain, first, last, calendar } = log;
  const add = (count: "pageviews" | "events") => sum(days.map(({ totals }) => totals[count]));
  const all = listCounts(log);
  const proxied = new Set(listProxied(log, all));
  return {
    site: domain,
    first_day: dateOf(first, calendar),
    last_day: dateOf(last, calendar),
    visitors: sum(all.map(({ date, counts }) => (proxied.has(date) ? 0 : counts.totals.visitors))),
    pageviews: add("pageviews"),
    events: add("events"),
    scanners: sum(days.map(({ scanners }) => scanners.senders)),
    proxied_days: proxied.size,
  };
}

function listOtherHosts({ domains, hosts }: LineObserver, logs: readonly SiteLog[]) {
  const isSite = (domain: string) => logs.some((log) => log.domain === domain);
  const found = [...domains].flatMap(([domain, { outcomes }]) =>
    isSite(domain) ? [] : { host: domain, lines: sum(Object.values(outcomes)) },
  );
  const strange = hosts
    .top(Number.POSITIVE_INFINITY)
    .map(({ text, count }) => ({ host: text, lines: count }));
  return [...found, ...strange].sort((a, b) => b.lines - a.lines || compareValues(a.host, b.host));
}

function listOutcomes(
  { noRequest }: LineObserver,
  lines: readonly DomainLines[],
  sites: readonly DryRunSite[],
  files: readonly LogContent[],
  hosts: DryRun["other_hosts"],
): DryRunOutcome[] {
  const count = (outcome: Outcome) => sum(lines.map(({ outcomes }) => outcomes[outcome]));
  const pageviews = sum(sites.map((site) => site.pageviews));
  const events = sum(sites.map((site) => site.events));
  const special: Partial<Record<LineOutcome, number>> = {
    page_view: pageviews,
    scanner_page_view: count("page_view") - pageviews,
    download: events,
    other_download: count("download") - events,
    other_host: sum(hosts.map((host) => host.lines)),
    no_request: noRequest.lines,
    comment: sum(files.map(({ comments }) => comments)),
    unreadable: sum(files.map(({ unreadable }) => unreadable)),
    too_long: sum(files.map(({ tooLong }) => tooLong)),
    future: sum(files.map(({ future }) => future)),
  };
  const examplesOf = (outcome: LineOutcome): TextTally[] =>
    isOutcome(outcome) ? lines.map(({ examples }) => examples.get(outcome)) : [];
  return (
    Object.keys(lineOutcomes)
      // The keys are those of `lineOutcomes`.
      .map((key) => key as LineOutcome)
      .map((outcome) => ({
        outcome,
        lines: special[outcome] ?? (isOutcome(outcome) ? count(outcome) : 0),
        examples: listExamples(outcome, examplesOf(outcome), lines, hosts),
      }))
      .filter((row) => row.lines > 0)
      .sort((a, b) => b.lines - a.lines)
  );
}

const isOutcome = (outcome: LineOutcome): outcome is Outcome => Object.hasOwn(explanations, outcome);

function listExamples(
  outcome: LineOutcome,
  tallies: readonly TextTally[],
  lines: readonly DomainLines[],
  hosts: DryRun["other_hosts"],
): string[] {
  if (outcome === "other_host") return hosts.slice(0, MAX_EXAMPLES).map(({ host }) => host);
  const found = outcome === "bot" ? lines.map(({ bots }) => bots) : tallies;
  return merge(found, MAX_EXAMPLES).map(({ text }) => text);
}

/** The most viewed pages of all sites. */
const listPages = (counted: readonly { log: SiteLog; days: readonly DayCounts[] }[]): DryRun["pages"] =>
  counted
    .flatMap(({ log, days }) => countPages(log, days))
    .sort((a, b) => b.pageviews - a.pageviews || compareValues(a.path, b.path))
    .slice(0, MAX_ROWS);

function countPages({ domain }: SiteLog, days: readonly DayCounts[]): DryRun["pages"] {
  const views = new Map<string, number>();
  for (const { tables } of days) {
    const pages = tables.tallies("pages");
    pages?.values.forEach((page, index) => {
      views.set(page ?? "", (views.get(page ?? "") ?? 0) + (pages.hits[index] ?? 0));
    });
  }
  return [...views].map(([path, pageviews]) => ({ site: domain, path, pageviews }));
}

/** The most frequent texts of several tallies. */
function merge(tallies: readonly TextTally[], limit: number): { text: string; count: number }[] {
  const all = createTextTally(Number.POSITIVE_INFINITY);
  for (const tally of tallies) {
    for (const { text, count } of tally.top(Number.POSITIVE_INFINITY)) all.add(text, count);
  }
  return all.top(limit);
}

const sum = (counts: readonly number[]): number => counts.reduce((total, count) => total + count, 0);
