import { AnalyticsError } from "../../errors.ts";
import type { DataSource } from "../data-source.ts";
import { readSites, readTimezone } from "../source-options.ts";
import type { LocalContext, OpenView } from "../source-types.ts";
import { createClickHouseViews, type TableParts } from "./clickhouse-source.ts";
import { connect } from "./connection.ts";
import { createHitLayout } from "./hit-queries.ts";
import { createMappedLayout } from "./mapped-queries.ts";
import { readMapping } from "./mapping.ts";
import { type ClickHouseSettings, readClickHouseSettings } from "./settings.ts";
import type { TableLayout } from "./table-queries.ts";
import { createTableReader } from "./table-reader.ts";

export async function openClickHouse(context: LocalContext): Promise<DataSource> {
  return createClickHouseViews(readTableParts(context))();
}

/** Opens a table that several organizations share, with a view of its own sites for each of them. */
export async function openClickHouseViews(context: LocalContext): Promise<OpenView> {
  return createClickHouseViews(readTableParts(context));
}

/** Reads the options. Nothing is sent. */
export function readTableParts(context: LocalContext): TableParts {
  const { flags, environment, clock } = context;
  const settings = readClickHouseSettings(context);
  const sites = readSites(flags.site, environment.ANALYTICS_SITE);
  const layout = readLayout(context, settings, sites);
  return { reader: createTableReader(layout, connect(settings, clock), clock), sites, clock };
}

function readLayout(
  { flags }: LocalContext,
  { database, table }: ClickHouseSettings,
  sites: readonly string[],
): TableLayout {
  const mapping = readMapping(flags);
  if (mapping === undefined) return createHitLayout(database, table);
  if (sites.length === 0) {
    throw new AnalyticsError("usage", "Name the sites of the table.", { hint: "Such as --site example.com" });
  }
  if (mapping.site === undefined && sites.length > 1) {
    throw new AnalyticsError("usage", "The table is about one site, unless --map site=column says which.");
  }
  const timezone = readTimezone(flags.timezone);
  return createMappedLayout({ database, table, mapping, timezone, sites });
}
