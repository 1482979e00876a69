import * as z from "zod";
import { findTimezone } from "../../../config/services.ts";
import { AnalyticsError, quote, quoteIfNeeded } from "../../../errors.ts";
import { readMember } from "../../../member.ts";
import { listDays } from "../../../operations/days.ts";
import { type Dimension, dimensions } from "../../../operations/dimensions.ts";
import type { Filter } from "../../../operations/filter.ts";
import { normalizeSite } from "../../../operations/site-name.ts";
import { NEAR, NEAR_VIEWS, type Warning } from "../../../operations/warning.ts";
import { dateAt } from "../../calendar.ts";
import type { DataSource, DayTotals, SourceSite, Span, VisitTotals } from "../../data-source.ts";
import { describeDates } from "../../data-warnings.ts";
import type { GatewayContext } from "../gateway.ts";
import { rankRows } from "../row-sums.ts";
import { count, createMatomo, createTokenError, describeSpan, rows } from "./matomo-api.ts";
import {
  CAMPAIGNS_PLUGIN,
  describeVisits,
  listColumns,
  REPORTS,
  REPORTS_WITH_CAMPAIGNS,
  readRows,
} from "./reports.ts";
import { canWriteSegment, needsHosts, PAGE_NAMES, writeSegment } from "./segments.ts";
import { findUncounted, hasOtherHosts, type Uncounted } from "./visits-log.ts";

const WINDOW_MINUTES = 5;
/** Seconds for which what hardly ever changes is not asked again. */
const SETTINGS_FRESH = 300;
/** The major versions whose answers are known. */
const KNOWN_VERSIONS = [4, 5];

const siteList = z.array(
  z.object({
    idsite: z.union([z.number(), z.string()]).transform(String),
    name: z.string(),
    main_url: z.string(),
    ts_created: z
      .string()
      .regex(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/)
      .transform((text) => Date.parse(`${text.replace(" ", "T")}Z`))
      .refine((instant) => !Number.isNaN(instant)),
    timezone: z.string(),
  }),
);
type MatomoSite = z.output<typeof siteList>[number];

/** The answer of each day; a day without visits is empty, or 0 in a report of one column. */
const perDay = <T>(day: z.ZodType<T>) =>
  z.record(z.string().regex(/^\d{4}-\d\d-\d\d$/), z.union([day, z.tuple([]).transform(() => undefined)]));
const visitsOfDay = perDay(
  z.union([
    z.object({
      nb_uniq_visitors: count,
      nb_visits: count,
      nb_actions: count,
      bounce_count: count,
      sum_visit_length: count,
    }),
    z.literal(0).transform(() => undefined),
  ]),
);
const viewsOfDay = perDay(
  z.union([count, z.object({ nb_pageviews: count }).transform((day) => day.nb_pageviews)]),
);
const eventsOfDay = perDay(z.array(z.object({ nb_events: count })));
const live = z.tuple([z.object({ visitors: count })]);

/** Opens Matomo's Reporting API as a source. */
export function openMatomo(context: GatewayContext): DataSource {
  const ask = createMatomo(context);

  const listSites = async (signal?: AbortSignal): Promise<MatomoSite[]> => {
    const method = "SitesManager.getSitesWithAtLeastViewAccess";
    const found = await ask(method, {}, { schema: siteList, freshFor: SETTINGS_FRESH }, signal);
    // To whom Matomo does not know, it lists what everybody may view, which is mostly nothing.
    if (found.length === 0) throw createTokenError(context.target);
    return found;
  };
  const readVersion = (signal?: AbortSignal) => {
    const options = { schema: z.object({ value: z.string() }), freshFor: SETTINGS_FRESH };
    return ask("API.getMatomoVersion", {}, options, signal);
  };
  const hasCampaigns = async (signal?: AbortSignal) => {
    const options = { schema: z.object({ value: z.boolean() }), freshFor: SETTINGS_FRESH };
    return (await ask("API.isPluginActivated", { pluginName: CAMPAIGNS_PLUGIN }, options, signal)).value;
  };
  const findReports = async (signal?: AbortSignal) =>
    (await hasCampaigns(signal)) ? REPORTS_WITH_CAMPAIGNS : REPORTS;
  const listHosts = async ({ id }: SourceSite, signal?: AbortSignal) => {
    const options = { schema: z.array(z.string()), freshFor: SETTINGS_FRESH };
    const addresses = await ask("SitesManager.getSiteUrlsFromId", { idSite: id }, options, signal);
    return [...new Set(addresses.flatMap((address) => readHost(address) ?? []))];
  };
  const writeParams = async (
    site: SourceSite,
    filter: Filter | undefined,
    signal: AbortSignal | undefined,
  ): Promise<{ segment?: string }> => {
    if (filter === undefined || filter.length === 0) return {};
    const hosts = needsHosts(filter) ? await listHosts(site, signal) : [];
    return { segment: writeSegment(filter, { hosts, hasCampaigns: await hasCampaigns(signal) }) };
  };

  const readDays = async (span: Span, signal?: AbortSignal): Promise<MatomoDay[]> => {
    const { params, freshFor } = describeSpan(span, "day");
    const asked = { ...params, ...(await writeParams(span.site, span.filter, signal)) };
    const today = dateAt(span.now, span.site.timezone);
    const days = await askDays(span, asked, freshFor, signal);
    if (findDisagreement(days, today) === undefined) return days;
    // Asked again, Matomo mostly agrees with itself. Another form, because the answers to the first are remembered.
    const again = await askDays(span, { ...asked, again: "1" }, 0, signal);
    assertAgreement(again, today);
    return again;
  };
  const askDays = async (
    span: Span,
    asked: Readonly<Record<string, string>>,
    freshFor: number,
    signal: AbortSignal | undefined,
  ): Promise<MatomoDay[]> => {
    const columns = "nb_uniq_visitors,nb_visits,nb_actions,bounce_count,sum_visit_length";
    const [visits, views, events] = await Promise.all([
      ask("VisitsSummary.get", { ...asked, columns }, { schema: visitsOfDay, freshFor }, signal),
      ask("Actions.get", { ...asked, columns: "nb_pageviews" }, { schema: viewsOfDay, freshFor }, signal),
      ask(
        "Events.getCategory",
        { ...asked, showColumns: "label,nb_events" },
        { schema: eventsOfDay, freshFor },
        signal,
      ),
    ]);
    return listDays(span.from, span.to).map((date) => {
      const day = readMember(visits, date);
      return {
        date,
        visitors: day?.nb_uniq_visitors ?? 0,
        pageviews: readMember(views, date) ?? 0,
        events: (readMember(events, date) ?? []).reduce((sum, { nb_events }) => sum + nb_events, 0),
        ...describeVisits(day?.nb_visits ?? 0, day?.bounce_count ?? 0, day?.sum_visit_length ?? 0),
        actions: day?.nb_actions ?? 0,
      };
    });
  };

  /** The days, and those of which Matomo's reports have nothing although its log has visits. */
  const readChecked = async (span: Span, signal?: AbortSignal) => {
    const days = await readDays(span, signal);
    const { segment } = await writeParams(span.site, span.filter, signal);
    const uncounted = await findUncounted(ask, span, segment, days, signal);
    if (segment !== undefined && days.every(({ visits }) => visits === 0)) assertZero(uncounted);
    return { days, uncounted };
  };

  const readRanking = async (span: Span, dimension: Dimension, signal?: AbortSignal) => {
    const { params, freshFor } = describeSpan(span, "range");
    const asked = { ...params, ...(await writeParams(span.site, span.filter, signal)) };
    const reports = (await findReports(signal))[dimension] ?? [];
    const answers = await Promise.all(
      reports.map(async (report) => {
        const form = { ...asked, ...report.params, showColumns: listColumns(report) };
        return { report, rows: await ask(report.method, form, { schema: rows, freshFor }, signal) };
      }),
    );
    return readRows(dimension, answers);
  };

  return {
    daysKept: 36_500,
    // Its channels and referrers have names of their own.
    filters: "any-values",
    answersFilter: (_, filter) => canWriteSegment(filter),
    sites: async (signal) => {
      const sites = (await listSites(signal)).flatMap((site) => describeSite(site) ?? []);
      return sites.sort((a, b) => (a.domain < b.domain ? -1 : 1));
    },
    unlisted: async (signal) =>
      (await listSites(signal))
        .filter(({ timezone }) => readTimezone(timezone) === undefined)
        .map((site) => ({ domain: readDomain(site), reason: createZoneError(site) })),
    site: async (name, signal) => findSite(await listSites(signal), name),
    days: async (span, signal) => {
      const { days, uncounted } = await readChecked(span, signal);
      return days.map(({ actions: _, ...day }) => ({
        ...day,
        ...(uncounted.dates.includes(day.date) && { missing: true as const }),
      }));
    },
    breakdown: async (span, dimension, limit, signal) => {
      const isOfPages = PAGE_NAMES[dimension] !== undefined;
      const [found, { days }, hasPlugin, isOnSeveralHosts] = await Promise.all([
        readRanking(span, dimension, signal),
        readChecked(span, signal),
        hasCampaigns(signal),
        isOfPages && hasOtherHosts(ask, span, await listHosts(span.site, signal), signal),
      ]);
      const sum = (name: "visitors" | "actions" | "pageviews") =>
        days.reduce((total, day) => total + day[name], 0);
      const visitors = sum("visitors");
      const isBounded = isOfPages && found.some((row) => !row.other && row.visitors > visitors);
      const rows = found.map((row) =>
        row.other || isOfPages ? { ...row, visitors: Math.min(row.visitors, visitors) } : row,
      );
      return {
        ...rankRows(rows, limit),
        warnings: [
          ...warnOfMeaning(dimension, { hasPlugin, actions: sum("actions"), views: sum("pageviews") }),
          ...(found.some(({ other }) => other) ? [warnOfOthers(dimension)] : []),
          ...(isOnSeveralHosts || isBounded ? [SEVERAL_HOSTS] : []),
        ],
      };
    },
    active: async (site, _, signal, filter) => {
      const params = {
        idSite: site.id,
        lastMinutes: `${WINDOW_MINUTES}`,
        ...(await writeParams(site, filter, signal)),
      };
      const [{ visitors }] = await ask("Live.getCounters", params, { schema: live }, signal);
      return visitors;
    },
    dimensions: async (_, signal) => {
      const reports = await findReports(signal);
      return dimensions.filter((dimension) => reports[dimension] !== undefined);
    },
    warnings: async (span, signal) => {
      const { site, filter, from, now } = span;
      return [
        ...warnOfVersion((await readVersion(signal)).value),
        ...(filter && needsHosts(filter) ? [warnOfHosts(filter, await listHosts(site, signal))] : []),
        // Today alone is also the span of who is there now, whom no report counts.
        ...(filter || from < dateAt(now, site.timezone)
          ? warnOfUncounted((await readChecked(span, signal)).uncounted)
          : []),
      ];
    },
  };
}

type MatomoDay = DayTotals & VisitTotals & { actions: number };

/**
 * Matomo counts its reports apart. Those of a day that is over must agree, but while another request has Matomo count the
 * day, one may have nothing.
 */
const findDisagreement = (days: readonly MatomoDay[], today: string): MatomoDay | undefined =>
  days.find(({ date, pageviews, events, actions }) => date < today && pageviews + events > actions);

/** Throws AnalyticsError `unavailable`. */
function assertAgreement(days: readonly MatomoDay[], today: string): void {
  const wrong = findDisagreement(days, today);
  if (wrong === undefined) return;
  const { date, pageviews, events, actions } = wrong;
  throw new AnalyticsError(
    "unavailable",
    `Matomo contradicts itself about ${date}: it has ${pageviews} page views and ${events} events, but only ${actions} actions.`,
    {
      hint: "Nothing was shown, because the numbers could be wrong. Try again in a few minutes. If it happens again, have Matomo count the day again: ./console core:invalidate-report-data, with the site and the date.",
    },
  );
}

/** Throws AnalyticsError `unavailable` unless Matomo's log confirms that a filter keeps no visits. */
function assertZero({ dates, isUnknown }: Uncounted): void {
  if (dates.length === 0 && !isUnknown) return;
  const reason = isUnknown
    ? "its log of visits, which could confirm that, is closed"
    : "its log has visits that the filter keeps: it has not counted its reports with this filter";
  throw new AnalyticsError("unavailable", `Matomo answers 0 for this filter, but ${reason}.`, {
    hint: "Nothing was shown, because the numbers could be wrong. Have Matomo's administrator allow archiving on request (browser_archiving_disabled_enforce = 0), or ask without a filter.",
  });
}

/** Says that zeros are no counts. */
function warnOfUncounted({ dates }: Uncounted): Warning[] {
  if (dates.length === 0) return [];
  const detail = `Matomo has not counted ${dates.join(", ")}, though its log has visits then: numbers are missing, not zero. Its administrator can run ./console core:archive.`;
  return [{ code: "gap", detail, values: describeDates(dates) }];
}

/** Undefined if Matomo counts its days in a zone without a name, such as `UTC+5.5`. */
function describeSite({ idsite, name, main_url, ts_created, timezone }: MatomoSite): SourceSite | undefined {
  const zone = readTimezone(timezone);
  if (zone === undefined) return undefined;
  return {
    id: idsite,
    domain: readDomain({ idsite, name, main_url }),
    name,
    timezone: zone,
    createdAt: ts_created,
    // Matomo moves it back to the first visit if logs are imported.
    dataSince: dateAt(ts_created, zone),
  };
}

/** Throws AnalyticsError `usage` if the name stands for several sites, or the site's days have no known timezone. */
function findSite(sites: readonly MatomoSite[], wanted: string): SourceSite | undefined {
  const named = sites.filter((site) => site.idsite === wanted || readDomain(site) === wanted);
  const site = named.find(({ idsite }) => idsite === wanted) ?? named[0];
  if (site === undefined) return undefined;
  if (named.length > 1 && site.idsite !== wanted) {
    const ids = named.map(({ idsite }) => idsite).join(", ");
    throw new AnalyticsError("usage", `Matomo has ${named.length} sites at ${quoteIfNeeded(wanted)}.`, {
      hint: `Name the one that you mean by its id: ${ids}.`,
    });
  }
  const described = describeSite(site);
  if (described !== undefined) return described;
  throw createZoneError(site);
}

const createZoneError = (site: MatomoSite) =>
  new AnalyticsError(
    "usage",
    `Matomo counts the days of ${quoteIfNeeded(readDomain(site))} in ${quote(site.timezone, { maxLength: 40 })}, which is no timezone with a name.`,
    { hint: "Choose a city as the site's timezone in Matomo: Administration, Websites, Manage." },
  );

/** An application may have no address. */
const readDomain = ({ idsite, name, main_url }: Pick<MatomoSite, "idsite" | "name" | "main_url">): string =>
  normalizeSite(readHost(main_url) ?? name) || `site-${idsite}`;

const readHost = (address: string) =>
  URL.canParse(address) ? new URL(address).host || undefined : undefined;

/** Matomo also has `UTC+2`; the names in `Etc` have the opposite sign. */
function readTimezone(name: string): string | undefined {
  const [, sign, hours] = /^UTC([+-])(\d{1,2})$/.exec(name) ?? [];
  return findTimezone(sign === undefined ? name : `Etc/GMT${sign === "+" ? "-" : "+"}${Number(hours)}`);
}

/** Says what in these rows means something else than in the contract. */
function warnOfMeaning(
  dimension: Dimension,
  { hasPlugin, actions, views }: { hasPlugin: boolean; actions: number; views: number },
): Warning[] {
  const meaning = dimension === "utm_campaigns" && hasPlugin ? LOWER_CASE : MEANINGS[dimension];
  return [
    ...warnOfViews(dimension, actions, views),
    ...(meaning === undefined ? [] : [{ code: NEAR, detail: meaning }]),
  ];
}

/** Nothing if the rows have page views of their own, or if there were no actions but page views. */
function warnOfViews(dimension: Dimension, actions: number, views: number): Warning[] {
  if (dimension === "pages" || dimension === "events") return [];
  const others = actions - views;
  if (dimension !== "exit_pages" && others <= 0) return [];
  const detail =
    dimension === "exit_pages"
      ? "The page views of these rows are all of the page, not only those of visits that ended there."
      : `The page views of these rows are Matomo's actions: of all ${actions}, ${others} are events, downloads, outlinks and searches.`;
  return [{ code: NEAR_VIEWS, detail }];
}

const LOWER_CASE = "Matomo keeps campaign parameters in lower case.";

const MEANINGS: Partial<Record<Dimension, string>> = {
  utm_sources: LOWER_CASE,
  utm_mediums: LOWER_CASE,
  utm_terms: LOWER_CASE,
  utm_contents: LOWER_CASE,
  channels:
    "Channels are Matomo's own: all visits with campaign parameters, paid or not, are Campaigns, and visits from video sites and mail are among the other ones.",
  referrers:
    "Search engines and social networks have one name for all of their hosts, and visits with campaign parameters are in no row.",
  utm_campaigns:
    "Matomo names a campaign by utm_source or utm_medium if there is no utm_campaign, counts other parameters such as mtm_campaign, and keeps all in lower case.",
};

const warnOfOthers = (dimension: Dimension): Warning => {
  const names = dimension.replaceAll("_", " ");
  return {
    code: "folded",
    detail: `Matomo keeps only the first ${names} of each day. The rest is in one row, (other), with at most that many visitors, so the other rows may lack some of their days.`,
  };
};

const SEVERAL_HOSTS: Warning = {
  code: NEAR,
  detail:
    "Pages of this site are on several hosts. Matomo adds up the visitors of a path on each: somebody who viewed it on two of them on one day counts twice in its row.",
};

function warnOfHosts(filter: Filter, hosts: readonly string[]): Warning {
  const isPattern = filter.some(
    ({ dimension, alternatives }) =>
      PAGE_NAMES[dimension] !== undefined && alternatives.some((parts) => (parts?.length ?? 0) > 1),
  );
  const detail = `Matomo finds pages by their whole address: the filter looks at ${hosts.map(quoteIfNeeded).join(", ")} alone, the hosts that Matomo has for this site${isPattern ? ", and ignores upper and lower case before *" : ""}.`;
  return { code: NEAR, detail };
}

function warnOfVersion(version: string): Warning[] {
  if (KNOWN_VERSIONS.includes(Number.parseInt(version, 10))) return [];
  const known = KNOWN_VERSIONS.join(" and ");
  return [
    {
      code: NEAR,
      detail: `This is Matomo ${version.slice(0, 20)}. Its numbers are read as those of versions ${known}, and may mean something else.`,
    },
  ];
}
