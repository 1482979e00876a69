import { readProxies } from "../config/proxy-settings.ts";
import type { Environment } from "../config/variables.ts";

/** The proxy for requests to the base URL, chosen as undici's EnvHttpProxyAgent does. */
export function findProxy(environment: Environment, baseUrl: string): URL | undefined {
  const { httpProxy, httpsProxy, noProxy = "" } = readProxies(environment, baseUrl);
  const { protocol, hostname, port } = new URL(baseUrl);
  const proxy = protocol === "https:" ? (httpsProxy ?? httpProxy) : httpProxy;
  const isExcepted = noProxy.split(/[,\s]/).some((entry) => {
    const [, name = "", entryPort] = /^(.*?)(?::(\d+))?$/.exec(entry.toLowerCase()) ?? [];
    if (name === "" || (entryPort !== undefined && Number(entryPort) !== portOf(protocol, port)))
      return false;
    return /^[.*]/.test(name) ? hostname.endsWith(name.replace(/^\*/, "")) : hostname === name;
  });
  return proxy === undefined || isExcepted ? undefined : new URL(proxy);
}

export function portOf(protocol: string, port: string): number {
  return Number(port) || (protocol === "https:" ? 443 : 80);
}
