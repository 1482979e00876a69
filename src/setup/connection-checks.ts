import { lookup } from "node:dns/promises";
import { connect as connectTcp, isIP } from "node:net";
import { connect as connectTls, type PeerCertificate } from "node:tls";
import { explainFailure } from "../client/network-failure.ts";
import { RetryableError } from "../client/retry.ts";
import { AnalyticsError } from "../errors.ts";
import { type Check, type Facts, type Finding, fail, ok, skip, warn } from "./check.ts";
import { findProxy, portOf } from "./proxy.ts";

const TIMEOUT_MS = 5_000;
const SOON_MS = 14 * 86_400_000;

/** The way to the service, a step at a time, so that the first step that fails is the one to look at. */
export const connectionChecks: readonly Check[] = [
  { name: "proxy", needs: ["base URL"], run: checkProxy },
  { name: "dns", needs: ["base URL", "proxy"], run: checkDns },
  { name: "tcp", needs: ["dns"], run: checkTcp },
  { name: "tls", needs: ["tcp"], run: checkTls },
];

async function checkProxy({ environment, readBaseUrl }: Facts): Promise<Finding> {
  const baseUrl = await readBaseUrl();
  try {
    const proxy = findProxy(environment, baseUrl);
    // Its user and password stay out.
    return ok(proxy === undefined ? "none" : `through ${proxy.protocol}//${proxy.host}`);
  } catch (error) {
    if (error instanceof AnalyticsError) return fail(error);
    throw error;
  }
}

/** Where this machine connects to: the service, or the proxy in front of it. */
async function findPeer({ environment, readBaseUrl }: Facts) {
  const baseUrl = await readBaseUrl();
  const proxy = findProxy(environment, baseUrl);
  const { protocol, hostname, port, origin } = proxy ?? new URL(baseUrl);
  const host = hostname.replace(/^\[|\]$/g, "");
  return { proxy, protocol, host, port: portOf(protocol, port), origin };
}

async function checkDns(facts: Facts): Promise<Finding> {
  const { host, origin, proxy } = await findPeer(facts);
  if (isIP(host)) return skip(`${host} is an address, not a name`);
  try {
    const addresses = await lookup(host, { all: true });
    const who = proxy === undefined ? "" : "the proxy ";
    return ok(`${who}${host} is ${addresses.map(({ address }) => address).join(", ")}`);
  } catch (cause) {
    return fail(explain(cause, origin, proxy));
  }
}

async function checkTcp(facts: Facts): Promise<Finding> {
  const { host, port, origin, proxy } = await findPeer(facts);
  const start = performance.now();
  const socket = connectTcp({ host, port, timeout: TIMEOUT_MS });
  try {
    await new Promise((resolve, reject) => {
      socket.once("connect", resolve).once("error", reject);
      socket.once("timeout", () => reject(Object.assign(new Error(), { code: "UND_ERR_CONNECT_TIMEOUT" })));
    });
    const who = proxy === undefined ? "" : "to the proxy ";
    return ok(`connected ${who}in ${Math.round(performance.now() - start)} ms`);
  } catch (cause) {
    return fail(explain(cause, origin, proxy));
  } finally {
    socket.destroy();
  }
}

async function checkTls(facts: Facts): Promise<Finding> {
  const { protocol, host, port, origin, proxy } = await findPeer(facts);
  if (proxy !== undefined) return skip("through the proxy: see the answer");
  if (protocol === "http:") return skip("plain http");
  const servername = isIP(host) ? "" : host;
  const socket = connectTls({ host, port, servername, rejectUnauthorized: false, timeout: TIMEOUT_MS });
  try {
    await new Promise((resolve, reject) => {
      socket.once("secureConnect", resolve).once("error", reject);
      socket.once("timeout", () => reject(Object.assign(new Error(), { code: "UND_ERR_CONNECT_TIMEOUT" })));
    });
    const code: unknown = socket.authorizationError;
    if (!socket.authorized) return fail(explain(Object.assign(new Error(), { code }), origin, undefined));
    return describeCertificate(socket.getPeerCertificate(), facts.clock());
  } catch (cause) {
    return fail(explain(cause, origin, undefined));
  } finally {
    socket.destroy();
  }
}

function describeCertificate(certificate: PeerCertificate, now: number): Finding {
  const end = Date.parse(certificate.valid_to);
  const detail = `certificate valid until ${new Date(end).toISOString().slice(0, 10)}`;
  if (end - now > SOON_MS) return ok(detail);
  return warn(detail, "Tell whoever runs the service: it expires soon.");
}

function explain(cause: unknown, origin: string, proxy: URL | undefined): AnalyticsError {
  const failure = explainFailure(cause, origin, [proxy?.href]);
  const error = failure instanceof RetryableError ? failure.error : failure;
  if (proxy === undefined || error.code === "proxy") return error;
  return new AnalyticsError("proxy", error.message.replace(origin, `The proxy ${proxy.host}`), {
    hint: "Check HTTPS_PROXY and HTTP_PROXY, or add the service's host to NO_PROXY.",
    cause,
  });
}
