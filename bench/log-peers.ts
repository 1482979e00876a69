import { existsSync } from "node:fs";
import { resolve } from "node:path";

/** A database that counts visitors and page views a day of the same file, in one query. */
export interface LogPeer {
  name: string;
  isInstalled: boolean;
  /** The words after `node`; it prints `[{ day, visitors, pageviews }, …]`. */
  listWords(log: string, threads: number): string[];
}

const COLUMNS = [
  "address",
  "ident",
  "name",
  "stamp",
  "zone",
  "request",
  "status",
  "size",
  "referrer",
  "agent",
];

/** What counts in a log of `write-log.ts`, which needs less than the definition in docs/log-rules.md. */
const writeQuery = (visitors: string, source: string, matches: (text: string, pattern: string) => string) =>
  `SELECT substr(stamp, 2, 11) AS day, ${visitors} AS visitors, count(*) AS pageviews FROM ${source}
   WHERE request LIKE 'GET %' AND status IN ('200', '304')
     AND NOT ${matches("request", "[.](css|js|png|woff2|svg)[? ]")} AND NOT ${matches("agent", "[Bb]ot")}
   GROUP BY day ORDER BY day`;

const duckDb = definePeer(
  "DuckDB",
  "duckdb/node_modules/@duckdb/node-api",
  (log) => {
    const columns = COLUMNS.map((name) => `'${name}': 'VARCHAR'`).join(", ");
    const options = `delim = ' ', quote = '"', escape = '"', header = false, auto_detect = false`;
    return writeQuery(
      "count(DISTINCT address || ' ' || agent)",
      `read_csv('${log}', ${options}, ignore_errors = true, columns = {${columns}})`,
      (text, pattern) => `regexp_matches(${text}, '${pattern}')`,
    );
  },
  `async (api, query, threads) => {
    const database = await api.DuckDBInstance.create(":memory:", { threads });
    const found = await (await database.connect()).runAndReadAll(query);
    return found.getRowObjectsJson();
  }`,
);

const chDb = definePeer(
  "chDB",
  "chdb/node_modules/chdb",
  (log) =>
    writeQuery(
      "uniqExact(address, agent)",
      `file('${log}', CustomSeparated, '${COLUMNS.map((name) => `${name} String`).join(", ")}')`,
      (text, pattern) => `match(${text}, '${pattern}')`,
    ),
  `async (api, query, threads) => {
    const format = "format_custom_escaping_rule = 'CSV', format_custom_field_delimiter = ' '";
    const text = api.query(query + " SETTINGS max_threads = " + threads + ", " + format, "JSONEachRow");
    return text.trim().split("\\n").map((line) => JSON.parse(line));
  }`,
);

export const logPeers = [duckDb, chDb];

/** @param ask The text of a function from the package, a query and a number of threads to rows. */
function definePeer(
  name: string,
  folder: string,
  createQuery: (log: string) => string,
  ask: string,
): LogPeer {
  const path = resolve(".cache", folder);
  const script = `const [path, query, threads] = process.argv.slice(1);
    (${ask})(require(path), query, threads).then((rows) => console.log(JSON.stringify(rows)));`;
  return {
    name,
    isInstalled: existsSync(path),
    listWords: (log, threads) => ["-e", script, path, createQuery(log), String(threads)],
  };
}
