import { AnalyticsError, quoteWord } from "../../errors.ts";
import { normalizeSite } from "../../operations/site-name.ts";
import type { DataSource } from "../data-source.ts";
import { listTexts, splitSite } from "../named-sites.ts";
import { readSites, readTimezone } from "../source-options.ts";
import type { LocalContext, OpenView } from "../source-types.ts";
import { createClickHouseViews, type TableParts } from "./clickhouse-source.ts";
import { connect } from "./connection.ts";
import { createHitLayout } from "./hit-queries.ts";
import { createMappedLayout } from "./mapped-queries.ts";
import { createFlagError, readMapping } from "./mapping.ts";
import { readSchema } from "./schemas.ts";
import { type ClickHouseSettings, readClickHouseSettings } from "./settings.ts";
import type { TableLayout } from "./table-queries.ts";
import { createTableReader } from "./table-reader.ts";

/*
 * A table in ClickHouse as a source: one row a hit, exported from logs or of another service. This folder imports the contract,
 * the rules of `measure/`, `config/`, `render/`, and what all sources share.
 */

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
  const named = listTexts(flags.site).map(splitSite);
  const domainOf = new Map(
    named.flatMap(({ site, key }) => (key === undefined ? [] : [[key, normalizeSite(site)] as const])),
  );
  const wrong = [...domainOf.keys()].find((key) => !/^[^'"\\\p{Cc}]{1,200}$/u.test(key));
  if (wrong !== undefined)
    throw createFlagError(
      "--site",
      `takes an id of the table, and ${quoteWord(wrong)} is not one`,
      "Such as --site example.com=7",
    );
  if (domainOf.size > 0 && mapping?.siteId === undefined) {
    throw new AnalyticsError("usage", "--site can only name ids of a table that has ids.", {
      hint: "Choose its columns: --schema plausible, or --map site_id=my_column",
    });
  }
  if (mapping === undefined) return createHitLayout(database, table);
  const timezone = readTimezone(flags.timezone);
  if (sites.length === 0 && mapping.siteId === undefined) {
    throw new AnalyticsError("usage", "Name the sites of the table.", { hint: "Such as --site example.com" });
  }
  if (mapping.site === undefined && mapping.siteId === undefined && sites.length > 1) {
    throw new AnalyticsError("usage", "The table is about one site, unless --map site=column says which.");
  }
  const noTable = explainNoView(flags);
  return createMappedLayout({ database, table, mapping, timezone, sites, domainOf, noTable });
}

/** Of a schema that needs a view. */
function explainNoView({ schema: name, table }: LocalContext["flags"]): string | undefined {
  const { view, service } = readSchema(name) ?? {};
  if (view === undefined || table !== undefined) return undefined;
  return `Create the view first, in the database of ${service}'s own table: analytics-mcp schema ${name} prints the statement.`;
}
