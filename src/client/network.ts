import type { IncomingHttpHeaders } from "node:http";
import { addAbortSignal, type Duplex, pipeline, type Readable } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { type Dispatcher, EnvHttpProxyAgent, Pool } from "undici";
import { AnalyticsError } from "../errors.ts";
import type { Fetch, HeaderFields } from "./exchange.ts";
import { within } from "./within.ts";

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
      body: unpack(answer.body, fields.get("content-encoding") ?? "", signal),
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

/**
 * A redirect is an answer to look at: followed, it would carry the key to wherever it points. undici hears a signal
 * when it has a connection alone, which a proxy may keep it waiting for.
 */
function createRequest(options: NetworkOptions) {
  const dispatcher = createDispatcher(options);
  return (url: string, { method, body, headers, signal }: Outgoing) => {
    const { origin, pathname, search } = new URL(url);
    const path = pathname + search;
    const sent = { origin, path, method: method as "GET", headers, body: body ?? null, signal };
    return within(signal, dispatcher.request(sent), (late) => discard(late.body));
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

const CODINGS = "gzip, br";
/** Of codings put one on the other. None needs more, and small bytes can hold hours of unpacking. */
const MOST_CODINGS = 2;

/** Content codings of RFC 9110, section 8.4.1, and of RFC 7932. */
const unpackers = new Map<string, () => Duplex>([
  ["gzip", createGunzip],
  ["x-gzip", createGunzip],
  ["deflate", createInflate],
  ["br", createBrotliDecompress],
]);

/**
 * A body without its codings, the last one taken off first; one that is unknown is left on. Throws AnalyticsError
 * `bad_answer` where there are too many.
 */
function unpack(body: Readable, codings: string, signal: AbortSignal): AsyncIterable<Uint8Array> {
  const names = codings.split(",").map((each) => each.trim().toLowerCase());
  const stages = names.reverse().flatMap((name) => unpackers.get(name) ?? []);
  if (stages.length > MOST_CODINGS) {
    discard(body);
    throw new AnalyticsError("bad_answer", `The service's answer is packed ${stages.length} times over.`, {
      hint: "Tell whoever runs the service.",
    });
  }
  return stages.reduce<Readable>(
    // Whoever reads hears of what went wrong, at whichever stage.
    (packed, create) =>
      addAbortSignal(
        signal,
        pipeline(packed, create(), () => {}),
      ),
    body,
  );
}

/** A body that nobody reads, and its connection with it. */
function discard(body: Readable) {
  body.on("error", () => {}).destroy();
}

/**
 * Asks a proxy for a tunnel, in time: a proxy agent sets no limit of its own. A proxy that closes the connection
 * instead is asked again without end where undici takes that for a passing error.
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
    clientFactory: (origin, client) => new TunnelPool(origin, { ...client, headersTimeout }),
    // Where one is absent the agent would read process.env by itself.
    httpProxy: httpProxy ?? "",
    httpsProxy: httpsProxy ?? "",
    noProxy: noProxy ?? "",
    connect: { timeout: options.connectTimeout ?? 5_000 },
    headersTimeout,
    bodyTimeout: options.bodyTimeout ?? 10_000,
  });
}
