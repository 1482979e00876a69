import type { DataSource } from "../data-source.ts";
import type { LocalContext, OpenView } from "../source-types.ts";
import { createClickHouseViews } from "./clickhouse-source.ts";
import { connect } from "./connection.ts";
import { readClickHouseSettings } from "./settings.ts";
import { createTable } from "./table.ts";

export async function openClickHouse(context: LocalContext): Promise<DataSource> {
  return openViews(context)();
}

/** Opens the table once, for several organizations with some of the sites each. */
export async function openClickHouseViews(context: LocalContext): Promise<OpenView> {
  return openViews(context);
}

function openViews({ flags, environment, clock }: LocalContext) {
  const settings = readClickHouseSettings(flags, environment);
  return createClickHouseViews(connect(settings), createTable(settings.database, settings.table), clock);
}
