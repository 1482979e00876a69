import { AnalyticsError, quoteWord } from "../../errors.ts";
import { suggest } from "../../suggest.ts";
import { CONTRACT_RULE, LOG_RULE, type VisitRule } from "../measure/definition.ts";
import { schemaNames } from "./schema-names.ts";

/** The table in which another service keeps its page views, and how to read it. docs/clickhouse.md says what differs. */
export interface Schema {
  /** For people. */
  service: string;
  /** The table that is read unless `--table` names another: the service's own, or the view. */
  table: string;
  /** As `--map` takes them. */
  map: readonly string[];
  /** As `--where` takes them. */
  where: readonly string[];
  /**
   * Custom events: the column of their names, the rows that are events, as `--where` takes them, and the service's own rule of visits,
   * bounces and visitors, by which its dashboard counts.
   */
  events?: { name: string; where: readonly string[]; rule: VisitRule };
  /** For values that are in no column of their own: the statement that creates the view, for people to run. */
  view?: string;
}

/** `--map` for columns that are called what they are mapped to. */
const same = (...columns: string[]) => columns.map((column) => `${column}=${column}`);

const UTM = ["utm_source", "utm_medium", "utm_campaign", "utm_term", "utm_content"];

export const schemas: Readonly<Record<(typeof schemaNames)[number], Schema>> = {
  plausible: {
    service: "Plausible",
    table: "events_v2",
    map: [
      "time=timestamp",
      "visitor=user_id",
      "path=pathname",
      "channel=acquisition_channel",
      "country=country_code",
      "region=subdivision1_code",
      "city=city_geoname_id",
      "device=screen_size",
      ...same("site_id", "hostname", "referrer", "browser", "operating_system", ...UTM),
    ],
    where: ["name=pageview"],
    events: { name: "name", where: ["name!=pageview", "name!=engagement"], rule: CONTRACT_RULE },
  },
  umami: {
    service: "Umami",
    table: "website_event",
    map: [
      "time=created_at",
      "visitor=session_id",
      "path=url_path",
      "site_id=website_id",
      "referrer=referrer_domain",
      "operating_system=os",
      ...same("hostname", "country", "region", "city", "language", "device", "browser", ...UTM),
    ],
    where: ["event_type=1"],
    events: { name: "event_name", where: ["event_type=2"], rule: LOG_RULE },
  },
  rybbit: {
    service: "Rybbit",
    table: "events",
    map: [
      "time=timestamp",
      "visitor=user_id",
      "path=pathname",
      "device=device_type",
      ...same("site_id", "hostname", "referrer", "channel", "country", "region", "city", "language"),
      ...same("browser", "operating_system"),
      ...UTM.map((column) => `${column}=url_parameters[${column}]`),
    ],
    where: ["type=pageview"],
    events: {
      name: "event_name",
      where: ["type=custom_event"],
      rule: { hits: "all", needsView: false, isBounce: "views = 1" },
    },
  },
  posthog: {
    service: "PostHog",
    table: "posthog_views",
    map: [
      "time=timestamp",
      "visitor=person_id",
      "site_id=team_id",
      ...same("path", "hostname", "referrer", "country", "region", "city", "language"),
      ...same("device", "browser", "operating_system", ...UTM),
    ],
    where: ["event=$pageview"],
    events: {
      name: "custom_event",
      where: ["event!=$pageview"],
      rule: { hits: "all", needsView: true, isBounce: "views = 1 AND seconds < 10" },
    },
    view: `CREATE VIEW posthog_views AS
SELECT
  timestamp,
  event,
  if(startsWith(event, '$'), '', event) AS custom_event,
  team_id,
  person_id,
  JSONExtractString(properties, '$pathname') AS path,
  JSONExtractString(properties, '$host') AS hostname,
  JSONExtractString(properties, '$referring_domain') AS referrer,
${UTM.map((column) => `  JSONExtractString(properties, '${column}') AS ${column},`).join("\n")}
  JSONExtractString(properties, '$geoip_country_code') AS country,
  JSONExtractString(properties, '$geoip_subdivision_1_code') AS subdivision,
  if(subdivision = '', '', concat(country, '-', subdivision)) AS region,
  JSONExtractString(properties, '$geoip_city_name') AS city,
  JSONExtractString(properties, '$browser_language') AS language,
  JSONExtractString(properties, '$device_type') AS device,
  JSONExtractString(properties, '$browser') AS browser,
  JSONExtractString(properties, '$os') AS operating_system
FROM events FINAL`,
  },
  otel: {
    service: "OpenTelemetry",
    table: "otel_views",
    map: [
      "time=Timestamp",
      "visitor=address,agent",
      "site_id=ServiceName",
      ...same("path", "hostname", "referrer", "status", "method", "agent", "language", ...UTM),
    ],
    where: ["SpanKind=Server"],
    view: `CREATE VIEW otel_views AS
WITH
  (old, new) -> if(SpanAttributes[new] = '', SpanAttributes[old], SpanAttributes[new]) AS attribute,
  name -> replaceRegexpOne(SpanAttributes[concat('http.request.header.', name)], '^\\\\["(.*)"\\\\]$', '\\\\1') AS header
SELECT
  Timestamp,
  ServiceName,
  SpanKind,
  attribute('http.client_ip', 'client.address') AS address,
  attribute('http.user_agent', 'user_agent.original') AS agent,
  attribute('http.method', 'http.request.method') AS method,
  attribute('http.status_code', 'http.response.status_code') AS status,
  attribute('net.host.name', 'server.address') AS hostname,
  if(SpanAttributes['url.path'] = '', SpanAttributes['http.target'],
    concat(SpanAttributes['url.path'], '?', SpanAttributes['url.query'])) AS url,
  decodeURLComponent(path(url)) AS path,
${UTM.map((column) => `  decodeURLFormComponent(extractURLParameter(url, '${column}')) AS ${column},`).join("\n")}
  header('referer') AS referrer,
  extract(header('accept-language'), '^[A-Za-z0-9-]+') AS language
FROM otel_traces`,
  },
};

/** Reads `--schema`. Throws AnalyticsError `usage`. */
export function readSchema(name: unknown): Schema | undefined {
  if (name === undefined) return undefined;
  const text = String(name);
  const known = schemaNames.find((each) => each === text);
  if (known !== undefined) return schemas[known];
  throw new AnalyticsError("usage", `--schema does not know ${quoteWord(text)}.`, {
    hint: suggest(text, schemaNames).trim() || `It knows ${schemaNames.join(", ")}.`,
  });
}
