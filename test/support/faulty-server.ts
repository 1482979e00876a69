import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { NOW, toResponse } from "./api.ts";
import { createReferenceApi } from "./reference-api.ts";

export interface FaultyServer {
  origin: string;
  requests: IncomingMessage[];
  close(): void;
}

/** A real HTTP server that answers each request as the test says, and keeps the requests. */
export async function startServer(
  listener: (request: IncomingMessage, response: ServerResponse, count: number) => void,
  tls?: { key: string; cert: string },
): Promise<FaultyServer> {
  const requests: IncomingMessage[] = [];
  const handle: RequestListener = (request, response) => {
    requests.push(request);
    response.on("error", () => {});
    listener(request, response, requests.length);
  };
  const server = tls ? createTlsServer(tls, handle) : createServer(handle);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `${tls ? "https" : "http"}://127.0.0.1:${port}`,
    requests,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

const api = createReferenceApi({ clock: () => NOW, quota: { limit: 1_000_000, window: 60 } });

/** What the reference API says to a request, for tests that spoil the answer on its way. */
export async function answerRightly(
  { url, headers }: Pick<IncomingMessage, "url" | "headers">,
  edit = (body: string) => body,
) {
  const sent = new Headers({ authorization: "Bearer demo-key-of-acme", accept: headers.accept ?? "" });
  const response = toResponse(await api({ method: "GET", url: `http://x${url}`, headers: sent }));
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    body: edit(await response.text()),
  };
}

export function send(
  response: ServerResponse,
  status: number,
  headers: Record<string, string>,
  body: string | Uint8Array,
) {
  response.writeHead(status, headers).end(body);
}
