import type { Moment, ServiceTable } from "./service-tables.ts";
import { serviceTables } from "./service-tables.ts";

/*
 * Visits in which services differ by their rules, and the queries of their dashboards about such a day, by what their sources say
 * they ask (November 2026). The row of an answer has the names of a `CountedDay`; what a dashboard does not show is absent.
 */

export const OWN_SITE = { number: 9, domain: "own.example", day: "2026-11-12" } as const;
const NOON = Date.parse(`${OWN_SITE.day}T12:00:00Z`) / 1000;

type Step = readonly [kind: Moment["kind"], seconds: number];

/** What visitors do, in seconds since noon; each list is one visit. */
const PATTERNS: readonly (readonly (readonly Step[])[])[] = [
  [[["view", 0]]],
  [
    [
      ["view", 0],
      ["event", 25],
    ],
  ],
  [
    [
      ["view", 0],
      ["event", 8],
    ],
  ],
  [
    [
      ["view", 0],
      ["view", 40],
    ],
  ],
  // Nothing but events.
  [
    [
      ["event", 0],
      ["event", 60],
    ],
  ],
  // Until the page is left.
  [
    [
      ["view", 0],
      ["other", 300],
    ],
  ],
  [
    [
      ["view", 0],
      ["event", 1000],
      ["view", 1700],
      ["other", 1702],
    ],
  ],
  [
    [
      ["event", 0],
      ["view", 10],
    ],
  ],
  [
    [["view", 0]],
    [
      ["view", 9000],
      ["view", 9003],
      ["event", 9010],
    ],
  ],
  // The second visit has events alone.
  [
    [["view", 0]],
    [
      ["event", 9000],
      ["event", 9040],
    ],
  ],
];

/** By visit, in the order of time. */
export const OWN_VISITS: readonly (readonly Moment[])[] = Array.from({ length: 40 }).flatMap((_, visitor) =>
  (PATTERNS[visitor % PATTERNS.length] ?? []).map((steps, number) =>
    steps.map(
      ([kind, seconds]): Moment => ({
        kind,
        time: NOON + visitor * 61 + seconds,
        site: OWN_SITE.number,
        domain: OWN_SITE.domain,
        date: OWN_SITE.day,
        visitor: `203.0.113.${visitor}`,
        visit: `own ${visitor} ${number}`,
        hostname: OWN_SITE.domain,
        path: `/${seconds % 7}`,
        event: kind === "event" ? "signup" : "",
        referrer: "",
        firstReferrer: "",
        channel: "Direct",
        ...{ utm: {}, visitUtm: {} },
        ...{ country: "DE", region: "", city: "", language: "de", device: "desktop" },
        ...{ browser: "Firefox", system: "Linux" },
      }),
    ),
  ),
);

/**
 * Plausible's own table of visits: each event but those of attention takes back the row of its visit and writes another, and any
 * second event ends a bounce.
 */
export function writePlausibleSessions(visits: readonly (readonly Moment[])[]): Record<string, unknown>[] {
  const { write } = serviceTables.plausible as ServiceTable;
  return visits.flatMap((visit) => {
    const events = visit.filter(({ kind }) => kind !== "other");
    const states = events.map((event, index) => {
      const { site_id, user_id, session_id, timestamp } = write(event);
      const { timestamp: start } = write(events[0] ?? event);
      const pageviews = events.slice(0, index + 1).filter(({ kind }) => kind === "view").length;
      const duration = event.time - (events[0]?.time ?? 0);
      return {
        ...{ site_id, user_id, session_id, timestamp, start, pageviews, duration },
        ...{ is_bounce: Number(index === 0), events: index + 1 },
      };
    });
    return states.flatMap((state, index) => [
      ...(index === 0 ? [] : [{ ...states[index - 1], sign: -1 }]),
      { ...state, sign: 1 },
    ]);
  });
}

const between = (column: string) =>
  `${column} >= toDateTime('${OWN_SITE.day} 00:00:00', 'UTC') AND ${column} < toDateTime('${OWN_SITE.day} 00:00:00', 'UTC') + 86400`;

/** By service; each asks about the one day of `OWN_SITE`. */
export const ownQueries: Readonly<Record<string, string>> = {
  // Visitors and page views from its events, all else from its visits.
  plausible: `
    SELECT visitors, pageviews, events, visits, bounces, visitSeconds
    FROM (
      SELECT uniq(user_id) AS visitors, countIf(name = 'pageview') AS pageviews,
        countIf(name NOT IN ('pageview', 'engagement')) AS events
      FROM plausible.events_v2
      WHERE site_id = 9 AND name != 'engagement' AND ${between("timestamp")}
    ) AS of_events
    CROSS JOIN (
      SELECT sum(sign) AS visits, sum(is_bounce * sign) AS bounces, sum(duration * sign) AS visitSeconds
      FROM plausible.sessions_v2
      WHERE site_id = 9 AND ${between("start")}
    ) AS of_sessions`,

  // The numbers above its graph, and the number above its list of events.
  umami: `
    SELECT
      sum(views) AS pageviews,
      uniq(session_id) AS visitors,
      uniq(visit_id) AS visits,
      countIf(views = 1) AS bounces,
      sum(last - first) AS visitSeconds,
      (SELECT count() FROM umami.website_event
        WHERE website_id = '${serviceTables.umami?.idOf(9)}' AND event_type = 2 AND ${between("created_at")}) AS events
    FROM (
      SELECT session_id, visit_id, count() AS views, min(created_at) AS first, max(created_at) AS last
      FROM umami.website_event
      WHERE website_id = '${serviceTables.umami?.idOf(9)}' AND event_type NOT IN (2, 5) AND ${between("created_at")}
      GROUP BY session_id, visit_id
    )`,

  // Its overview: sessions and users of rows of any type, bounces by their page views.
  rybbit: `
    SELECT visits, bounces, visitSeconds, pageviews, visitors, events
    FROM (
      SELECT count() AS visits, countIf(views = 1) AS bounces, sum(last - first) AS visitSeconds
      FROM (
        SELECT session_id, countIf(type = 'pageview') AS views, min(timestamp) AS first, max(timestamp) AS last
        FROM rybbit.events
        WHERE site_id = 9 AND ${between("timestamp")}
        GROUP BY session_id
      )
    ) AS of_sessions
    CROSS JOIN (
      SELECT countIf(type = 'pageview') AS pageviews, uniqExact(user_id) AS visitors,
        countIf(type = 'custom_event') AS events
      FROM rybbit.events
      WHERE site_id = 9 AND ${between("timestamp")}
    ) AS of_rows`,

  // Its web analytics: sessions with a page view, joined to the table of sessions, which all events are summed up in.
  posthog: `
    SELECT
      uniq(person) AS visitors,
      sum(views) AS pageviews,
      uniq(session) AS visits,
      sum(is_bounce) AS bounces,
      sum(duration) AS visitSeconds,
      (SELECT count() FROM posthog.events
        WHERE team_id = 9 AND NOT startsWith(event, '$') AND ${between("timestamp")}) AS events
    FROM (
      SELECT any(person_id) AS person, session, count() AS views, any(session_bounce) AS is_bounce, any(seconds) AS duration
      FROM (
        SELECT *, JSONExtractString(properties, '$session_id') AS session
        FROM posthog.events
        WHERE team_id = 9 AND event IN ('$pageview', '$screen') AND ${between("timestamp")}
      ) AS of_pages
      LEFT JOIN (
        SELECT
          JSONExtractString(properties, '$session_id') AS session,
          dateDiff('second', min(timestamp), max(timestamp)) AS seconds,
          NOT (uniqUpTo(1)(if(event IN ('$pageview', '$screen', '$autocapture'), uuid, NULL)) > 1 OR seconds >= 10) AS session_bounce
        FROM posthog.events
        WHERE team_id = 9
        GROUP BY session
      ) AS of_sessions USING (session)
      GROUP BY session
    )`,

  // It has no dashboard of visits: what its spans are by docs/clickhouse.md, numbered in windows.
  otel: `
    SELECT uniqExact(visitor) AS visitors, sum(views) AS pageviews, 0 AS events, count() AS visits,
      countIf(views = 1) AS bounces, sum(last - first) AS visitSeconds
    FROM (
      SELECT visitor, visit, count() AS views, min(second) AS first, max(second) AS last
      FROM (
        SELECT visitor, second,
          sum(is_first) OVER (PARTITION BY visitor ORDER BY second ROWS UNBOUNDED PRECEDING) AS visit
        FROM (
          SELECT visitor, second,
            second - lagInFrame(second, 1, 0) OVER (PARTITION BY visitor ORDER BY second ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) > 1800 AS is_first
          FROM (
            SELECT SpanAttributes['http.client_ip'] || SpanAttributes['client.address'] AS visitor, toUnixTimestamp(toDateTime(Timestamp)) AS second
            FROM otel.otel_traces
            WHERE ServiceName = 'web-9' AND SpanKind = 'Server' AND ${between("Timestamp")}
          )
        )
      )
      GROUP BY visitor, visit
    )`,
};
