import { createServer, request as send } from "node:http";
import type { AddressInfo } from "node:net";
import type { SqlServer } from "./clickhouse.ts";

export interface DialectProxy {
  url: string;
  close(): void;
}

const CANCEL = "cancel_http_readonly_queries_on_client_close";
/** The parameters of the URL that are not settings. */
const NO_SETTINGS = new Set(["query_id", "database"]);
const SETTINGS = "system.settings";
const SETTINGS_AND_CANCEL = `(SELECT name, value FROM ${SETTINGS} UNION ALL SELECT '${CANCEL}', '0')`;

/**
 * Starts a proxy in front of a ClickHouse of 2018, which has no query parameters: writes their values into the SQL, and
 * leaves out settings that the server does not know. Closes both connections when one is closed, and adds one setting of newer
 * servers: a query that only reads is cancelled when its connection closes. Changes nothing else.
 */
export async function startDialectProxy({ url, run }: SqlServer): Promise<DialectProxy> {
  const known = new Set((await run(`SELECT name FROM ${SETTINGS}`)).trim().split("\n"));
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const target = new URL(request.url ?? "", url);
    const { searchParams } = target;
    const sql = bindParameters(Buffer.concat(chunks).toString(), searchParams);
    const isCancelled = searchParams.get(CANCEL) === "1";
    for (const name of [...searchParams.keys()]) {
      if (!known.has(name) && !NO_SETTINGS.has(name)) searchParams.delete(name);
    }
    const { authorization = "" } = request.headers;
    const upstream = send(target, { method: request.method, headers: { authorization } }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    });
    upstream.on("error", () => response.destroy());
    response.on("close", () => {
      upstream.destroy();
      if (isCancelled && !response.writableEnded) cancel(run, searchParams.get("query_id")).catch(() => {});
    });
    upstream.end(sql.replace(SETTINGS, SETTINGS_AND_CANCEL));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Cancels a query as a newer server does: only if it may not write. */
async function cancel(run: SqlServer["run"], queryId: string | null): Promise<void> {
  const isThis = `query_id = '${String(queryId).replace(/[^\w-]/g, "")}'`;
  const mode = "Settings.Values[indexOf(Settings.Names, 'readonly')]";
  const found = await run(`SELECT ${mode} FROM system.processes WHERE ${isThis} FORMAT TSVRaw`);
  if (/[12]/.test(found)) await run(`KILL QUERY WHERE ${isThis}`);
}

/** Values are escaped as in TabSeparated, which is how a literal is escaped. */
function bindParameters(sql: string, values: URLSearchParams): string {
  return sql.replace(/\{(\w+):(\w+)\}/g, (_, name: string, type: string) => {
    const value = values.get(`param_${name}`);
    if (value === null) throw new Error(`The query has no ${name}.`);
    if (type.startsWith("UInt") && /^\d+$/.test(value)) return value;
    const literal = `'${value.replace(/\\.|'/gs, (found) => (found === "'" ? "\\'" : found))}'`;
    return type === "String" ? literal : `to${type}(${literal})`;
  });
}
