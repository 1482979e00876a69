import { EnvHttpProxyAgent } from "undici";
import type { Fetch } from "./exchange.ts";

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

/** The global `fetch` with time limits for each phase, through the environment's proxies. */
export function createNetworkFetch(options: NetworkOptions = {}): Fetch {
  const dispatcher = createDispatcher(options);
  // A redirect is an answer to look at: followed, it would carry the key to wherever it points. Node's own fetch
  // takes a dispatcher of this version of undici; only the types do not know each other.
  return (url, outgoing) =>
    fetch(url, { ...outgoing, redirect: "manual", dispatcher } as unknown as RequestInit);
}

/** One request, written out: nothing is added to it. */
export interface Outgoing {
  method: string;
  headers: Record<string, string>;
  body?: string | undefined;
  signal: AbortSignal;
}

export interface Answered {
  status: number;
  headers: Headers;
  body: AsyncIterable<Uint8Array> | null;
}

export type Send = (url: string, outgoing: Outgoing) => Promise<Answered>;

/**
 * Sends what it is given and no more, and follows no redirect. `fetch` would tell a server not to use its cache
 * when it is asked with If-None-Match, and refuses what HTTP allows: a GET with a body.
 */
export function createNetworkSend(options: NetworkOptions = {}): Send {
  const dispatcher = createDispatcher(options);
  return async (url, { method, body = null, headers, signal }) => {
    const { origin, pathname, search } = new URL(url);
    const sent = { origin, path: pathname + search, method: method as "GET", headers, body, signal };
    const answer = await dispatcher.request(sent);
    const fields = Object.entries(answer.headers).flatMap(([name, value = []]) =>
      [value].flat().map((each): [string, string] => [name, each]),
    );
    return { status: answer.statusCode, headers: new Headers(fields), body: answer.body };
  };
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
