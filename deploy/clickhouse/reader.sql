-- The user that analytics-mcp reads with. With readonly = 1 a query cannot change a setting, so the limits hold for all of them.
CREATE SETTINGS PROFILE IF NOT EXISTS analytics_reader SETTINGS
    readonly = 1,
    max_execution_time = 60,
    max_memory_usage = 4000000000,
    max_concurrent_queries_for_user = 16,
    -- Sets of visitors that do not fit into the memory go to the disk.
    max_bytes_before_external_group_by = 2000000000,
    -- A query ends when the person who asked has left.
    cancel_http_readonly_queries_on_client_close = 1,
    -- A day is in one partition.
    do_not_merge_across_partitions_select_final = 1,
    -- What cannot be read is an error, not a smaller number. Most are defaults, and hold on each shard if they are named.
    skip_unavailable_shards = 0,
    distributed_group_by_no_merge = 0,
    limit = 0,
    offset = 0,
    read_overflow_mode = 'throw',
    read_overflow_mode_leaf = 'throw',
    group_by_overflow_mode = 'throw',
    sort_overflow_mode = 'throw',
    result_overflow_mode = 'throw',
    set_overflow_mode = 'throw',
    distinct_overflow_mode = 'throw',
    timeout_overflow_mode = 'throw',
    timeout_overflow_mode_leaf = 'throw',
    partial_result_on_first_cancel = 0,
    prefer_column_name_to_alias = 0,
    group_by_use_nulls = 0;

CREATE USER IF NOT EXISTS reader
    IDENTIFIED WITH sha256_password BY 'change this'
    HOST IP '127.0.0.1', IP '::1', IP '10.0.0.0/8', IP '172.16.0.0/12', IP '192.168.0.0/16'
    SETTINGS PROFILE 'analytics_reader';

GRANT SELECT ON hits TO reader;
GRANT SELECT ON system.settings TO reader;
