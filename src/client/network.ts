import type { IncomingHttpHeaders } from "node:http";
import { addAbortSignal, pipeline, type Readable, type Transform } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { type Dispatcher, EnvHttpProxyAgent, Pool } from "undici";
import { AnalyticsError } from "../errors.ts";
import { readMember } from "../member.ts";
import { abortable } from "./abortable.ts";
import type { Fetch } from "./http-request.ts";
import type { HeaderFields } from "./http-response.ts";

export interface NetworkOptions {
  /** URLs of the proxies for http and https, and the hosts to reach without one. */
  httpProxy?: string | undefined;
  httpsProxy?: string | undefined;
  noProxy?: string | undefined;
  /** Milliseconds. */
  connectTimeout?: number;
  headersTimeout?: number;
  bodyTimeout?: number;
}

/**
 * Creates a GET, or a POST if there is a body, with a time limit for each phase (connect, headers, body), through the given proxies, that decompresses
 * the response. It does not use Node's `fetch`, which would load a second copy of undici.
 */
export function createNetworkFetch(options: NetworkOptions = {}): Fetch {
  const request = createRequest(options);
  return async (url, { headers, body, signal }) => {
    const sent = { ...headers, "accept-encoding": ACCEPTED_CODINGS, "user-agent": "analytics-mcp" };
    const method = body === undefined ? "GET" : "POST";
    const response = await request(url, { method, headers: sent, body, signal });
    const fields = readFields(response.headers);
    return {
      status: response.statusCode,
      headers: fields,
      body: decompress(response.body, fields.get("content-encoding") ?? "", signal),
    };
  };
}

/** A request that is sent exactly as it is. */
export interface RawRequest {
  method: string;
  headers: Record<string, string>;
  body?: string | undefined;
  signal: AbortSignal;
}

export interface RawResponse {
  status: number;
  headers: Headers;
  body: AsyncIterable<Uint8Array> | null;
}

export type Send = (url: string, request: RawRequest) => Promise<RawResponse>;

/**
 * Sends a request without adding to it. `fetch` would add `cache-control: no-cache` to a request with If-None-Match,
 * and it refuses a GET with a body, which HTTP allows.
 */
export function createNetworkSend(options: NetworkOptions = {}): Send {
  const send = createRequest(options);
  return async (url, request) => {
    const { statusCode, headers, body } = await send(url, request);
    const fields = Object.entries(headers).map(([name, field]): [string, string] => [name, joinField(field)]);
    return { status: statusCode, headers: new Headers(fields), body };
  };
}

/**
 * Never follows a redirect, which would carry the key to wherever it points. `abortable` ends a request that is still
 * waiting for a connection, for example through a slow proxy: undici ignores the signal until it has one.
 */
function createRequest(options: NetworkOptions) {
  const dispatcher = createDispatcher(options);
  return (url: string, { method, body, headers, signal }: RawRequest) => {
    const { origin, pathname, search } = new URL(url);
    const path = pathname + search;
    // undici's type lists the common methods, but it sends any.
    const sent = { origin, path, method: method as "GET", headers, body: body ?? null, signal };
    return abortable(signal, dispatcher.request(sent), (late) => discard(late.body));
  };
}

function readFields(headers: IncomingHttpHeaders): HeaderFields {
  return {
    // undici gives all names in lower case.
    get: (name) => {
      const field = readMember(headers, name.toLowerCase());
      return field === undefined ? null : joinField(field);
    },
  };
}

/** Several fields of one name are one list (RFC 9110, section 5.3). */
const joinField = (value: string | string[] = "") => [value].flat().join(", ");

const ACCEPTED_CODINGS = "gzip, br";
/** No service needs more, and a few bytes that were compressed many times over take hours to decompress. */
const MAX_CODINGS = 2;

/** Content codings of RFC 9110, section 8.4.1, and RFC 7932. */
const decoders = new Map<string, () => Transform>([
  ["gzip", createGunzip],
  ["x-gzip", createGunzip],
  ["deflate", createInflate],
  ["br", createBrotliDecompress],
]);

/**
 * Decodes a body, the last coding first. With too many codings or an unknown one, reading the body throws AnalyticsError
 * `bad_answer`; the status can still be read. undici's `interceptors.decompress` is no replacement: in 7.30 it prints an
 * ExperimentalWarning on stderr, and its limit of five codings is fixed and throws an error without a code.
 */
function decompress(body: Readable, codings: string, signal: AbortSignal): Readable {
  const names = codings
    .split(",")
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== "" && name !== "identity")
    .reverse();
  const found = names.flatMap((name) => decoders.get(name) ?? []);
  if (found.length < names.length) {
    // Without its name: a service could echo the key there.
    return failBody(body, "The service's answer has a Content-Encoding that was not asked for.");
  }
  if (found.length > MAX_CODINGS) {
    return failBody(body, `The service compressed its answer ${found.length} times.`);
  }
  return found.reduce<Readable>(
    // One pipeline per decoder, so that an error at any stage reaches the reader of the last one.
    (encoded, create) =>
      addAbortSignal(
        signal,
        pipeline(encoded, create(), () => {}),
      ),
    body,
  );
}

/** Closes a body, so that reading it fails. */
function failBody(body: Readable, message: string): Readable {
  const error = new AnalyticsError("bad_answer", message, { hint: "Report it to the service's operator." });
  return body.on("error", () => {}).destroy(error);
}

/** Closes a body that nobody reads, and its connection. */
function discard(body: Readable) {
  body.on("error", () => {}).destroy();
}

/**
 * Fails when a proxy opens no tunnel. undici would treat the closed connection as temporary and try again forever.
 */
class TunnelPool extends Pool {
  override async connect(options: Dispatcher.ConnectOptions): Promise<Dispatcher.ConnectData> {
    try {
      return await super.connect(options);
    } catch (cause) {
      const { code } = Object(cause);
      if (code !== "UND_ERR_SOCKET" && code !== "UND_ERR_HEADERS_TIMEOUT") throw cause;
      throw Object.assign(new Error("The proxy opens no tunnel."), { code: "UND_ERR_ABORTED" });
    }
  }
}

function createDispatcher(options: NetworkOptions): EnvHttpProxyAgent {
  const { httpProxy, httpsProxy, noProxy, headersTimeout = 10_000 } = options;
  return new EnvHttpProxyAgent({
    // The proxy agent itself sets no time limit for opening a tunnel.
    clientFactory: (origin, client) => new TunnelPool(origin, { ...client, headersTimeout }),
    // Without a value the agent would read process.env.
    httpProxy: httpProxy ?? "",
    httpsProxy: httpsProxy ?? "",
    noProxy: noProxy ?? "",
    connect: { timeout: options.connectTimeout ?? 5_000 },
    headersTimeout,
    bodyTimeout: options.bodyTimeout ?? 10_000,
  });
}
