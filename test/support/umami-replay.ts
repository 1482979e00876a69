import { readFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createNetworkFetch } from "../../src/client/network.ts";
import type { GatewayContext } from "../../src/sources/gateways/gateway.ts";
import { send, startServer } from "./faulty-server.ts";
import { LOG_NOW } from "./logs.ts";
import { findProfile } from "./umami-visits.ts";

/** What Umami 3.1.0 answered to a request. `bench/services/umami.ts` records it. */
export interface RecordedAnswer {
  /** `GET /api/websites/…?endAt=…`, its parameters in order. */
  request: string;
  /** 200 if absent. */
  status?: number;
  body: unknown;
}

export const RECORDINGS = "test/sources/gateways/umami/recorded.json";

/** The further ones of a whole `conform`, but for the empty ones. */
export const CONFORM_RECORDINGS = "test/sources/gateways/umami/recorded-conform.json";

export const readRecordings = (file = RECORDINGS): RecordedAnswer[] => JSON.parse(readFileSync(file, "utf8"));

/** What Umami answers about days without visits; undefined for a request that is not about days. */
export function nameEmpty(request: string): unknown {
  const [, kind] = /^GET \/api\/websites\/[\w-]+\/([\w/]+)\?/.exec(request) ?? [];
  if (kind === "metrics/expanded" || kind === "events/series") return [];
  return kind === "pageviews" ? { pageviews: [], sessions: [] } : undefined;
}

/** The keys in the recordings, in place of those that were real. */
export const RECORDED = { reader: "token-of-a-reader", password: "password-of-a-reader" } as const;

/** The name of a request in the recordings. */
export function nameRequest(method: string, address: string): string {
  const { pathname, searchParams } = new URL(address, "http://localhost");
  searchParams.sort();
  return `${method} ${pathname}${searchParams.size === 0 ? "" : `?${searchParams}`}`;
}

/** What opening the gateway at an address needs. */
export function createUmamiContext(
  baseUrl: string,
  { apiKey = RECORDED.reader, cache, timezone }: { apiKey?: string; cache?: string; timezone?: string } = {},
): GatewayContext {
  return {
    clock: () => LOG_NOW,
    limits: { attempts: 2, firstBackoff: 1, maxBackoff: 5 },
    target: { baseUrl, apiKey, fetch: createNetworkFetch() },
    siteTimezones: timezone
      ? { "*": timezone }
      : {
          "example.com": findProfile("example.com").timezone,
          "docs.example.com": findProfile("docs.example.com").timezone,
        },
    environment: cache === undefined ? {} : { XDG_CACHE_HOME: cache },
  };
}

/** What Umami said to a request. What was not recorded is the status 418. */
function answerAsRecorded(answers: readonly RecordedAnswer[]) {
  const byRequest = new Map(answers.map((answer) => [answer.request, answer]));
  return (name: string, authorization: string | undefined): { status: number; body: unknown } => {
    const isKnown = authorization === `Bearer ${RECORDED.reader}` || name === "POST /api/auth/login";
    const { status = 200, body = null } = (isKnown ? byRequest.get(name) : UNAUTHORIZED) ?? { status: 418 };
    return { status, body };
  };
}

const UNAUTHORIZED = {
  status: 401,
  body: { error: { message: "Unauthorized", code: "unauthorized", status: 401 } },
};

/** @param spoil Answers in place of the recordings, if it returns true. */
export async function startReplay(
  answers: readonly RecordedAnswer[],
  spoil: (response: ServerResponse, name: string, request: IncomingMessage) => boolean = () => false,
) {
  const answer = answerAsRecorded(answers);
  const asked: string[] = [];
  const server = await startServer((request, response) => {
    const name = nameRequest(request.method ?? "", request.url ?? "");
    asked.push(name);
    if (spoil(response, name, request)) return;
    const { status, body } = answer(name, request.headers.authorization);
    send(response, status, { "content-type": "application/json" }, JSON.stringify(body));
  });
  return { url: server.origin, asked, close: server.close };
}
