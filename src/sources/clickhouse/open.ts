import { AnalyticsError } from "../../errors.ts";
import type { DataSource } from "../data-source.ts";
import { readSites, readTimezone } from "../source-options.ts";
import type { LocalContext, OpenView } from "../source-types.ts";
import { createClickHouseViews } from "./clickhouse-source.ts";
import { connect } from "./connection.ts";
import { createHitQueries } from "./hit-queries.ts";
import { createMappedQueries } from "./mapped-queries.ts";
import { readMapping } from "./mapping.ts";
import { readClickHouseSettings } from "./settings.ts";

export async function openClickHouse(context: LocalContext): Promise<DataSource> {
  return openViews(context)();
}

/** Opens a table that several organizations share, with a view of its own sites for each of them. */
export async function openClickHouseViews(context: LocalContext): Promise<OpenView> {
  return openViews(context);
}

function openViews(context: LocalContext) {
  const { flags, environment, clock } = context;
  const settings = readClickHouseSettings(context);
  const mapping = readMapping(flags);
  const connection = connect(settings, clock);
  const { database, table } = settings;
  const sites = readSites(flags.site, environment.ANALYTICS_SITE);
  if (mapping === undefined) {
    return createClickHouseViews({ connection, clock, sites, queries: createHitQueries(database, table) });
  }
  if (sites.length === 0) {
    throw new AnalyticsError("usage", "Name the sites of the table.", { hint: "Such as --site example.com" });
  }
  if (mapping.site === undefined && sites.length > 1) {
    throw new AnalyticsError("usage", "The table is about one site, unless --map site=column says which.");
  }
  const timezone = readTimezone(flags.timezone);
  const mapped = createMappedQueries({ database, table, mapping, timezone, sites });
  return createClickHouseViews({ connection, clock, sites, ...mapped });
}
