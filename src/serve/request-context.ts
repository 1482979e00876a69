import { AsyncLocalStorage } from "node:async_hooks";
import { randomUUID } from "node:crypto";
import type { IncomingMessage, RequestListener } from "node:http";
import type { Fetch } from "../client/http-request.ts";
import { nameFailure } from "../errors.ts";
import type { Audit } from "../oauth/audit.ts";
import { paths } from "../oauth/discovery.ts";
import { cleanAddress, cleanWords } from "../oauth/pages/sanitize-untrusted.ts";
import { readAddress } from "./client-address.ts";
import type { Log } from "./connector-log.ts";

/** One request, and what is learned about it while it is answered. */
interface Context {
  id: string;
  address: string;
  grant?: string | undefined;
}

/** Up to Node 22 every promise of a process pays for each of these, so there is one, whatever the number of servers. */
const contexts = new AsyncLocalStorage<Context>();

/** Knows the current request at any place in the code, so that log lines carry its id. */
export function createRequestContext(writeLine: Log, trustProxy: boolean) {
  const log: Log = (event, facts) => writeLine(event, { request: contexts.getStore()?.id, ...facts });

  const noteGrant = (grant: string | undefined) => {
    const context = contexts.getStore();
    if (context && grant !== undefined) context.grant = grant;
  };

  const audit: Audit = (event, { grant, application, name, organization, key, address, reason }) => {
    noteGrant(grant);
    log(event, {
      grant,
      client: application && cleanAddress(application),
      name: cleanWords(name),
      organization,
      key_id: key,
      address: address && cleanAddress(address),
      reason,
    });
  };

  /** Logs every call to the analytics service, with the path of its address only. */
  const watchFetch =
    (fetch: Fetch): Fetch =>
    async (url, init) => {
      const start = performance.now();
      const logOutcome = (outcome: { status?: number; error?: string }) =>
        log("upstream", {
          grant: contexts.getStore()?.grant,
          path: new URL(url).pathname,
          ...outcome,
          ms: Math.round(performance.now() - start),
        });
      try {
        const response = await fetch(url, init);
        logOutcome({ status: response.status });
        return response;
      } catch (error) {
        logOutcome({ error: nameFailure(error) });
        throw error;
      }
    };

  let isReported = false;
  /** Warns once if a proxy's header is not read: everyone behind that proxy then shares the limits of one address. */
  const checkProxy = ({ headers }: IncomingMessage) => {
    const [header] = (["x-forwarded-for", "forwarded"] as const).filter(
      (name) => headers[name] !== undefined,
    );
    const isRead = trustProxy && headers["x-forwarded-for"] !== undefined;
    if (isReported || header === undefined || isRead) return;
    isReported = true;
    const advice = trustProxy
      ? "Only X-Forwarded-For is read. Have your proxy send it."
      : "Behind your own proxy, set --trust-proxy. Otherwise everyone counts as one address.";
    log("proxy_not_read", { header, message: advice });
  };

  /** @param onAnswered Called for each request when its answer is sent or its caller has disconnected. */
  const receive =
    (listener: RequestListener, onAnswered: (request: IncomingMessage, status: number, ms: number) => void) =>
    (...[request, response]: Parameters<RequestListener>): void => {
      const start = performance.now();
      const context: Context = { id: randomUUID(), address: readAddress(request, trustProxy) };
      // Read now, because the authorization server changes the request's URL.
      const { method, url = "/" } = request;
      response.once("close", () => {
        const ms = performance.now() - start;
        const { statusCode: status } = response;
        const path = maskPath(url);
        const { id, grant } = context;
        writeLine("request", { request: id, grant, method, path, status, ms: Math.round(ms) });
        onAnswered(request, status, ms);
      });
      contexts.run(context, () => {
        checkProxy(request);
        listener(request, response);
      });
    };

  const findAddress = () => contexts.getStore()?.address ?? "";
  return { log, audit, noteGrant, watchFetch, receive, readAddress: findAddress };
}

/** The words in paths of this server, and in those that programs often try. */
const KNOWN_WORDS = new Set([
  ...Object.values(paths).map((path) => path.slice(1)),
  "mcp",
  "sse",
  "healthz",
  "readyz",
  "metrics",
  "llms.txt",
  "favicon.ico",
  "robots.txt",
  ".well-known",
  "oauth-authorization-server",
  "oauth-protected-resource",
  "openid-configuration",
]);
const MAX_SEGMENTS = 6;

/**
 * Makes a request's path safe to log: without its query, and with a star for each segment that is not a known word.
 * Paths contain ids of sign-ins, and a program that builds a wrong address may put a token in it.
 */
export function maskPath(url: string): string {
  const [path = ""] = url.split(/[?#]/, 1);
  const [, ...segments] = path.split("/");
  const masked = segments.map((segment) => (segment === "" || KNOWN_WORDS.has(segment) ? segment : "*"));
  return `/${masked.slice(0, MAX_SEGMENTS).join("/")}`;
}
