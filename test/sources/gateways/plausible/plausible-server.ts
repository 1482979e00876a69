import type { IncomingMessage, ServerResponse } from "node:http";
import { createNetworkFetch } from "../../../../src/client/network.ts";
import type { SiteTimezones } from "../../../../src/config/services.ts";
import type { DataSource } from "../../../../src/sources/data-source.ts";
import { readFixtures } from "../../../../src/sources/demo/fixtures.ts";
import { openPlausible } from "../../../../src/sources/gateways/plausible/plausible-source.ts";
import { startServer } from "../../../support/faulty-server.ts";
import { LOG_NOW } from "../../../support/logs.ts";
import { listStoredEvents } from "./plausible-events.ts";
import { answerQuery, type PlausibleSite, Refused } from "./plausible-query.ts";

export const KEY = "plausible-key-of-the-tests";

/** What a test does to a request before it is answered; returns whether it has answered it. */
type Spoil = (
  query: Record<string, unknown>,
  respond: (status: number, body: string, type?: string) => void,
  count: number,
) => boolean | Promise<boolean>;

/**
 * The demo's sites, on some days, in a server that speaks Plausible's Stats API. Tests may change its state.
 *
 * @param limits `mostVisitors` a site has on an ordinary day.
 */
export async function startPlausible(
  dates: readonly string[],
  { mostVisitors = Number.POSITIVE_INFINITY } = {},
) {
  const state = {
    sites: readSites(dates, mostVisitors),
    now: LOG_NOW,
    spoil: undefined as Spoil | undefined,
    /** The queries that were asked. */
    asked: [] as Record<string, unknown>[],
  };
  const server = await startServer((request, response) => void answer(request, response));
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<unknown> => {
    const respond = (status: number, body: string, type = "application/json; charset=utf-8") =>
      response.writeHead(status, { "content-type": type }).end(body);
    const say = (status: number, error: string) => respond(status, JSON.stringify({ error }));
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    if (request.method !== "POST" || request.url !== "/api/v2/query")
      return respond(404, "<!DOCTYPE html><h1>Oops! Page not found</h1>", "text/html");
    const query = JSON.parse(Buffer.concat(chunks).toString() || "{}");
    state.asked.push(query);
    if (await state.spoil?.(query, respond, state.asked.length)) return undefined;
    const wrong =
      "Invalid API key or site ID. Please make sure you're using a valid API key with access to the site you've requested.";
    if (request.headers.authorization !== `Bearer ${KEY}`) return say(401, wrong);
    if (query.site_id === undefined)
      return say(400, "Missing site ID. Please provide the required site_id parameter with your request.");
    const site = state.sites.find(({ domain }) => domain === query.site_id);
    if (site === undefined) return say(401, wrong);
    try {
      return respond(200, JSON.stringify(answerQuery(site, query, state.now)));
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      return say(400, error.message);
    }
  };
  const timezones = Object.fromEntries(state.sites.map(({ domain, timezone }) => [domain, timezone]));
  return {
    state,
    origin: server.origin,
    close: server.close,
    open: (options: Partial<SourceOptions> = {}) =>
      openSource(server.origin, { siteTimezones: timezones, clock: () => state.now, ...options }),
  };
}

interface SourceOptions {
  key?: string;
  siteTimezones: SiteTimezones;
  clock: () => number;
  limits?: { deadline?: number };
}

/** Plausible as a source, over real HTTP. */
export async function openSource(
  baseUrl: string,
  { key = KEY, siteTimezones, clock, limits }: SourceOptions,
): Promise<DataSource> {
  return openPlausible({
    target: { baseUrl, apiKey: key, fetch: createNetworkFetch(), proxies: [] },
    siteTimezones,
    clock,
    limits: { deadline: 20_000, attempts: 2, firstBackoff: 1, maxBackoff: 1, ...limits },
    environment: {},
  });
}

function readSites(dates: readonly string[], mostVisitors: number): PlausibleSite[] {
  const fixtures = readFixtures();
  const [organization] = fixtures.organizations;
  return fixtures.sites
    .filter(({ id }) => organization?.sites.includes(id))
    .map((profile) => ({ ...profile, visitors: Math.min(profile.visitors, mostVisitors) }))
    .map((profile) => ({
      domain: profile.domain,
      timezone: profile.timezone,
      events: listStoredEvents(fixtures, profile, { dates, now: LOG_NOW }),
      goals: Object.fromEntries(Object.keys(profile.events).map((event) => [event, { event }])),
    }));
}
