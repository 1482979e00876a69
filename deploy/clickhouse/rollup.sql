-- Sums of each day, so that long spans are answered from few rows: after hits.sql and reader.sql, on one server, with
-- ClickHouse 24.10 or newer. analytics-mcp uses the table by itself. docs/clickhouse.md, "Long spans", explains it.
-- A day that was counted again has rows of several runs. The row with dimension '' has a day's totals, and the `stamp` of
-- the export that was counted.
CREATE TABLE IF NOT EXISTS hits_daily
(
    dimension LowCardinality(String),
    site      LowCardinality(String),
    day       Date,
    run       UInt64,
    value     String,
    visitors  UInt64,
    hits      UInt64,
    events    UInt64,
    visits    UInt64,
    bounces   UInt64,
    seconds   UInt64,
    stamp     UInt64
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(day)
ORDER BY (dimension, site, day, run, value);

-- Counts the days that are loaded as they were exported and have no sums yet. An incremental view would not do: it sees
-- blocks of inserted rows instead of days, and would count a visitor once for each block, and a hit each time it is loaded.
CREATE MATERIALIZED VIEW IF NOT EXISTS hits_rollup
REFRESH EVERY 1 HOUR APPEND TO hits_daily AS
WITH
    exported AS
    (
        SELECT
            site,
            day,
            groupBitXor(sipHash64(site, day, id, digest, definition)) AS stamp,
            sum(pageviews) AS views
        FROM hits FINAL
        WHERE kind = 'day'
        GROUP BY site, day
    ),
    waiting AS
    (
        SELECT * FROM exported
        WHERE (site, day, stamp, views) NOT IN (SELECT site, day, stamp, hits FROM hits_daily WHERE dimension = '')
    ),
    complete AS
    (
        SELECT site, day, views
        FROM waiting
        LEFT JOIN
        (
            SELECT site, day, count() AS loaded_views
            FROM hits FINAL
            WHERE kind = 'pageview' AND (site, day) IN (SELECT site, day FROM waiting)
            GROUP BY site, day
        ) AS loaded USING (site, day)
        WHERE loaded_views = views
    ),
    -- The newest days, about ten million page views of them in an hour: more need more memory.
    chosen AS
    (
        SELECT site, day
        FROM
        (
            SELECT *, sum(views) OVER (ORDER BY day DESC, site ROWS UNBOUNDED PRECEDING) - views AS views_before
            FROM complete
        )
        WHERE views_before < 10000000
    ),
    -- The first page view of each visit stands for the visit.
    begun AS
    (
        SELECT site, day, visitor, first.1 AS time, first.2 AS id, visit_views, visit_seconds
        FROM
        (
            SELECT
                site,
                day,
                visitor,
                min((time, id)) AS first,
                count() AS visit_views,
                toUnixTimestamp(max(time)) - toUnixTimestamp(min(time)) AS visit_seconds
            FROM hits FINAL
            WHERE kind = 'pageview' AND (site, day) IN (SELECT site, day FROM chosen)
            GROUP BY site, day, visitor, visit
        )
    )
-- The totals come last: a run without them is not used, and the day is counted again.
SELECT
    pair.1 AS dimension,
    site,
    day,
    toUInt64(toUnixTimestamp64Micro(now64(6))) AS run,
    pair.2 AS value,
    uniqExactIf(visitor, kind = 'pageview' OR dimension = 'events') AS visitors,
    countIf(kind = 'pageview' OR dimension = 'events') AS hits,
    countIf(kind = 'event' AND dimension = '') AS events,
    -- Pages have no visits: a visit can have several.
    countIf(visit_views > 0 AND kind = 'pageview' AND dimension != 'pages') AS visits,
    countIf(visit_views = 1 AND kind = 'pageview' AND dimension != 'pages') AS bounces,
    sumIf(visit_seconds, kind = 'pageview' AND dimension != 'pages') AS seconds,
    groupBitXorIf(sipHash64(site, day, id, digest, definition), kind = 'day') AS stamp
FROM
(
    SELECT
        *,
        arrayJoin(multiIf(
            kind = 'day', [('', '')],
            kind = 'event', [('', ''), ('events', event)],
            [
                ('', ''),
                ('pages', path),
                ('entry_pages', entry_page),
                ('exit_pages', exit_page),
                ('hostnames', hostname),
                ('referrers', referrer),
                ('channels', channel),
                ('utm_sources', utm_source),
                ('utm_mediums', utm_medium),
                ('utm_campaigns', utm_campaign),
                ('utm_terms', utm_term),
                ('utm_contents', utm_content),
                ('countries', country),
                ('regions', region),
                ('cities', city),
                ('languages', language),
                ('devices', device),
                ('browsers', browser),
                ('operating_systems', operating_system)
            ]
        )) AS pair
    FROM hits FINAL
    LEFT JOIN begun USING (site, day, visitor, time, id)
    WHERE kind IN ('pageview', 'event', 'day') AND (site, day) IN (SELECT site, day FROM chosen)
)
GROUP BY dimension, site, day, value
ORDER BY dimension = ''
SETTINGS
    do_not_merge_across_partitions_select_final = 1,
    max_bytes_before_external_group_by = 1000000000,
    max_bytes_before_external_sort = 1000000000;

GRANT SELECT ON hits_daily TO reader;
