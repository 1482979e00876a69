import { lookup } from "node:dns/promises";
import { connect as connectTcp, isIP, type Socket } from "node:net";
import { connect as connectTls, type PeerCertificate } from "node:tls";
import { explainLastFailure } from "../client/network-failure.ts";
import { readProxies } from "../config/proxy-settings.ts";
import type { Environment } from "../config/variables.ts";
import { AnalyticsError } from "../errors.ts";
import { type Check, type ConnectionFacts, type Finding, fail, ok, skip, warn } from "./doctor-check.ts";

const TIMEOUT_MS = 5_000;
const EXPIRES_SOON_MS = 14 * 86_400_000;

/** The connection to the service, step by step: the first step that fails is the one to fix. */
export const connectionChecks: readonly Check<ConnectionFacts>[] = [
  { name: "proxy", needs: ["base URL"], run: checkProxy },
  { name: "dns", needs: ["base URL", "proxy"], run: checkDns },
  { name: "tcp", needs: ["dns"], run: checkTcp },
  { name: "tls", needs: ["tcp"], run: checkTls },
];

async function checkProxy({ environment, readBaseUrl }: ConnectionFacts): Promise<Finding> {
  const proxy = findProxy(environment, await readBaseUrl());
  // Without its user and password.
  return ok(proxy === undefined ? "none" : `through ${proxy.protocol}//${proxy.host}`);
}

/** The proxy for requests to the base URL, chosen as undici's EnvHttpProxyAgent does. */
function findProxy(environment: Environment, baseUrl: string): URL | undefined {
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

const portOf = (protocol: string, port: string): number => Number(port) || (protocol === "https:" ? 443 : 80);

/** What this machine connects to: the service, or the proxy in front of it. */
async function findPeer({ environment, readBaseUrl }: ConnectionFacts) {
  const baseUrl = await readBaseUrl();
  const proxy = findProxy(environment, baseUrl);
  const { protocol, hostname, port, origin } = proxy ?? new URL(baseUrl);
  const host = hostname.replace(/^\[|\]$/g, "");
  return { proxy, protocol, host, port: portOf(protocol, port), origin };
}

async function checkDns(facts: ConnectionFacts): Promise<Finding> {
  const { host, origin, proxy } = await findPeer(facts);
  if (isIP(host)) return skip(`${host} is an address, not a name`);
  try {
    const addresses = await lookup(host, { all: true });
    const who = proxy === undefined ? "" : "the proxy ";
    return ok(`${who}${host} is ${addresses.map(({ address }) => address).join(", ")}`);
  } catch (cause) {
    return fail(createConnectionError(cause, origin, proxy));
  }
}

async function checkTcp(facts: ConnectionFacts): Promise<Finding> {
  const { host, port, origin, proxy } = await findPeer(facts);
  const start = performance.now();
  const socket = connectTcp({ host, port, timeout: TIMEOUT_MS });
  try {
    await waitFor(socket, "connect");
    const who = proxy === undefined ? "" : "to the proxy ";
    return ok(`connected ${who}in ${Math.round(performance.now() - start)} ms`);
  } catch (cause) {
    return fail(createConnectionError(cause, origin, proxy));
  } finally {
    socket.destroy();
  }
}

const waitFor = (socket: Socket, event: "connect" | "secureConnect"): Promise<void> =>
  new Promise((resolve, reject) => {
    socket.once(event, resolve).once("error", reject);
    socket.once("timeout", () => reject(Object.assign(new Error(), { code: "UND_ERR_CONNECT_TIMEOUT" })));
  });

async function checkTls(facts: ConnectionFacts): Promise<Finding> {
  const { protocol, host, port, origin, proxy } = await findPeer(facts);
  if (proxy !== undefined) return skip("through the proxy: see the answer check");
  if (protocol === "http:") return skip("plain http");
  const servername = isIP(host) ? "" : host;
  const socket = connectTls({ host, port, servername, rejectUnauthorized: false, timeout: TIMEOUT_MS });
  try {
    await waitFor(socket, "secureConnect");
    const code: unknown = socket.authorizationError;
    if (!socket.authorized)
      return fail(createConnectionError(Object.assign(new Error(), { code }), origin, undefined));
    return describeCertificate(socket.getPeerCertificate(), facts.clock());
  } catch (cause) {
    return fail(createConnectionError(cause, origin, undefined));
  } finally {
    socket.destroy();
  }
}

function describeCertificate(certificate: PeerCertificate, now: number): Finding {
  const end = Date.parse(certificate.valid_to);
  const detail = `certificate valid until ${new Date(end).toISOString().slice(0, 10)}`;
  if (end - now > EXPIRES_SOON_MS) return ok(detail);
  return warn(detail, "It expires soon: tell the operator of the service.");
}

function createConnectionError(cause: unknown, origin: string, proxy: URL | undefined): AnalyticsError {
  const error = explainLastFailure(cause, origin, [proxy?.href]);
  if (proxy === undefined || error.code === "proxy") return error;
  return new AnalyticsError("proxy", error.message.replace(origin, `The proxy ${proxy.host}`), {
    hint: "Check HTTPS_PROXY and HTTP_PROXY, or add the service's host to NO_PROXY.",
    cause,
  });
}
