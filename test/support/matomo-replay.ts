import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createNetworkFetch } from "../../src/client/network.ts";
import type { GatewayContext } from "../../src/sources/gateways/gateway.ts";

/** Tokens in the recordings, in place of those that were real. */
export const RECORDED_TOKENS = {
  viewer: "0123456789abcdef0123456789abcdef",
  /** Of somebody who may view nothing. */
  stranger: "11111111111111111111111111111111",
  unknown: "22222222222222222222222222222222",
} as const;

/** What Matomo answered to a form, with the status 200. `bench/services/matomo.ts` records it. */
export interface RecordedAnswer {
  /** `viewer method=…&…`: whose token, and the other fields in order. */
  request: string;
  body: unknown;
}

/** Of a list, Matomo gives so many entries if it is not asked for more. */
const DEFAULT_LIMIT = 100;

const ALWAYS = ["module", "format", "language", "filter_limit", "token_auth"];

/** The name of a form in the recordings. */
export function nameForm(body: string, tokens: Readonly<Record<string, string>>): string {
  const form = new URLSearchParams(body);
  const token = form.get("token_auth");
  const who = Object.entries(tokens).find(([, known]) => known === token)?.[0] ?? "nobody";
  for (const name of ALWAYS) form.delete(name);
  form.sort();
  return `${who} ${decodeURIComponent(form.toString())}`;
}

/** The time at which the recorded questions were asked, to Matomo's clock and to the gateway's. */
export function createMatomoContext(
  baseUrl: string,
  now: number,
  apiKey: string = RECORDED_TOKENS.viewer,
): GatewayContext {
  return {
    clock: () => now,
    limits: { attempts: 2, firstBackoff: 1, maxBackoff: 5 },
    target: { baseUrl, apiKey, fetch: createNetworkFetch() },
    siteTimezones: undefined,
    environment: {},
  };
}

export interface ReplayedAnswer {
  status?: number;
  type?: string;
  headers?: Record<string, string>;
  body: unknown;
}

/** A server that says what Matomo said. What was not recorded is the status 418. */
export async function startMatomoReplay(
  answers: readonly RecordedAnswer[],
  /** Answers in place of a recorded one; undefined for the recorded one. */
  change: (method: string, name: string) => ReplayedAnswer | "silence" | undefined = () => undefined,
) {
  const byRequest = new Map(answers.map(({ request, body }) => [request, body]));
  const asked: { name: string; url: string; authorization: string | undefined }[] = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const name = nameForm(body, RECORDED_TOKENS);
    asked.push({ name, url: request.url ?? "", authorization: request.headers.authorization });
    const form = new URLSearchParams(body);
    const method = form.get("method") ?? "";
    const changed = change(method, name);
    if (changed === "silence") return;
    const known: ReplayedAnswer = byRequest.has(name)
      ? { body: byRequest.get(name) }
      : { status: 418, body: `Not recorded: ${name}` };
    const {
      status = 200,
      type = "application/json; charset=utf-8",
      headers = {},
      body: answer,
    } = changed ?? known;
    response.writeHead(status, { "content-type": type, ...headers });
    const limit = Number(form.get("filter_limit") ?? DEFAULT_LIMIT);
    const given = Array.isArray(answer) && limit >= 0 ? answer.slice(0, limit) : answer;
    response.end(typeof given === "string" ? given : JSON.stringify(given));
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
