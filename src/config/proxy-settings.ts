import { AnalyticsError } from "../errors.ts";
import { isLoopback } from "./base-url.ts";
import type { Environment } from "./variables.ts";

export interface Proxies {
  httpProxy: string | undefined;
  httpsProxy: string | undefined;
  noProxy: string | undefined;
}

/**
 * Reads the proxies for a base URL. As with curl, a variable in lower case takes precedence. A service on this machine
 * gets none: over plain http, a proxy would see the key. Throws AnalyticsError `proxy` for an invalid address.
 */
export function readProxies(environment: Environment, baseUrl: string): Proxies {
  if (isLoopback(new URL(baseUrl).hostname)) {
    return { httpProxy: undefined, httpsProxy: undefined, noProxy: undefined };
  }
  return readProxyVariables(environment);
}

/** Reads the proxies for public addresses. Throws AnalyticsError `proxy` for an invalid address. */
export function readProxyVariables(environment: Environment): Proxies {
  const read = (name: string) => {
    const value = (environment[name.toLowerCase()] ?? environment[name])?.trim();
    return value === "" ? undefined : value;
  };
  return {
    httpProxy: readProxy("HTTP_PROXY", read("HTTP_PROXY")),
    httpsProxy: readProxy("HTTPS_PROXY", read("HTTPS_PROXY")),
    noProxy: read("NO_PROXY"),
  };
}

function readProxy(name: string, value: string | undefined): string | undefined {
  if (value === undefined) return undefined;
  // `proxy.example:3128` is as common as with a scheme.
  const address = value.includes("://") ? value : `http://${value}`;
  if (/^https?:\/\//i.test(address) && URL.canParse(address)) return address;
  throw new AnalyticsError("proxy", `${name} is not the address of an http proxy.`, {
    hint: "Example: http://proxy.example:3128.",
  });
}
