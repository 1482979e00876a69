import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createNetworkFetch } from "../../src/client/network.ts";
import type { GatewayContext } from "../../src/sources/gateways/gateway.ts";
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

export const readRecordings = (): RecordedAnswer[] => JSON.parse(readFileSync(RECORDINGS, "utf8"));

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

/** A server that says what Umami said. What was not recorded is the status 418. */
export async function startReplay(answers: readonly RecordedAnswer[]) {
  const byRequest = new Map(answers.map((answer) => [answer.request, answer]));
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const name = nameRequest(request.method ?? "", request.url ?? "");
    asked.push(name);
    const isLogin = name === "POST /api/auth/login";
    const isKnown = request.headers.authorization === `Bearer ${RECORDED.reader}`;
    const answer = isLogin || isKnown ? byRequest.get(name) : UNAUTHORIZED;
    const { status = 200, body = null } = answer ?? { status: 418 };
    response.writeHead(status, { "content-type": "application/json" });
    response.end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const UNAUTHORIZED = {
  status: 401,
  body: { error: { message: "Unauthorized", code: "unauthorized", status: 401 } },
};
