import { createServer } from "node:http";
import { createRequire } from "node:module";
import { resolve } from "node:path";

/*
 * ClickHouse's HTTP interface in front of chDB, the same engine as a library: node chdb-front.js FOLDER [PASSWORD]. Prints
 * its port. Supports what @clickhouse/client uses: a query in the body, parameters and settings in the URL, Basic credentials.
 */

const [folder, password = ""] = process.argv.slice(2);
const { Session } = createRequire(resolve(".cache/chdb/index.js"))("chdb");
const session = new Session(folder);
const credentials = `Basic ${Buffer.from(`default:${password}`).toString("base64")}`;
/** The parameters of the URL that are not settings. */
const NO_SETTINGS = new Set(["query_id", "database", "query"]);

const server = createServer(async (request, response) => {
  /** @type {(status: number, code: number, message: string) => void} */
  const refuse = (status, code, message) => {
    response.writeHead(status, { "X-ClickHouse-Exception-Code": code }).end(message);
  };
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = Buffer.concat(chunks);
  if (request.headers.authorization !== credentials) {
    refuse(403, 516, "Code: 516. DB::Exception: default: Authentication failed. (AUTHENTICATION_FAILED)");
    return;
  }
  const { searchParams } = new URL(request.url ?? "", "http://localhost");
  try {
    const text = await answer(searchParams, body);
    response.writeHead(200, { "Content-Type": "application/json" }).end(text);
  } catch (error) {
    refuse(500, Object(error).clickhouseCode ?? 1, error instanceof Error ? error.message : String(error));
  }
});

// Node's default closes a connection while a busy test still uses it.
server.keepAliveTimeout = 60_000;
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  process.stdout.write(`${typeof address === "object" ? address?.port : address}\n`);
});

/** @type {(search: URLSearchParams, body: Buffer) => Promise<string>} */
async function answer(search, body) {
  const [, table] = /^INSERT INTO ([\w.]+)/.exec(search.get("query") ?? "") ?? [];
  if (table !== undefined) {
    await session.insert({ table, values: body, format: "JSONEachRow" });
    return "";
  }
  const given = [...search];
  const params = given.flatMap(([name, value]) =>
    name.startsWith("param_") ? [[name.slice(6), readEscaped(value)]] : [],
  );
  const settings = given.flatMap(([name, value]) =>
    name.startsWith("param_") || NO_SETTINGS.has(name) ? [] : `${name} = ${formatSetting(value)}`,
  );
  const clause = settings.length === 0 ? "" : ` SETTINGS ${settings.join(", ")}`;
  const sql = body.toString().replace(/\s*(FORMAT \w+)?\s*$/, `${clause} $1`);
  const result = await session.queryBindAsync(sql, Object.fromEntries(params));
  return result.text();
}

/**
 * Parameters in the URL are escaped as values are in the format TSV: a backslash is written twice.
 *
 * @type {(text: string) => string}
 */
function readEscaped(text) {
  const named = /** @type {Record<string, string>} */ ({
    t: "\t",
    n: "\n",
    r: "\r",
    0: "\0",
    b: "\b",
    f: "\f",
  });
  return text.replaceAll(/\\(.)/gs, (_, letter) => named[letter] ?? letter);
}

/** @type {(value: string) => string} */
const formatSetting = (value) => (/^\d+$/.test(value) ? value : `'${value.replaceAll("'", "")}'`);
