import { AsyncLocalStorage } from "node:async_hooks";
import { randomUUID } from "node:crypto";
import type { IncomingMessage, RequestListener } from "node:http";
import type { Fetch } from "../client/exchange.ts";
import type { Audit } from "../oauth/audit.ts";
import { cleanAddress, cleanWords } from "../oauth/pages/sanitize-untrusted.ts";
import { readAddress } from "./client-address.ts";
import type { Log } from "./connector-log.ts";
import { maskPath } from "./path-mask.ts";

/** One request of a client, and what comes to be known of it while it is answered. */
interface Visit {
  id: string;
  address: string;
  grant?: string | undefined;
}

/** Knows, wherever something happens, for which request it does; the log tells it by the request's id. */
export function createVisits(writeLine: Log, trustProxy: boolean) {
  const visits = new AsyncLocalStorage<Visit>();

  const log: Log = (event, facts) => writeLine(event, { request: visits.getStore()?.id, ...facts });

  const noteGrant = (grant: string | undefined) => {
    const visit = visits.getStore();
    if (visit && grant !== undefined) visit.grant = grant;
  };

  const audit: Audit = (event, { grant, client, name, reason }) => {
    noteGrant(grant);
    log(event, { grant, client: client && cleanAddress(client), name: cleanWords(name), reason });
  };

  /** Every call to the analytics service is a line: of its address the path alone. */
  const watchFetch =
    (fetch: Fetch): Fetch =>
    async (url, init) => {
      const start = performance.now();
      const tell = (outcome: { status?: number; error?: string }) =>
        log("upstream", {
          grant: visits.getStore()?.grant,
          path: new URL(url).pathname,
          ...outcome,
          ms: Math.round(performance.now() - start),
        });
      try {
        const response = await fetch(url, init);
        tell({ status: response.status });
        return response;
      } catch (error) {
        tell({ error: readReason(error) });
        throw error;
      }
    };

  /** @param onAnswered Told of each request when its answer is sent, or its client gone. */
  const receive =
    (listener: RequestListener, onAnswered: (request: IncomingMessage, status: number, ms: number) => void) =>
    (...[request, response]: Parameters<RequestListener>): void => {
      const start = performance.now();
      const visit: Visit = {
        id: randomUUID(),
        address: readAddress(request, trustProxy),
      };
      // As it came: the authorization server rewrites it.
      const { method, url = "/" } = request;
      response.once("close", () => {
        const ms = performance.now() - start;
        const { statusCode: status } = response;
        const path = maskPath(url);
        writeLine("request", {
          ...{ request: visit.id, grant: visit.grant, method, path, status },
          ms: Math.round(ms),
        });
        onAnswered(request, status, ms);
      });
      visits.run(visit, () => listener(request, response));
    };

  return { log, audit, noteGrant, watchFetch, receive, readAddress: () => visits.getStore()?.address ?? "" };
}

/** What went wrong, by its code or its kind: messages may hold addresses. */
function readReason(error: unknown): string {
  const { cause, code, name } = Object(error);
  return String(Object(cause).code ?? code ?? name);
}
