import type { SiteSelection } from "../../config/site-patterns.ts";
import { AnalyticsError } from "../../errors.ts";
import { nameValue } from "../../names/value-names.ts";
import { listDays } from "../../operations/days.ts";
import type { Filter } from "../../operations/filter.ts";
import { compareValues } from "../../operations/row-order.ts";
import { STRAYS, type Warning } from "../../operations/warning.ts";
import { listHours } from "../calendar.ts";
import { PLACES_OPTION } from "../country-package.ts";
import type { DataSource, SourceSite, Span } from "../data-source.ts";
import { countActive } from "../measure/count.ts";
import { explainNoPage } from "../measure/path-kinds.ts";
import { createRanking } from "../measure/ranking.ts";
import { identifySite } from "../site-id.ts";
import { createSiteNotFound } from "../site-not-found.ts";
import type { OpenView } from "../source-types.ts";
import { countOpenDay } from "./counting/count-day.ts";
import type { DayCounts } from "./counting/day-counts.ts";
import type { OpenDay } from "./counting/open-day.ts";
import { DOWNLOAD, tabulateDay } from "./counting/open-table.ts";
import { createPageFilter } from "./counting/page-path.ts";
import { listCounts, listProxied } from "./counting/proxied-days.ts";
import { isOfPlace, listRecorded } from "./counting/recorded.ts";
import type { SiteLog } from "./counting/site-log.ts";
import { listOwnSites, listSites } from "./counting/sites.ts";
import { coverageWarnings, createGapMarker, describeProxy, warnOfUnrecorded } from "./coverage.ts";
import {
  createChoice,
  createHitReader,
  type HitQuestion,
  type QueriedDay,
  type ReadHits,
} from "./hit-reader.ts";
import {
  countDaysSteps,
  countHours,
  countDays as countKeptDays,
  countValues as countKeptValues,
} from "./kept-days.ts";
import { type EndContext, listSharing } from "./log-end.ts";
import { listLost, warnOfLost } from "./reading/lost-lines.ts";
import { warnOfRepeats } from "./reading/repeated-lines.ts";
import { warnOfUnread } from "./reading/unread-input.ts";
import { rankCrawlers, rankNotFound } from "./request-rankings.ts";
import { warnOfChanges } from "./saved-options.ts";
import type { LogSettings } from "./settings.ts";
import { DamagedDay } from "./store/files.ts";
import { warnOfAdmission, warnOfHistories } from "./store/history-logs.ts";
import type { LogStore, ReadResult } from "./store/log-store.ts";

/** Many processes can count the same logs at once, and each may replace what another has just read. */
const MAX_ATTEMPTS = 10;
/** No limit in practice: even logs of the year 2000 can be asked about. */
const DAYS_KEPT = 10_000;
const WINDOW_MS = 5 * 60_000;

/** The reason names folders, which are only for the person who runs this program: it was shown there. */
const NOT_SAVED: Warning = {
  code: "not_saved",
  detail:
    "What was counted could not be saved. If log files are removed before that works again, these numbers can shrink. `analytics-mcp doctor` says why.",
};

/** Creates a data source from a store of logs. Nothing is read before the first query. */
export function createLogSource(asked: LogSettings, store: LogStore): DataSource {
  return createView({ asked, store, readHits: createHitReader() });
}

/** Creates a function that shows some of the sites. All views share what was read and counted. */
export function createLogViews(asked: LogSettings, store: LogStore): OpenView {
  const readHits = createHitReader();
  return (selection) => createView({ asked, store, readHits, selection });
}

interface ViewParts {
  asked: LogSettings;
  store: LogStore;
  readHits: ReadHits;
  /** All sites if absent. */
  selection?: SiteSelection;
}

function createView({ asked, store, readHits, selection }: ViewParts): DataSource {
  let hasPlaces = asked.geoip !== undefined;
  const isLeftOut = createPageFilter(asked.excludePaths);
  const read = async (signal?: AbortSignal) => {
    const found = await store.read(signal);
    const { collector, settings } = found;
    hasPlaces = settings.geoip !== undefined;
    const sites =
      selection === undefined
        ? listSites(collector.sites, settings)
        : listOwnSites(collector.sites, settings, selection);
    return { ...found, sites };
  };
  /** All that have a page view can be asked about by name, also those that are too small to be listed. */
  const findLog = async (isWanted: (log: SiteLog) => boolean, signal?: AbortSignal) => {
    const { sites, ...rest } = await read(signal);
    const all = [...rest.collector.sites.values()];
    const isOpen = selection === undefined && asked.sites.length === 0;
    const others = isOpen ? all.filter(({ pageviews }) => pageviews > 0) : [];
    const log = sites.find(isWanted) ?? others.find(isWanted);
    return { log, shown: selection === undefined ? all : sites, ...rest };
  };
  const readSite = async ({ domain }: SourceSite, signal?: AbortSignal) => {
    const { log, ...rest } = await findLog((known) => known.domain === domain, signal);
    if (log === undefined) throw createSiteNotFound();
    return { log, ...rest };
  };
  const readDays = async ({ site, from, to, now }: Span, signal?: AbortSignal) => {
    const { log, settings, ...read } = await readSite(site, signal);
    const markGap = createGapMarker(log, { now, ...describeEnding(log, { settings, ...read }) });
    return { log, settings, markGap, days: listDays(from, to).map((date) => findDay(log, date, now)) };
  };
  /** The days of a query about visitors. */
  const countDays = async (span: Span, signal?: AbortSignal) => {
    const { log, settings, markGap, days: all } = await readDays(span, signal);
    const proxied = settings.acceptProxyAddresses ? [] : listProxied(log, all);
    if (proxied.length > 0) assertCountable(log, proxied);
    const { filter } = span;
    const isRead = (day: QueriedDay) => filter !== undefined || mayHave(day, isLeftOut);
    const days = all.filter(({ date }) => !proxied.includes(date));
    return {
      days,
      proxied,
      calendar: log.calendar,
      markGap: (date: string, part?: { start: number; end: number }) =>
        proxied.includes(date) ? MISSING : markGap(date, part),
      /** Those whose counts are the answer, and those whose hits must be read. */
      counted: days.filter((day) => !isRead(day)),
      asked: { days: days.filter(isRead), filter: filter ?? [], isLeftOut, signal },
    };
  };

  /** Asks again if another process has replaced what was read, or if that was damaged. */
  const ask = async <T>(question: () => Promise<T>): Promise<T> => {
    let damaged: DamagedDay | undefined;
    for (let attempt = 1; ; attempt++) {
      try {
        const answer = await question();
        if (damaged !== undefined) await assertMended(damaged);
        return answer;
      } catch (error) {
        if (attempt === MAX_ATTEMPTS || !store.forget(error)) throw error;
        if (error instanceof DamagedDay) damaged = error;
      }
    }
  };
  /** The warnings of this answer were made before the damage was found. */
  const assertMended = async ({ site, date }: DamagedDay) => {
    const { collector } = await store.read();
    const damage = collector.sites.get(site)?.closed.get(date)?.damage;
    if (damage === undefined) return;
    throw new AnalyticsError(
      "unavailable",
      `A file in the history of these logs is damaged (${damage.file}: ${damage.reason}): of ${date}, only the totals are left.`,
      { hint: "Restore it from a backup, or ask again: the answer leaves out what is lost, and says so." },
    );
  };

  return {
    daysKept: DAYS_KEPT,
    filters: true,
    onlyEvents: [DOWNLOAD],
    explainNoPage,
    sites: async (signal) => (await read(signal)).sites.map(describeSite),
    site: async (name, signal) => {
      const { log } = await findLog(({ domain }) => domain === name || identifySite(domain) === name, signal);
      return log && describeSite(log);
    },
    days: (span, signal) =>
      ask(async () => {
        const { counted, asked, proxied, markGap } = await countDays(span, signal);
        const found = [
          ...counted.map(({ date, counts }) => ({ date, ...(counts?.totals ?? NOTHING) })),
          ...(await countKeptDays(readHits, asked)),
          ...proxied.map((date) => ({ date, ...NOTHING })),
        ];
        return found
          .sort((a, b) => compareValues(a.date, b.date))
          .map((day) => ({ ...day, ...markGap(day.date) }));
      }),
    hours: (span, signal) =>
      ask(async () => {
        const { days, calendar, markGap } = await countDays(span, signal);
        const { site, from, to, now, filter = [] } = span;
        const starts = listHours(from, to, site.timezone).filter((start) => start <= now);
        const hours = await countHours(readHits, { days, filter, isLeftOut, signal }, starts);
        return hours.map((hour, index) => {
          const start = hour.start / 1000;
          const end = (starts[index + 1] ?? Number.POSITIVE_INFINITY) / 1000;
          return { ...hour, ...markGap(calendar.find(start).date, { start, end }) };
        });
      }),
    steps: (span, steps, signal) =>
      ask(async () => {
        const { days } = await countDays(span, signal);
        return countDaysSteps(readHits, { days, filter: span.filter ?? [], isLeftOut, signal }, steps);
      }),
    breakdown: (span, dimension, limit, signal) =>
      ask(async () => {
        const { days, counted, asked } = await countDays(span, signal);
        const ranking = createRanking((value) => nameValue(dimension, value));
        const unrecorded = warnOfUnrecorded(days, [dimension]);
        const warnings = unrecorded.length > 0 && { warnings: unrecorded };
        await countKeptValues(readHits, { ...asked, dimension }, ranking);
        for (const { tables } of countsOf(counted)) {
          const tallies = tables.tallies(dimension);
          if (tallies !== undefined) ranking.add(tallies);
        }
        return { ...ranking.rank(limit), ...warnings };
      }),
    crawlers: (span, limit, signal) =>
      ask(async () => rankCrawlers(countsOf((await readDays(span, signal)).days), limit)),
    notFound: (span, limit, signal, status) =>
      ask(async () =>
        rankNotFound(countsOf((await countDays(span, signal)).days), limit, { isLeftOut, status }),
      ),
    active: (site, now, signal, filter) =>
      ask(async () => {
        const { log } = await readSite(site, signal);
        return countActiveVisitors(log, (now - WINDOW_MS) / 1000, now / 1000, { filter, isLeftOut });
      }),
    warnings: (span, signal) =>
      ask(async () => {
        const { log, ...read } = await readSite(span.site, signal);
        const { registry, settings, logs, notKept, partOf } = read;
        const conditions = (span.filter ?? []).map(({ dimension }) => dimension);
        const days = conditions.length === 0 ? [] : (await readDays(span, signal)).days;
        return [
          ...(notKept ? [NOT_SAVED] : []),
          ...warnOfHistories(logs, partOf),
          ...warnOfLost(listLost(registry.contents.values(), registry.leftOut), span),
          ...warnOfUnread(registry, { site: log.domain, from: span.from, to: span.to }, log.calendar),
          ...coverageWarnings(log, span, { ...settings, files: asked.files, ...describeEnding(log, read) }),
          ...warnOfUnrecorded(days, conditions),
          ...warnOfChanges(logs.options, span.from),
          ...warnOfAdmission(log.domain, logs.admitted, span.from),
          ...warnOfRepeats(registry.contents.values(), log.domain),
        ];
      }),
    eventWarnings: (span, signal) =>
      ask(async () => warnOfStrays(countsOf((await countDays(span, signal)).days))),
    dimensions: async (site, signal) => listRecorded((await readSite(site, signal)).log),
    missingOption: (dimension) => (hasPlaces || !isOfPlace(dimension) ? undefined : PLACES_OPTION),
  };
}

/** Says how many downloads are no events. */
function warnOfStrays(days: readonly { strays?: number | undefined }[]): Warning[] {
  const downloads = days.reduce((sum, { strays = 0 }) => sum + strays, 0);
  if (downloads === 0) return [];
  const [what, them] = downloads === 1 ? ["download is", "it"] : ["downloads are", "them"];
  const detail = `${downloads} more ${what} not counted: who asked for ${them} viewed no page that day.`;
  return [{ code: STRAYS, detail, values: { downloads } }];
}

/** Whether a day may have hits that are left out: downloads are in no table of paths. */
function mayHave({ counts }: QueriedDay, isLeftOut: HitQuestion["isLeftOut"]): boolean {
  if (isLeftOut === undefined || counts === undefined) return false;
  if (counts.totals.events > 0) return true;
  return counts.tables.tallies("pages")?.values.some((page) => page !== null && isLeftOut(page)) ?? false;
}

const NOTHING = { visitors: 0, pageviews: 0, events: 0, visits: 0, bounces: 0, visitSeconds: 0 };

const MISSING = { missing: true } as const;

/** What tells whether a log has ended. */
const describeEnding = (
  log: SiteLog,
  {
    registry,
    collector,
    settings,
    shown,
  }: Pick<ReadResult, "registry" | "collector" | "settings"> & Pick<EndContext, "shown">,
) => ({ hasFiles: registry.hasFiles(), sharing: listSharing(log, collector.sites, settings), shown });

function describeSite({ domain, calendar, first }: SiteLog): SourceSite {
  return {
    id: identifySite(domain),
    domain,
    name: domain,
    timezone: calendar.timezone,
    createdAt: (first ?? 0) * 1000,
    dataSince: first === undefined ? null : calendar.find(first).date,
  };
}

function findDay(log: SiteLog, date: string, now: number): QueriedDay {
  const closed = log.closed.get(date);
  const day = log.open.get(date);
  if (closed !== undefined || day === undefined) return { date, counts: closed };
  // The server's clock may be ahead of ours: lines after `now` are left out.
  const isCut = log.last !== undefined && log.last > now / 1000;
  const until = isCut ? now / 1000 : undefined;
  return { date, counts: countOpenDay(day, until), readOpen: () => tabulateDay(day.load(), { until }) };
}

/** Distinct visitors with a kept hit after `from` and not after `to`, both in seconds since 1970. */
function countActiveVisitors(
  log: SiteLog,
  from: number,
  to: number,
  { filter = [], isLeftOut }: { filter: Filter | undefined; isLeftOut: HitQuestion["isLeftOut"] },
): number {
  const choose = createChoice({ filter, isLeftOut });
  let active = 0;
  for (const inProgress of log.open.values()) {
    const { start, end } = inProgress;
    if (end <= from || start > to) continue;
    // Visitors of two days count as different people, as everywhere.
    const day = inProgress.load();
    active += countActive(choose(tabulateDay(day, { until: to, senders: findActive(day, from) })), from);
  }
  return active;
}

/** The senders of a hit after an instant. */
function findActive({ hits, start }: OpenDay, after: number): Set<number> {
  const active = new Set<number>();
  for (let hit = 0; hit < hits.second.length; hit++) {
    if (start + (hits.second.values[hit] ?? 0) > after) active.add(hits.sender.values[hit] ?? 0);
  }
  return active;
}

const countsOf = (days: readonly QueriedDay[]): DayCounts[] => days.flatMap(({ counts }) => counts ?? []);

/** Throws AnalyticsError if the addresses of all days are a proxy's. */
function assertCountable(log: SiteLog, proxied: readonly string[]): void {
  const others = listCounts(log).filter(({ date }) => !proxied.includes(date));
  if (others.length > listProxied(log, others).length) return;
  throw new AnalyticsError("usage", describeProxy(proxied), {
    hint: "Have the server log the visitor's address (nginx: real_ip_header; Apache: mod_remoteip; Caddy: trusted_proxies). If X-Forwarded-For is in the log, add --trust-forwarded 1. If these are the visitors, add --accept-proxy-addresses.",
  });
}
