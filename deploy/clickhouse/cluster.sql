-- The table of hits on a cluster, in place of hits.sql. It takes the cluster, the shard and the replica from the servers'
-- macros. All rows of a visitor are on one shard, and so are rows that were loaded twice.
CREATE TABLE IF NOT EXISTS hits_local ON CLUSTER '{cluster}'
(
    kind             Enum8('pageview' = 1, 'event' = 2, 'bot' = 3, 'scanner' = 4, 'day' = 5, 'not_found' = 6),
    site             LowCardinality(String),
    day              Date,
    visitor          UInt64,
    time             DateTime('UTC'),
    id               UInt64,
    sequence         UInt32,
    visit            UInt16,
    path             String,
    entry_page       String,
    exit_page        String,
    hostname         LowCardinality(String),
    referrer         LowCardinality(String),
    channel          LowCardinality(String),
    utm_source       LowCardinality(String),
    utm_medium       LowCardinality(String),
    utm_campaign     LowCardinality(String),
    utm_term         LowCardinality(String),
    utm_content      LowCardinality(String),
    country          LowCardinality(String),
    region           LowCardinality(String),
    city             LowCardinality(String),
    language         LowCardinality(String),
    device           LowCardinality(String),
    browser          LowCardinality(String),
    operating_system LowCardinality(String),
    event            LowCardinality(String),
    crawler          LowCardinality(String),
    status           UInt16,
    pageviews        UInt64,
    bots_not_found   UInt64,
    scanners_not_found UInt64,
    digest           UInt64,
    definition       UInt8,
    timezone         LowCardinality(String),
    unrecorded       Array(LowCardinality(String))
)
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}')
PARTITION BY toYYYYMM(day)
ORDER BY (kind, site, day, visitor, time, id);

CREATE TABLE IF NOT EXISTS hits ON CLUSTER '{cluster}' AS hits_local
ENGINE = Distributed('{cluster}', currentDatabase(), 'hits_local', visitor);
