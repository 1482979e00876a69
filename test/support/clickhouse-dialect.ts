import { createServer, request as send } from "node:http";
import type { AddressInfo } from "node:net";
import type { SqlServer } from "./clickhouse.ts";

export interface DialectProxy {
  url: string;
  close(): void;
}

/** Of the URL's parameters, those that are no settings. */
const NO_SETTINGS = new Set(["query_id", "database"]);

/**
 * Stands before a ClickHouse of 2018, which has no parameters of queries: puts their values into the SQL, and leaves out
 * settings that it does not know. Changes nothing else, and hangs up when one of the two sides does.
 */
export async function startDialectProxy({ url, run }: SqlServer): Promise<DialectProxy> {
  const known = new Set((await run("SELECT name FROM system.settings")).trim().split("\n"));
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const target = new URL(request.url ?? "", url);
    const sql = bindParameters(Buffer.concat(chunks).toString(), target.searchParams);
    for (const name of [...target.searchParams.keys()]) {
      if (!known.has(name) && !NO_SETTINGS.has(name)) target.searchParams.delete(name);
    }
    const { authorization = "" } = request.headers;
    const upstream = send(target, { method: request.method, headers: { authorization } }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    });
    upstream.on("error", () => response.destroy());
    response.on("close", () => upstream.destroy());
    upstream.end(sql);
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

/** Values come with the escapes of TabSeparated, which are those of a literal. */
export function bindParameters(sql: string, values: URLSearchParams): string {
  return sql.replace(/\{(\w+):(\w+)\}/g, (_, name: string, type: string) => {
    const value = values.get(`param_${name}`);
    if (value === null) throw new Error(`The query has no ${name}.`);
    if (type.startsWith("UInt") && /^\d+$/.test(value)) return value;
    const literal = `'${value.replace(/\\.|'/gs, (found) => (found === "'" ? "\\'" : found))}'`;
    return type === "String" ? literal : `to${type}(${literal})`;
  });
}
