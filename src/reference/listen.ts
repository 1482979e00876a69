import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { ReferenceApi } from "./api.ts";

export interface Listening {
  /** Base of the API: `http://127.0.0.1:8787/api/v1` without the path. */
  origin: string;
  /** Stops accepting, lets answers under way finish, and closes idle connections. */
  close(): Promise<void>;
}

const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 15_000;

/** Serves the API over real HTTP. Throws Node's own error (EADDRINUSE, EACCES) where it cannot. */
export async function listen(api: ReferenceApi, host: string, port: number): Promise<Listening> {
  const server = createServer(
    { headersTimeout: HEADERS_TIMEOUT_MS, requestTimeout: REQUEST_TIMEOUT_MS },
    (incoming, outgoing) => {
      // A request body is ignored; reading it away keeps the connection usable.
      incoming.resume();
      respond(api, incoming, outgoing).catch(() => outgoing.destroy());
    },
  );
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  });
  const { address, family, port: bound } = server.address() as AddressInfo;
  return {
    origin: `http://${family === "IPv6" ? `[${address}]` : address}:${bound}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeIdleConnections();
      }),
  };
}

async function respond(
  api: ReferenceApi,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const request = toRequest(incoming);
  const response = api(request);
  const body = Buffer.from(await response.arrayBuffer());
  outgoing.statusCode = response.status;
  outgoing.setHeaders(response.headers);
  outgoing.end(body);
}

/** The target is read as path and query alone: neither Host nor an absolute target picks anything here. */
function toRequest({ url = "/", method = "GET", headers }: IncomingMessage): Request {
  const absolute = new URL(
    url.startsWith("/") ? `http://reference.invalid${url}` : url,
    "http://reference.invalid",
  );
  const fields = new Headers();
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) fields.set(name, Array.isArray(value) ? value.join(", ") : value);
  }
  // A Request cannot carry TRACE; the API answers every method but GET and HEAD alike.
  return new Request(`http://reference.invalid${absolute.pathname}${absolute.search}`, {
    method: method === "TRACE" ? "OPTIONS" : method,
    headers: fields,
  });
}
