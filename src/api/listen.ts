import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { openPort } from "../http/open-port.ts";
import { readMember } from "../member.ts";
import type { Api, ApiRequest } from "./api.ts";

export interface Listening {
  /** For example `http://127.0.0.1:8787`. */
  origin: string;
  /** Stops accepting connections, lets responses in progress finish, and closes idle connections. */
  close(): Promise<void>;
}

const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 15_000;

/** Serves the API over HTTP. Throws Node's own error (EADDRINUSE, EACCES) if it cannot listen. */
export async function listen(api: Api, host: string, port: number): Promise<Listening> {
  const server = createServer(
    { headersTimeout: HEADERS_TIMEOUT_MS, requestTimeout: REQUEST_TIMEOUT_MS },
    (incoming, outgoing) => {
      // The body is ignored, but it must be read to keep the connection usable.
      incoming.resume();
      respond(api, incoming, outgoing).catch(() => outgoing.destroy());
    },
  );
  const bound = await openPort(server, { host, port });
  // A listening TCP server always has an address object.
  const { address, family } = server.address() as AddressInfo;
  return {
    origin: `http://${family === "IPv6" ? `[${address}]` : address}:${bound}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeIdleConnections();
      }),
  };
}

async function respond(api: Api, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const controller = new AbortController();
  outgoing.once("close", () => controller.abort());
  const { status, headers, body } = await api({ ...toRequest(incoming), signal: controller.signal });
  outgoing.statusCode = status;
  outgoing.setHeaders(headers);
  outgoing.end(body);
}

const ORIGIN = "http://reference.invalid";

/**
 * Reads only path and query: the Host header and the origin of an absolute target are ignored. A target that is not a
 * URL becomes the root path, where there is nothing.
 */
function toRequest({ url = "/", method = "GET", headers }: IncomingMessage): ApiRequest {
  const target = url.startsWith("/") ? `${ORIGIN}${url}` : url;
  const isAddress = /^https?:/i.test(target) && URL.canParse(target);
  const { pathname, search } = new URL(isAddress ? target : ORIGIN);
  return {
    method,
    url: `${ORIGIN}${pathname}${search}`,
    headers: { get: (name) => readMember(headers, name)?.toString() ?? null },
  };
}
