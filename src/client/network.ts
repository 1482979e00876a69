import type { IncomingHttpHeaders } from "node:http";
import { type Duplex, pipeline, type Readable } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { EnvHttpProxyAgent } from "undici";
import type { Fetch, HeaderFields } from "./exchange.ts";

export interface NetworkOptions {
  /** Proxies as the environment gives them. */
  httpProxy?: string | undefined;
  httpsProxy?: string | undefined;
  noProxy?: string | undefined;
  /** Milliseconds. */
  connectTimeout?: number;
  headersTimeout?: number;
  bodyTimeout?: number;
}

/**
 * A GET with time limits for each phase, through the environment's proxies; its answer is unpacked. Not `fetch`:
 * Node's own would be a second copy of undici to be loaded.
 */
export function createNetworkFetch(options: NetworkOptions = {}): Fetch {
  const request = createRequest(options);
  return async (url, { headers, signal }) => {
    const asking = { ...headers, "accept-encoding": CODINGS, "user-agent": "analytics-mcp" };
    const answer = await request(url, { method: "GET", headers: asking, signal });
    const fields = readFields(answer.headers);
    return {
      status: answer.statusCode,
      headers: fields,
      body: unpack(answer.body, fields.get("content-encoding") ?? ""),
    };
  };
}

/** One request, written out: nothing is added to it. */
export interface Outgoing {
  method: string;
  headers: Record<string, string>;
  body?: string | undefined;
  signal: AbortSignal;
}

export interface Sent {
  status: number;
  headers: Headers;
  body: AsyncIterable<Uint8Array> | null;
}

export type Send = (url: string, outgoing: Outgoing) => Promise<Sent>;

/**
 * Sends what it is given and no more. `fetch` would tell a server not to use its cache when it is asked with
 * If-None-Match, and refuses what HTTP allows: a GET with a body.
 */
export function createNetworkSend(options: NetworkOptions = {}): Send {
  const request = createRequest(options);
  return async (url, outgoing) => {
    const { statusCode, headers, body } = await request(url, outgoing);
    const fields = Object.keys(headers).map((name): [string, string] => [name, joinField(headers[name])]);
    return { status: statusCode, headers: new Headers(fields), body };
  };
}

/** A redirect is an answer to look at: followed, it would carry the key to wherever it points. */
function createRequest(options: NetworkOptions) {
  const dispatcher = createDispatcher(options);
  return (url: string, { method, body, headers, signal }: Outgoing) => {
    const { origin, pathname, search } = new URL(url);
    const path = pathname + search;
    return dispatcher.request({ origin, path, method: method as "GET", headers, body: body ?? null, signal });
  };
}

function readFields(headers: IncomingHttpHeaders): HeaderFields {
  return {
    // undici gives names in lower case.
    get: (name) =>
      Object.hasOwn(headers, name.toLowerCase()) ? joinField(headers[name.toLowerCase()]) : null,
  };
}

/** A field that stands several times is one list (RFC 9110, section 5.3). */
const joinField = (value: string | string[] = "") => [value].flat().join(", ");

const CODINGS = "gzip, deflate, br";

/** Content codings of RFC 9110, section 8.4.1, and of RFC 7932. */
const unpackers: Record<string, () => Duplex> = {
  gzip: createGunzip,
  "x-gzip": createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/** What its codings were put on, the last one first; a coding that is unknown is left on. */
function unpack(body: Readable, codings: string): AsyncIterable<Uint8Array> {
  const names = codings.split(",").map((each) => each.trim().toLowerCase());
  const stages = names.reverse().map((name) => unpackers[name]);
  return stages.reduce<Readable>((packed, create) => {
    // Whoever reads hears of what went wrong, at whichever stage.
    return create === undefined ? packed : pipeline(packed, create(), () => {});
  }, body);
}

function createDispatcher(options: NetworkOptions): EnvHttpProxyAgent {
  const { httpProxy, httpsProxy, noProxy } = options;
  return new EnvHttpProxyAgent({
    // Where one is absent the agent would read process.env by itself.
    httpProxy: httpProxy ?? "",
    httpsProxy: httpsProxy ?? "",
    noProxy: noProxy ?? "",
    connect: { timeout: options.connectTimeout ?? 5_000 },
    headersTimeout: options.headersTimeout ?? 10_000,
    bodyTimeout: options.bodyTimeout ?? 10_000,
  });
}
