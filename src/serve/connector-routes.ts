import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { isLoopback } from "../config/base-url.ts";
import { buildLlmsTxt } from "../documents/llms.ts";
import { AnalyticsError } from "../errors.ts";
import { sendJson } from "../http/json-response.ts";
import type { Handle } from "../oauth/authorization-server.ts";
import { buildErrorPage } from "../oauth/pages/error-page.ts";
import { buildLandingPage, landingHeaders } from "../oauth/pages/landing-page.ts";
import { sendPage } from "../oauth/send-page.ts";
import { isUnavailable } from "../oauth/store/store-failure.ts";
import { quoteForShell } from "../operations/shell-command.ts";
import { queries } from "../reports/queries.ts";
import type { KeyedSource } from "../sources/source-types.ts";

export interface Readiness {
  /** Throws if the store does not work. */
  checkStore: () => Promise<void>;
  isDraining: () => boolean;
}

export interface RoutesOptions extends Readiness {
  publicUrl: string;
  /** Where people's keys are from. */
  source: Pick<KeyedSource, "name" | "about" | "publicKey" | "options">;
  dashboardUrl?: string | undefined;
  authorize: Handle;
  serveMcp: (request: IncomingMessage, response: ServerResponse) => Promise<void>;
  onFault: (fault: Error) => void;
  /** Called for every request that failed because of the store. */
  onUnavailable: (failure: AnalyticsError) => void;
}

/** Routes each request of the connector. */
export function createRoutes(options: RoutesOptions): RequestListener {
  const { onFault, source } = options;

  const route = async (request: IncomingMessage, response: ServerResponse) => {
    // Node refuses requests without the header, but not with an empty one (RFC 9112, section 3.2).
    if (request.headers.host === "") {
      const error_description = "The Host header is empty.";
      return sendJson(response, 400, { error: "invalid_request", error_description });
    }
    const path = (request.url ?? "/").replace(/\?.*/s, "");
    if (path === "/mcp" || path === "/mcp/") {
      return isBrowser(request)
        ? sendPage(response, 200, landing, landingHeaders)
        : options.serveMcp(request, response);
    }
    if (await options.authorize(request, response, path)) return;
    if (path === "/healthz") return sendJson(response, 200, { status: "ok" });
    if (path === "/readyz") return ready(response);
    if (path === "/llms.txt") {
      const headers = {
        "Content-Type": "text/plain; charset=utf-8",
        "Cache-Control": "public, max-age=3600",
      };
      return void response.writeHead(200, headers).end(buildLlmsTxt(queries));
    }
    if (path === "/") return sendPage(response, 200, landing, landingHeaders);
    sendPage(
      response,
      404,
      buildErrorPage({
        title: "Page not found",
        message: "There is nothing at this address. Check that it is typed correctly.",
      }),
    );
  };

  const landing = buildLandingPage({
    publicUrl: options.publicUrl,
    service: source.name,
    notice: source.about.notice,
    reads: source.about.reads,
    command: ["analytics-mcp serve", ...(source.options ?? []).map(quoteForShell)].join(" "),
    dashboardUrl: options.dashboardUrl,
    isLocal: isLoopback(new URL(options.publicUrl).hostname),
    hasPublicKey: source.publicKey !== undefined,
    documents: [{ title: "Summary for assistants (llms.txt)", path: "/llms.txt" }],
  });

  const ready = async (response: ServerResponse) => {
    if (options.isDraining()) return sendJson(response, 503, { status: "draining" });
    await options.checkStore();
    sendJson(response, 200, { status: "ready" });
  };

  const fail = (error: unknown, request: IncomingMessage, response: ServerResponse) => {
    // The caller hung up before it had sent its body: there is nobody to answer, and nothing is wrong here.
    if (error === request.errored) return response.destroy();
    if (isUnavailable(error)) options.onUnavailable(error);
    const [status, code] = readStatus(error);
    if (status === 500) onFault(error instanceof Error ? error : new Error(String(error)));
    if (response.headersSent) return response.destroy();
    const headers = status === 503 ? { "Retry-After": "5" } : {};
    const isPerson = request.headers.accept?.includes("text/html");
    if (status === 503 && isPerson) return sendPage(response, status, unavailable, headers);
    sendJson(response, status, { error: code }, headers);
  };

  return (request, response) => {
    route(request, response).catch((error: unknown) => fail(error, request, response));
  };
}

/** A person who opens the address to see what it is. Applications ask for JSON or an event stream. */
const isBrowser = ({ method, headers }: IncomingMessage) =>
  method === "GET" && headers.authorization === undefined && headers.accept?.includes("text/html") === true;

const unavailable = buildErrorPage({
  title: "This server is temporarily unavailable",
  message: "It cannot read or store sign-ins right now.",
  hint: "Wait a moment and reload this page.",
});

function readStatus(error: unknown): [number, string] {
  if (isUnavailable(error)) return [503, "temporarily_unavailable"];
  return error instanceof AnalyticsError && error.code === "too_large"
    ? [413, "invalid_request"]
    : [500, "server_error"];
}
