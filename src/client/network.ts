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
  const { httpProxy, httpsProxy, noProxy } = options;
  const dispatcher = new EnvHttpProxyAgent({
    // Where one is absent the agent would read process.env by itself.
    httpProxy: httpProxy ?? "",
    httpsProxy: httpsProxy ?? "",
    noProxy: noProxy ?? "",
    connect: { timeout: options.connectTimeout ?? 5_000 },
    headersTimeout: options.headersTimeout ?? 10_000,
    bodyTimeout: options.bodyTimeout ?? 10_000,
  });
  // Node's own fetch takes a dispatcher of this version of undici; only the types do not know each other.
  return (url, init) => fetch(url, { ...init, dispatcher } as unknown as RequestInit);
}
