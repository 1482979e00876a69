import { schemaNames } from "./clickhouse/schema-names.ts";
import type { LocalKind } from "./source-types.ts";

/** A table of hits in ClickHouse. */
export const clickhouse: LocalKind = {
  option: {
    flag: "--clickhouse",
    value: "<url>",
    description:
      "table of hits in ClickHouse, such as https://reader@host:8443/web (or ANALYTICS_CLICKHOUSE)",
  },
  settings: [
    {
      flag: "--schema",
      value: "<schema>",
      choices: schemaNames,
      description: "table of another service: plausible, umami and so on",
    },
    {
      flag: "--map",
      value: "<column=name>",
      isRepeatable: true,
      description: "which column of another table to use, such as path=url_path",
    },
    {
      flag: "--where",
      value: "<column=value>",
      isRepeatable: true,
      description: "with --map: the rows that are page views of people, such as is_bot=0",
    },
    { flag: "--timezone", value: "<zone>", description: "with --map: the sites' timezone" },
    { flag: "--table", value: "<name>", description: "table of hits (default: hits)" },
    {
      flag: "--clickhouse-password-file",
      value: "<file>",
      isPath: true,
      description: "file that holds the password (or ANALYTICS_CLICKHOUSE_PASSWORD)",
    },
  ],
  variable: { name: "ANALYTICS_CLICKHOUSE", read: (text) => ({ clickhouse: text }) },
  about: {
    label: "ClickHouse",
    note: "From a table of hits in ClickHouse.",
    instruction: "The numbers come from a table of hits in ClickHouse.",
  },
  secret: { variable: "ANALYTICS_CLICKHOUSE_PASSWORD", option: "--clickhouse-password-file" },
  checks: [
    {
      name: "columns",
      run: async (context) => (await import("./clickhouse/doctor.ts")).checkColumns(context),
    },
    {
      name: "page views",
      run: async (context) => (await import("./clickhouse/doctor.ts")).checkPageViews(context),
    },
  ],
  takesSite: true,
  open: async (context) => (await import("./clickhouse/open.ts")).openClickHouse(context),
  openViews: async (context) => (await import("./clickhouse/open.ts")).openClickHouseViews(context),
};
