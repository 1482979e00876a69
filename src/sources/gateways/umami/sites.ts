import type * as z from "zod";
import { AnalyticsError, createParameterError, quote } from "../../../errors.ts";
import { compareValues } from "../../../operations/row-order.ts";
import { normalizeSite } from "../../../operations/site-name.ts";
import { dateAt } from "../../calendar.ts";
import type { SourceSite, UnlistedSite } from "../../data-source.ts";
import type { GatewayContext } from "../gateway.ts";
import { createTimezonesError, findSiteTimezone, lookUpTimezone } from "../site-timezones.ts";
import { dateRange, teams, type Website, websites } from "./answers.ts";
import type { UmamiApi } from "./api.ts";

/** A website of Umami. */
export interface UmamiSite extends SourceSite {
  createdAt: number;
  /** When all of its data was deleted, if ever. */
  resetAt: string | null;
}

/** Seconds. */
const FRESH = 300;
const PAGE = 100;
/** Of more websites, a list has no first days: each is a request. */
const MAX_DATED = 50;
const MAX_PAGES = 100;

type Page = z.ZodType<{ data: { id: string }[]; count: number }>;

/** Finds websites: those of the key's user, and those of the user's teams. */
export function createUmamiSites(
  api: UmamiApi,
  { siteTimezones, target }: Pick<GatewayContext, "siteTimezones" | "target">,
) {
  const umami = { title: "Umami", target };
  /** Asks for all pages of a list. */
  const list = async <T extends { id: string }>(
    path: string,
    schema: z.ZodType<{ data: T[]; count: number }>,
    signal: AbortSignal | undefined,
    query: Record<string, string> = {},
  ): Promise<T[]> => {
    const found = new Map<string, T>();
    for (let page = 1; page <= MAX_PAGES; page++) {
      const asked = { ...query, page: String(page), pageSize: String(PAGE) };
      const { data, count } = await api.ask({ path, query: asked, schema, freshFor: FRESH }, signal);
      for (const each of data) found.set(each.id, each);
      if (data.length === 0 || page * PAGE >= count) return [...found.values()];
    }
    throw new AnalyticsError("bad_answer", `Umami lists more than ${PAGE * MAX_PAGES} entries at ${path}.`);
  };

  const listWebsites = async (signal: AbortSignal | undefined): Promise<Website[]> => {
    const [own, joined] = await Promise.all([
      list("/websites", websites, signal, { includeTeams: "true" }),
      list("/me/teams", teams satisfies Page, signal),
    ]);
    const ofTeams = await Promise.all(
      joined.map(({ id }) => list(`/teams/${id}/websites`, websites, signal)),
    );
    return [...new Map([...own, ...ofTeams.flat()].map((each) => [each.id, each])).values()];
  };

  const hasTimezone = (website: Website) => lookUpTimezone(siteTimezones, nameDomain(website)) !== undefined;

  const describe = ({ id, name, domain, createdAt, resetAt = null }: Website) => {
    const known = nameDomain({ name, domain });
    const timezone = findSiteTimezone(siteTimezones, known, umami);
    return {
      id,
      domain: known,
      name,
      timezone,
      createdAt,
      dataSince: undefined,
      resetAt: resetAt === null ? null : `${resetAt}`,
    };
  };

  const open = async (website: Website, signal: AbortSignal | undefined): Promise<UmamiSite> => {
    const site = describe(website);
    const path = `/websites/${site.id}/daterange`;
    const { startDate } = await api.ask({ path, schema: dateRange, freshFor: FRESH }, signal);
    return { ...site, dataSince: startDate === null ? null : dateAt(startDate, site.timezone) };
  };

  return {
    all: async (signal?: AbortSignal, withDates = false): Promise<UmamiSite[]> => {
      const found = (await listWebsites(signal)).filter(hasTimezone);
      const isDated = withDates && found.length <= MAX_DATED;
      const sites = await Promise.all(found.map((each) => (isDated ? open(each, signal) : describe(each))));
      return sites.sort((a, b) => compareValues(a.domain, b.domain) || a.createdAt - b.createdAt);
    },

    unlisted: async (signal?: AbortSignal): Promise<UnlistedSite[]> => {
      const found = (await listWebsites(signal)).filter((each) => !hasTimezone(each));
      return [...new Set(found.map(nameDomain))]
        .sort(compareValues)
        .map((domain) => ({ domain, reason: createTimezonesError(umami, domain) }));
    },

    /** Throws AnalyticsError `invalid_parameter` for a domain that several websites have. */
    find: async (name: string, signal?: AbortSignal): Promise<UmamiSite | undefined> => {
      const all = await listWebsites(signal);
      const wanted = name.toLowerCase();
      const byId = all.find(({ id }) => id.toLowerCase() === wanted);
      const found = byId === undefined ? all.filter((each) => nameDomain(each) === wanted) : [byId];
      if (found.length > 1) throw createAmbiguousError(found);
      return found[0] && open(found[0], signal);
    },
  };
}

/** People can write anything for a domain, or nothing. */
const nameDomain = ({ name, domain }: Pick<Website, "name" | "domain">) =>
  normalizeSite(domain || name).toLowerCase();

function createAmbiguousError(found: readonly Website[]): AnalyticsError {
  const names = found.map((each) => `${each.id} (${quote(each.name)})`).join(", ");
  const detail = `is the domain of ${found.length} websites in Umami: name one by its id`;
  return createParameterError("site", detail, {
    hint: `They are ${names}.`,
    allowed: found.map(({ id }) => id),
  });
}
