import { createHash } from "node:crypto";
import type { Dimension } from "../../src/operations/dimensions.ts";
import { startOfDay } from "../../src/sources/calendar.ts";
import type { Fixtures, Technology } from "../../src/sources/demo/fixture-types.ts";
import { listVisits, readLoggableFixtures } from "./demo-logs.ts";
import { LOG_NOW } from "./logs.ts";

/*
 * The tables of other services, with the columns that their migrations give them, and the demo's visits as they would write
 * them. Columns that nothing here reads are left out.
 */

/** Something that a visitor did. */
export interface Moment {
  /** `other`: what a service records besides. */
  kind: "view" | "event" | "other";
  /** Seconds since 1970. */
  time: number;
  /** The number of its site. */
  site: number;
  domain: string;
  date: string;
  /** The same on each day that the visitor comes. */
  visitor: string;
  /** Of what the service takes for a visit. */
  visit: string;
  hostname: string;
  path: string;
  /** The name of a custom event; empty for all else. */
  event: string;
  /** Of the request: a URL, empty for none. */
  referrer: string;
  /** The referrer of the visit's first page view. */
  firstReferrer: string;
  channel: string;
  /** Of the page view's address. */
  utm: Readonly<Record<string, string>>;
  /** Of the visit. */
  visitUtm: Readonly<Record<string, string>>;
  country: string;
  region: string;
  city: string;
  language: string;
  device: string;
  browser: string;
  system: string;
}

export interface ServiceTable {
  /** Statements that create the tables. */
  ddl: readonly string[];
  /** The table that is filled. */
  table: string;
  write(moment: Moment): Record<string, unknown>;
  /** The service's own words for what the demo has. */
  words: {
    technology?(technology: Technology, key: string): Partial<Technology>;
    /** Whether a city is an id or a name. */
    hasCityNames: boolean;
    /** Whether `www.` is left out of hosts. */
    hasBareHosts?: boolean;
  };
  /** The id of a site, by its number. */
  idOf(site: number): string;
  /** The dimensions that it does not have. */
  lacks: readonly Dimension[];
}

const hash = (...texts: readonly (string | number)[]) =>
  createHash("sha256").update(texts.join(" ")).digest("hex");
const uuid = (...texts: readonly (string | number)[]) =>
  hash(...texts).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, "$1-$2-$3-$4-$5");
const integer = (...texts: readonly (string | number)[]) =>
  String(BigInt(`0x${hash(...texts).slice(0, 16)}`));
const seconds = (time: number) => new Date(time * 1000).toISOString().slice(0, 19).replace("T", " ");
const hostOf = (url: string) => (url === "" ? "" : new URL(url).hostname.replace(/^www\./, ""));
const capital = (text: string) => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
const rename = (names: Readonly<Record<string, string>>, name: string) => names[name] ?? name;
const utmOf = (utm: Moment["utm"]) =>
  Object.fromEntries(
    ["source", "medium", "campaign", "term", "content"].map((key) => [`utm_${key}`, utm[key] ?? ""]),
  );
const nameUtm = (utm: Moment["utm"]): Record<string, string> =>
  Object.fromEntries(Object.entries(utm).map(([key, value]) => [`utm_${key}`, value]));
const queryOf = (utm: Moment["utm"]) => new URLSearchParams(nameUtm(utm)).toString();

const UTM_COLUMNS = ["source", "medium", "campaign", "term", "content"]
  .map((name) => `utm_${name} String`)
  .join(", ");

export const serviceTables: Readonly<Record<string, ServiceTable>> = {
  plausible: {
    table: "events_v2",
    ddl: [
      `CREATE TABLE events_v2 (timestamp DateTime, name LowCardinality(String), site_id UInt64, user_id UInt64,
         session_id UInt64, hostname String, pathname String, referrer String, referrer_source String,
         country_code FixedString(2), screen_size LowCardinality(String), operating_system LowCardinality(String),
         browser LowCardinality(String), ${UTM_COLUMNS}, subdivision1_code LowCardinality(String),
         city_geoname_id UInt32, \`meta.key\` Array(String), \`meta.value\` Array(String),
         acquisition_channel LowCardinality(String) MATERIALIZED referrer_source)
       ENGINE = MergeTree PARTITION BY toYYYYMM(timestamp)
       ORDER BY (site_id, toDate(timestamp), name, user_id, timestamp)`,
      `CREATE TABLE sessions_v2 (session_id UInt64, sign Int8, site_id UInt64, user_id UInt64, hostname String,
         timestamp DateTime, start DateTime, is_bounce UInt8, entry_page String, exit_page String, pageviews Int32,
         events Int32, duration UInt32)
       ENGINE = VersionedCollapsingMergeTree(sign, events) ORDER BY (site_id, toDate(start), user_id, session_id)`,
    ],
    idOf: String,
    words: {
      technology: ({ browser, operating_system }) => ({
        browser: rename({ Edge: "Microsoft Edge", "Samsung Internet": "Samsung Browser" }, browser),
        operating_system: rename({ macOS: "Mac", Linux: "GNU/Linux" }, operating_system),
      }),
      hasCityNames: false,
      hasBareHosts: true,
    },
    lacks: ["languages"],
    write: (moment) => ({
      timestamp: seconds(moment.time),
      name: { view: "pageview", event: moment.event, other: "engagement" }[moment.kind],
      site_id: moment.site,
      // The service forgets its visitors every day.
      user_id: integer(moment.domain, moment.date, moment.visitor),
      session_id: integer(moment.visit),
      hostname: moment.hostname,
      pathname: moment.path,
      // These are of the visit, in each of its rows.
      referrer: moment.firstReferrer.replace(/^https?:\/\/(?:www\.)?|\/$/g, ""),
      referrer_source: moment.channel,
      ...utmOf(moment.visitUtm),
      country_code: moment.country,
      subdivision1_code: moment.region,
      city_geoname_id: Number(moment.city),
      screen_size: capital(moment.device),
      operating_system: moment.system,
      browser: moment.browser,
    }),
  },
  umami: {
    table: "website_event",
    ddl: [
      `CREATE TABLE website_event (website_id UUID, session_id UUID, visit_id UUID, event_id UUID,
         hostname LowCardinality(String), browser LowCardinality(String), os LowCardinality(String),
         device LowCardinality(String), screen LowCardinality(String), language LowCardinality(String),
         country LowCardinality(String), region LowCardinality(String), city String, url_path String, url_query String,
         ${UTM_COLUMNS}, referrer_path String, referrer_query String, referrer_domain String, page_title String,
         event_type UInt32, event_name String, tag String, distinct_id String, created_at DateTime('UTC'))
       ENGINE = MergeTree PARTITION BY toYYYYMM(created_at)
       ORDER BY (toStartOfHour(created_at), website_id, session_id, visit_id, created_at)`,
    ],
    idOf: (site) => uuid("website", site),
    words: {
      technology: ({ browser, operating_system, device }, key) => ({
        browser: /iphone|ipad/.test(key)
          ? rename({ Safari: "ios", Chrome: "crios" }, browser)
          : rename({ Edge: "edge-chromium", "Samsung Internet": "samsung" }, browser).toLowerCase(),
        operating_system: rename(
          { Windows: "Windows 10", macOS: "Mac OS", Android: "Android OS" },
          operating_system,
        ),
        device,
      }),
      hasCityNames: true,
    },
    lacks: ["channels"],
    write: (moment) => ({
      website_id: uuid("website", moment.site),
      // The service knows its visitors for a month.
      session_id: uuid(moment.domain, moment.visitor),
      visit_id: uuid(moment.visit),
      event_id: uuid("event", moment.time, moment.visitor, moment.path),
      hostname: moment.hostname,
      browser: moment.browser,
      os: moment.system,
      // A screen up to 1,920 pixels wide.
      device: moment.device === "desktop" && moment.time % 2 === 0 ? "laptop" : moment.device,
      language: moment.language,
      country: moment.country,
      region: moment.region,
      city: moment.city,
      url_path: moment.path,
      url_query: queryOf(moment.utm),
      ...utmOf(moment.utm),
      referrer_domain: hostOf(moment.referrer),
      event_type: { view: 1, event: 2, other: 5 }[moment.kind],
      event_name: moment.event,
      created_at: seconds(moment.time),
    }),
  },
  rybbit: {
    table: "events",
    ddl: [
      `CREATE TABLE events (site_id UInt16, timestamp DateTime, session_id String, user_id String, hostname String,
         pathname String, querystring String, url_parameters Map(String, String), page_title String, referrer String,
         channel String, browser LowCardinality(String), browser_version LowCardinality(String),
         operating_system LowCardinality(String), language LowCardinality(String),
         country LowCardinality(FixedString(2)), region LowCardinality(String), city String, lat Float64, lon Float64,
         device_type LowCardinality(String), type LowCardinality(String) DEFAULT 'pageview', event_name String,
         props JSON, lcp Nullable(Float64))
       ENGINE = MergeTree PARTITION BY toYYYYMM(timestamp) ORDER BY (site_id, timestamp)`,
    ],
    idOf: String,
    words: {
      technology: ({ browser, operating_system }, key) => ({
        browser: key === "safari-iphone" || key === "safari-ipad" ? "Mobile Safari" : browser,
        operating_system,
      }),
      hasCityNames: true,
    },
    lacks: [],
    write: (moment) => ({
      site_id: moment.site,
      timestamp: seconds(moment.time),
      user_id: hash(moment.domain, moment.visitor).slice(0, 16),
      session_id: hash(moment.visit),
      hostname: moment.hostname,
      pathname: moment.path,
      querystring: queryOf(moment.utm) && `?${queryOf(moment.utm)}`,
      url_parameters: Object.fromEntries(new URLSearchParams(queryOf(moment.utm))),
      referrer: hostOf(moment.referrer) === hostOf(`https://${moment.hostname}`) ? "" : moment.referrer,
      channel: moment.channel,
      browser: moment.browser,
      operating_system: moment.system,
      language: moment.language,
      country: moment.country,
      region: moment.region,
      city: moment.city,
      device_type: capital(moment.device),
      type: { view: "pageview", event: "custom_event", other: "error" }[moment.kind],
      event_name: moment.kind === "other" ? "TypeError" : moment.event,
    }),
  },
  posthog: {
    table: "events",
    ddl: [
      `CREATE TABLE events (uuid UUID, event String, properties String, timestamp DateTime64(6, 'UTC'), team_id Int64,
         distinct_id String, elements_chain String, created_at DateTime64(6, 'UTC'), person_id UUID,
         person_properties String, _timestamp DateTime, _offset UInt64)
       ENGINE = ReplacingMergeTree(_timestamp) PARTITION BY toYYYYMM(timestamp)
       ORDER BY (team_id, toDate(timestamp), event, cityHash64(distinct_id), cityHash64(uuid))`,
    ],
    idOf: String,
    words: {
      technology: ({ browser, operating_system }, key) => ({
        browser: /iphone|ipad/.test(key)
          ? rename({ Safari: "Mobile Safari", Chrome: "Chrome iOS" }, browser)
          : rename({ Edge: "Microsoft Edge" }, browser),
        operating_system: rename({ macOS: "Mac OS X" }, operating_system),
      }),
      hasCityNames: true,
    },
    lacks: ["channels"],
    write: (moment) => ({
      uuid: uuid("event", moment.domain, moment.time, moment.visitor, moment.path, moment.kind),
      event: { view: "$pageview", event: moment.event, other: "$pageleave" }[moment.kind],
      timestamp: `${seconds(moment.time)}.250000`,
      team_id: moment.site,
      distinct_id: moment.visitor,
      person_id: uuid(moment.domain, moment.visitor),
      properties: JSON.stringify({
        $session_id: uuid(moment.visit),
        $pathname: moment.path,
        $host: moment.hostname,
        $referring_domain: moment.referrer === "" ? "$direct" : new URL(moment.referrer).hostname,
        ...(moment.country && { $geoip_country_code: moment.country }),
        ...(moment.region && { $geoip_subdivision_1_code: moment.region.split("-")[1] }),
        ...(moment.city && { $geoip_city_name: moment.city }),
        $browser_language: moment.language,
        $device_type: capital(moment.device),
        $browser: moment.browser,
        $os: moment.system,
        ...nameUtm(moment.utm),
      }),
    }),
  },
  otel: {
    table: "otel_traces",
    ddl: [
      `CREATE TABLE otel_traces (Timestamp DateTime64(9), TraceId String, SpanId String,
         SpanName LowCardinality(String), SpanKind LowCardinality(String), ServiceName LowCardinality(String),
         ResourceAttributes Map(LowCardinality(String), String), SpanAttributes Map(LowCardinality(String), String),
         Duration UInt64, StatusCode LowCardinality(String))
       ENGINE = MergeTree PARTITION BY toDate(Timestamp) ORDER BY (ServiceName, SpanName, toDateTime(Timestamp))`,
    ],
    idOf: (site) => `web-${site}`,
    words: { hasCityNames: false },
    lacks: [
      "channels",
      "countries",
      "regions",
      "cities",
      "devices",
      "browsers",
      "operating_systems",
      "events",
    ],
    write: (moment) => {
      const query = queryOf(moment.utm);
      // The names of attributes until 2023, and those since then.
      const isOld = moment.time % 3 === 0;
      const target = encodeURI(moment.path);
      const request = isOld
        ? {
            "http.method": "GET",
            "http.target": query === "" ? target : `${target}?${query}`,
            "http.status_code": "200",
            "http.user_agent": AGENT,
            "http.client_ip": moment.visitor,
            "net.host.name": moment.hostname,
          }
        : {
            "http.request.method": "GET",
            "url.path": target,
            "url.query": query,
            "http.response.status_code": "200",
            "user_agent.original": AGENT,
            "client.address": moment.visitor,
            "server.address": moment.hostname,
          };
      return {
        Timestamp: `${seconds(moment.time)}.123456789`,
        SpanName: "GET",
        SpanKind: moment.kind === "view" ? "Server" : "Client",
        ServiceName: `web-${moment.site}`,
        SpanAttributes: {
          ...request,
          ...(moment.referrer && { "http.request.header.referer": JSON.stringify([moment.referrer]) }),
          "http.request.header.accept-language": moment.language && `["${moment.language},en;q=0.5"]`,
        },
      };
    },
  },
};

const AGENT = "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0";

/** The demo's fixtures in the words of a service. */
export function readServiceFixtures({ words, lacks }: ServiceTable): Fixtures {
  const fixtures = readLoggableFixtures({ mostVisitors: 80 });
  const cityOf = (label: string | null | undefined) => label?.split(",")[0] ?? null;
  return {
    ...fixtures,
    sites: fixtures.sites.map((site) => ({
      ...site,
      ...(lacks.includes("events") && { events: {} }),
      ...(words.hasBareHosts && { hostnames: addUp(site.hostnames) }),
    })),
    sources: Object.fromEntries(
      Object.entries(fixtures.sources).map(([key, source]) => [
        key,
        // No service has this channel of ours.
        { ...source, channel: source.channel === "AI assistants" ? "Referral" : source.channel },
      ]),
    ),
    places: Object.fromEntries(
      Object.entries(fixtures.places).map(([key, place]) => [
        key,
        words.hasCityNames ? { ...place, city: cityOf(place.city_label) } : place,
      ]),
    ),
    technologies: Object.fromEntries(
      Object.entries(fixtures.technologies).map(([key, technology]) => [
        key,
        { ...technology, ...words.technology?.(technology, key) },
      ]),
    ),
  };
}

function addUp(weights: Readonly<Record<string, number>>): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const [host, weight] of Object.entries(weights)) {
    const bare = host.replace(/^www\./, "");
    sums[bare] = (sums[bare] ?? 0) + weight;
  }
  return sums;
}

/** What a service writes of some days of a site: its hits, and here and there between them something else. */
export function writeRows(
  { write }: ServiceTable,
  fixtures: Fixtures,
  { site, domain, timezone }: { site: number; domain: string; timezone: string },
  dates: readonly string[],
): Record<string, unknown>[] {
  return listVisits(fixtures, { domain }, dates, LOG_NOW, true).flatMap(({ date, visit }, number) => {
    const { hostname, source, place, technology } = visit;
    const midnight = startOfDay(date, timezone) / 1000;
    const visitUtm = Object.fromEntries(
      Object.entries(source.utm).filter((pair): pair is [string, string] => pair[1] !== null),
    );
    const firstReferrer = source.referrer === null ? "" : `https://${source.referrer}/`;
    return visit.hits.flatMap(({ at, path, event }, index) => {
      const previous = visit.hits[index - 1];
      const hit: Moment = {
        kind: event === null ? "view" : "event",
        time: midnight + at,
        site,
        domain,
        date,
        visitor: `198.51.${visit.visitor >> 8}.${visit.visitor & 255}`,
        visit: `${domain} ${date} ${number}`,
        hostname,
        path,
        event: event ?? "",
        referrer: previous === undefined ? firstReferrer : `https://${hostname}${encodeURI(previous.path)}`,
        firstReferrer,
        channel: source.channel,
        utm: index === 0 ? visitUtm : {},
        visitUtm,
        country: place.country ?? "",
        region: place.region ?? "",
        city: place.city ?? "",
        language: place.language ?? "",
        device: technology.device,
        browser: technology.browser,
        system: technology.operating_system,
      };
      const isFollowed = (index + visit.visitor) % 4 === 0 && index + 1 < visit.hits.length;
      const other: Moment = { ...hit, kind: "other", event: "" };
      return (isFollowed ? [hit, other] : [hit]).map(write);
    });
  });
}
