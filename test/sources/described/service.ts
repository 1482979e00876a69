import { createHash } from "node:crypto";
import type { Fetch } from "../../../src/client/http-request.ts";
import { addDays, type Days } from "../../../src/operations/days.ts";
import { createWriter, type Json, type JsonObject, type Point, type WireRow } from "./bodies.ts";
import { buildDescription } from "./description.ts";
import { createDraw } from "./draw.ts";
import { spellNames } from "./names.ts";
import {
  ALL_DIMENSIONS,
  DAYS_OF_THREE,
  dimensionNames,
  MAX_DAYS,
  MAX_LIMIT,
  parametersOf,
  SITES_PATH,
} from "./parameters.ts";
import { drawShape, type Settings, type Shape, type UsedDimension } from "./shape.ts";
import type { Totals, TrueSite, Truth } from "./truth.ts";

/** A site, as the service knows it. */
export interface ServedSite {
  site: TrueSite;
  id: Json;
  /** How a person who saw the list of sites names it. */
  name: string;
}

/** A made-up service that keeps SPEC.md, with what is true of it. */
export interface Service {
  shape: Shape;
  baseUrl: string;
  apiKey: string;
  fetch: Fetch;
  truth: Truth;
  /** The paths and queries that were asked for. */
  asked: string[];
  sites: ServedSite[];
  /** The site to ask about. */
  site: ServedSite;
  /** The service's own numbers, whatever their form. */
  days(count: number): Promise<Point[]>;
  totals(days: number): Promise<Totals>;
  rows(dimension: UsedDimension, days: number): Promise<WireRow[]>;
  active(): Promise<number>;
  /** A sentence that a person wrote about a wrong key. */
  keySentence: string;
}

const QUIET_DAYS_AGO = [3, 4, 12];
const PAGE_SIZE = 2;

/** Creates the service of a seed. Its numbers are those of the reference API, unless the shape has quiet days or other visitors. */
export async function createService(truth: Truth, seed: string, settings: Settings = {}): Promise<Service> {
  const shape = drawShape(seed, settings);
  const draw = createDraw(`${seed} sites`);
  const sites = (await truth.sites()).map((site, index): ServedSite => {
    const id = createId(site, index, shape);
    return { site, id, name: shape.sites.hasDomain ? site.domain : site.name };
  });
  const asked: string[] = [];
  const service: Service = {
    shape,
    baseUrl: `https://${createHash("sha256").update(seed).digest("hex").slice(0, 12)}.example/api/v1`,
    apiKey: `key-of-${seed}`,
    fetch: async () => notYet(),
    truth,
    asked,
    sites,
    site: draw.pick(sites),
    days: (count) => readDays(service, service.site.site, count),
    totals: (days) => readTotals(service, service.site.site, days),
    rows: (dimension, days) => readRows(service, service.site.site, dimension, days),
    active: () => truth.active(service.site.site),
    keySentence: "Your API key was revoked by the owner of the account.",
  };
  service.fetch = createFetch(service);
  return service;
}

function notYet(): never {
  throw new TypeError("The service is not complete yet.");
}

function createId({ id }: TrueSite, index: number, { sites, seed }: Shape): Json {
  const hash = createHash("sha256").update(`${seed} ${id}`).digest("hex");
  const number = 12 + index * 7;
  switch (sites.ids) {
    case "number":
      return number;
    case "digits":
      return String(number);
    case "uuid":
      return hash.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*/, "$1-$2-4$3-a$4-$5");
    default:
      return id;
  }
}

/** The last day that a service counts. */
export const lastDayOf = ({ truth, shape }: Service, site: TrueSite): string =>
  shape.lastDay === "today" ? truth.today(site) : addDays(truth.today(site), -1);

/** The last days that a service counts, oldest first. */
const spanOf = (service: Service, site: TrueSite, count: number): Days => {
  const to = lastDayOf(service, site);
  return { from: addDays(to, 1 - count), to };
};

async function readDays(service: Service, site: TrueSite, count: number): Promise<Point[]> {
  const { truth, shape } = service;
  const { from, to } = spanOf(service, site, count);
  const days = (await truth.days(site)).filter(({ date }) => date >= from && date <= to);
  if (!shape.isQuiet) return days;
  const quiet = QUIET_DAYS_AGO.map((ago) => addDays(truth.today(site), -ago));
  return days.map((day) => (quiet.includes(day.date) ? { ...day, visitors: 0, pageviews: 0 } : day));
}

async function readTotals(service: Service, site: TrueSite, days: number): Promise<Totals> {
  const points = await readDays(service, site, days);
  const { events } = await service.truth.totals(site, spanOf(service, site, days));
  const sum = (name: "visitors" | "pageviews") => points.reduce((total, point) => total + point[name], 0);
  const most = Math.max(...points.map(({ visitors }) => visitors));
  const isUnique = service.shape.visitors === "period" && days > 1;
  const visitors = isUnique ? most + Math.floor((sum("visitors") - most) * 0.6) : sum("visitors");
  return { visitors, pageviews: sum("pageviews"), events };
}

async function readRows(
  service: Service,
  site: TrueSite,
  dimension: UsedDimension,
  days: number,
): Promise<WireRow[]> {
  const rows = await service.truth.rows(site, dimension, spanOf(service, site, days));
  const isUnique = service.shape.visitors === "period" && days > 1;
  return rows.map(({ value, label, visitors, pageviews }) => ({
    value,
    label,
    visitors: isUnique ? Math.ceil(visitors * 0.6) : visitors,
    pageviews,
  }));
}

class Refusal extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

function createFetch(service: Service): Fetch {
  const { shape, truth, baseUrl } = service;
  const say = spellNames(shape);
  const writer = createWriter(shape, say, truth.now);
  const base = new URL(baseUrl);

  const aboutOf = ({ site, id }: ServedSite, points: readonly Point[]) => ({
    site,
    id,
    from: points[0]?.date ?? "",
    to: points.at(-1)?.date ?? "",
  });

  const answer = async (path: string, query: URLSearchParams): Promise<{ body: Json; link?: string }> => {
    const known = parametersOf(shape)[path];
    if (known === undefined) throw new Refusal(404, "There is nothing at this address.");
    const strange = [...query.keys()].find((name) => !known.includes(name));
    if (shape.isStrict && strange !== undefined) throw new Refusal(400, `Unknown parameter: ${strange}.`);
    if (path === "/openapi.json") {
      if (shape.description === "none") throw new Refusal(404, "There is nothing at this address.");
      return { body: await describe() };
    }
    if (path === SITES_PATH) return answerSites(query);
    const served = findSite(service, query.get("site"));
    switch (path) {
      case "/stats": {
        const days = readDaysParam(query, shape);
        const points = await readDays(service, served.site, days);
        const totals = await readTotals(service, served.site, days);
        return { body: writer.stats(totals, aboutOf(served, points)) };
      }
      case "/timeseries": {
        const points = await readDays(service, served.site, readDaysParam(query, shape));
        const shown = shape.series.omits ? points.filter(({ pageviews }) => pageviews > 0) : points;
        return { body: writer.series(shown, aboutOf(served, points)) };
      }
      case "/breakdown": {
        const dimension = readDimension(query.get("dimension"), shape);
        const days =
          shape.breakdownDays === "none" ? shape.defaultDays : readDaysParam(query, shape, shape.defaultDays);
        const limit = readNumber(query, "limit", 10, MAX_LIMIT);
        const rows = await readRows(service, served.site, dimension, days);
        const { visitors } = await readTotals(service, served.site, days);
        const points = await readDays(service, served.site, days);
        return {
          body: writer.rows(
            rows.slice(0, limit),
            dimension,
            visitors,
            { limit, total: rows.length },
            aboutOf(served, points),
          ),
        };
      }
      default: {
        const points = await readDays(service, served.site, 1);
        return { body: writer.realtime(await truth.active(served.site), aboutOf(served, points)) };
      }
    }
  };

  const answerSites = (query: URLSearchParams): { body: Json; link?: string } => {
    const { pages } = shape.sites;
    if (pages === "all") return { body: writer.sites(service.sites, {}) };
    const page = Number(query.get("page") ?? query.get("cursor")?.slice(1) ?? 1);
    const list = service.sites.slice((page - 1) * PAGE_SIZE, page * PAGE_SIZE);
    const isLast = page * PAGE_SIZE >= service.sites.length;
    const address = `${baseUrl}/sites?page=${page + 1}`;
    const total = Math.ceil(service.sites.length / PAGE_SIZE);
    const extras: Record<typeof pages, JsonObject> = {
      next: { [say("next")]: isLast ? null : address },
      link: {},
      cursor: { [say("next cursor")]: isLast ? null : `c${page + 1}` },
      page: { [say("page")]: page, [say("total pages")]: total, [say("total")]: service.sites.length },
    };
    const link = pages === "link" && !isLast ? { link: `<${address}>; rel="next"` } : {};
    return { body: writer.sites(list, extras[pages]), ...link };
  };

  const describe = async () => {
    const examples: Record<string, Json> = {};
    const site = { site: `${siteValue(service.site, shape)}` };
    const days = { days: "7" };
    const queries: Record<string, Record<string, string>> = {
      [SITES_PATH]: {},
      "/stats": { ...site, ...days },
      "/timeseries": { ...site, ...days },
      "/breakdown": { ...site, dimension: dimensionNames(shape)[0] ?? "pages" },
      "/realtime": site,
    };
    for (const [path, query] of Object.entries(queries)) {
      examples[path] = (await answer(path, new URLSearchParams(query))).body;
    }
    return buildDescription(shape, say, writer.meanings, examples);
  };

  return async (url, { headers, signal }) => {
    signal.throwIfAborted();
    const { pathname, searchParams, origin } = new URL(url);
    if (origin !== base.origin) throw new TypeError("fetch failed");
    const path = pathname.slice(base.pathname.length);
    service.asked.push(`${path}?${searchParams}`);
    try {
      if (headers.Authorization !== `Bearer ${service.apiKey}`)
        throw new Refusal(shape.keyStatus, service.keySentence);
      const { body, link } = await answer(path, searchParams);
      return send(200, body, link);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return send(error.status, writeError(shape, error));
    }
  };
}

function send(status: number, body: Json, link?: string) {
  const fields: Record<string, string> = {
    "content-type": "application/json; charset=utf-8",
    ...(link !== undefined && { link }),
  };
  return {
    status,
    headers: { get: (name: string) => fields[name.toLowerCase()] ?? null },
    body: [new TextEncoder().encode(JSON.stringify(body))],
  };
}

function writeError({ errors }: Shape, { status, message }: Refusal): Json {
  switch (errors) {
    case "text":
      return { error: message };
    case "object":
      return { status: "error", error: { code: status, message } };
    case "message":
      return { statusCode: status, message };
    case "problem":
      return { type: "about:blank", title: "Request refused", status, detail: message };
    case "list":
      return { success: false, errors: [{ code: 1000 + status, message }], result: null };
    case "reason":
      return { ok: false, reason: message };
    default:
      return { data: null, meta: { error: { message, type: "request" } } };
  }
}

/** What the service takes as `site`. */
export const siteValue = ({ site, id }: ServedSite, { siteParam, sites }: Shape): string =>
  siteParam === "domain" || sites.form === "names" ? site.domain : String(id);

function findSite({ sites, shape }: Service, text: string | null): ServedSite {
  if (text === null) throw new Refusal(400, "The parameter site is required.");
  const takesId = shape.siteParam !== "domain";
  const takesDomain = shape.siteParam !== "id";
  const found = sites.find(
    ({ site, id }) => (takesId && String(id) === text) || (takesDomain && site.domain === text),
  );
  if (found === undefined) throw new Refusal(404, "No website of your account has this name.");
  return found;
}

function readNumber(query: URLSearchParams, name: string, fallback: number, most: number): number {
  const number = Number(query.get(name) ?? fallback);
  if (!Number.isInteger(number) || number < 1 || number > most) {
    throw new Refusal(400, `The parameter ${name} must be a whole number from 1 to ${most}.`);
  }
  return number;
}

function readDaysParam(query: URLSearchParams, { days }: Shape, fallback = 30): number {
  const count = readNumber(query, "days", fallback, days === "most" ? MAX_DAYS : 365);
  if (days === "three" && !DAYS_OF_THREE.includes(count)) {
    throw new Refusal(400, `The parameter days must be one of ${DAYS_OF_THREE.join(", ")}.`);
  }
  return count;
}

function readDimension(text: string | null, shape: Shape): UsedDimension {
  const dimension = ALL_DIMENSIONS[dimensionNames(shape).indexOf(text ?? "")];
  if (dimension === undefined) throw new Refusal(400, "The parameter dimension is not one of those known.");
  return dimension;
}
