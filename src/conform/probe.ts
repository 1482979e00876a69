import { abortable } from "../client/abortable.ts";
import { readBodyText } from "../client/http-response.ts";
import type { RawRequest, Send } from "../client/network.ts";
import { explainLastFailure } from "../client/network-failure.ts";
import { readRetryAfter } from "../client/response-headers.ts";
import { readBoundedJson } from "../client/result-parser.ts";
import { AnalyticsError } from "../errors.ts";
import type { Key, Reply, Sent } from "./reply.ts";
import { Breach, Halt } from "./verdict.ts";

export type { Send };

/** The service under test. */
export interface Target {
  /** Ends in `/api/v1`. */
  baseUrl: string;
  apiKey: string;
  /** A key of another organization, if given. */
  otherKey?: string | undefined;
  send: Send;
  proxies?: readonly (string | undefined)[];
}

export interface Ask {
  method?: string;
  headers?: Record<string, string>;
  body?: string;
  /** null sends no key; omitted means the caller's own key. */
  key?: Key | null;
  /** Sends the request even if the same one was sent before. */
  fresh?: boolean;
}

/** Parameters by name; one with several values is repeated. */
export type Params = Record<string, string | number | readonly string[]>;
export type Query = Params | string;

export interface Probe {
  ask(path: string, query?: Query, how?: Ask): Promise<Reply>;
  /** Forgets all replies, so that every request is sent again. */
  forgetReplies(): void;
  /** The 429 replies so far. */
  readonly refusals: readonly Reply[];
  /** All replies to GET with the status 200 so far. */
  readonly answers: readonly Reply[];
  readonly requests: number;
}

export interface ProbeOptions {
  clock: () => number;
  sleep: (milliseconds: number) => Promise<void>;
  note: (text: string) => void;
  limits: ProbeLimits;
}

/** Milliseconds, bytes and counts. */
export interface ProbeLimits {
  /** For one request including the whole body. */
  deadline: number;
  maxBytes: number;
  requests: number;
  /** For one wait that the service requests, and for all of them together. */
  wait: number;
  waits: number;
  /** After this many unanswered requests in a row, no more are sent. */
  unanswered: number;
}

export const DEFAULT_LIMITS: ProbeLimits = {
  deadline: 15_000,
  maxBytes: 10_000_000,
  requests: 880,
  wait: 180_000,
  waits: 1_200_000,
  unanswered: 4,
};

/** What is known about the quota of one key, or of requests without a key. */
interface Quota {
  /** Milliseconds since 1970. */
  exhaustedUntil: number;
  /** Set if the service requests a longer wait than the limits allow: no more such requests are sent. */
  end?: Halt;
}

/** A request without an answer breaks the rule that sent it. */
export class Unanswered extends Breach {
  readonly error: AnalyticsError;
  constructor(sent: Sent, error: AnalyticsError) {
    super(sent, "an answer", error.message.replace(/\.$/, ""), { cause: error });
    this.error = error;
  }
}

/**
 * Sends one request after the other, and the same request only once unless told otherwise. Respects the quota: after a
 * 429 it waits as long as the service requests, then sends the request again.
 */
export function createProbe(target: Target, own: Key, options: ProbeOptions): Probe {
  const { clock, sleep, note, limits } = options;
  const known = new Map<string, Reply>();
  const refusals: Reply[] = [];
  const answers: Reply[] = [];
  const quotas = new Map<string | undefined, Quota>();
  let [requests, waited, unanswered] = [0, 0, 0];

  const sendOnce = async (sent: Sent): Promise<Reply> => {
    if (requests >= limits.requests) throw new Halt(`the limit of ${limits.requests} requests is reached`);
    requests++;
    const signal = AbortSignal.timeout(limits.deadline);
    try {
      const { method, url, headers, body, key } = sent;
      const authorization = key && { authorization: `${key.scheme ?? "Bearer"} ${key.value}` };
      const outgoing: RawRequest = { method, headers: { ...headers, ...authorization }, body, signal };
      const answered = await abortable(signal, target.send(url, outgoing));
      const text = await abortable(signal, readBodyText(answered, limits.maxBytes));
      unanswered = 0;
      return { sent, status: answered.status, headers: answered.headers, text, json: readBoundedJson(text) };
    } catch (cause) {
      const error = explain(cause, signal, target, limits.deadline);
      const isSilence = error.code !== "too_large" && error.code !== "bad_answer";
      unanswered = isSilence ? unanswered + 1 : 0;
      throw new Unanswered(sent, error);
    }
  };

  const waitForQuota = async (quota: Quota, milliseconds: number) => {
    const seconds = Math.ceil(milliseconds / 1000);
    if (milliseconds > limits.wait || waited + milliseconds > limits.waits) {
      quota.end = new Halt(
        `the quota is used up, and the service requests a wait of another ${seconds} seconds`,
      );
      throw quota.end;
    }
    const length = waited === 0 ? " A whole run takes 300 to 700 requests." : "";
    note(`The quota is used up: waiting ${seconds} s, as the service requests.${length}`);
    waited += milliseconds;
    // A little longer: clocks differ, and whole seconds are rounded.
    await sleep(milliseconds + 500);
  };

  const send = async (sent: Sent): Promise<Reply> => {
    const quota: Quota = quotas.get(sent.key?.value) ?? { exhaustedUntil: 0 };
    quotas.set(sent.key?.value, quota);
    for (;;) {
      if (unanswered >= limits.unanswered) throw new Halt("the service stopped answering");
      if (quota.end) throw quota.end;
      // Only after the first 429: how a service refuses is a rule, too.
      const exhausted = quota.exhaustedUntil - clock();
      if (refusals.length > 0 && exhausted > 0) await waitForQuota(quota, exhausted);
      const reply = await sendOnce(sent);
      quota.exhaustedUntil = readExhaustedUntil(reply, clock());
      if (reply.status !== 429) return reply;
      refusals.push(reply);
      await waitForQuota(quota, readRetryAfter(reply.headers, clock()) ?? 30_000);
    }
  };

  return {
    refusals,
    answers,
    get requests() {
      return requests;
    },
    forgetReplies: () => known.clear(),
    ask: async (path, query = "", { method = "GET", headers = {}, body, key = own, fresh } = {}) => {
      const sent: Sent = {
        method,
        url: `${target.baseUrl}${path}${formatQuery(query)}`,
        headers: { accept: "application/json, application/problem+json", ...headers },
        key: key ?? undefined,
        body,
      };
      const request = JSON.stringify(sent);
      const earlier = known.get(request);
      if (!fresh && earlier) return earlier;
      const reply = await send(sent);
      known.set(request, reply);
      if (reply.status === 200 && method === "GET") answers.push(reply);
      return reply;
    },
  };
}

function explain(cause: unknown, signal: AbortSignal, target: Target, deadline: number): AnalyticsError {
  if (cause instanceof AnalyticsError) return cause;
  if (signal.aborted) {
    return new AnalyticsError("timeout", `No complete answer within ${deadline / 1000} seconds.`, {
      hint: "Check the base URL and the network, or try again later.",
      cause,
    });
  }
  return explainLastFailure(cause, new URL(target.baseUrl).origin, target.proxies ?? []);
}

/** When a used-up quota is renewed, from the fields of the IETF draft or the older ones; 0 if something remains. */
function readExhaustedUntil({ headers }: Reply, now: number): number {
  const text =
    /(?:^|;)\s*r=(\d+)/.exec(headers.get("ratelimit") ?? "")?.[1] ?? headers.get("x-ratelimit-remaining");
  const isExhausted = text !== null && /^0+$/.test(text);
  return isExhausted ? now + (readRetryAfter(headers, now) ?? 0) : 0;
}

function formatQuery(query: Query): string {
  if (typeof query === "string") return query === "" ? "" : `?${query}`;
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    [value].flat().map((each): [string, string] => [name, String(each)]),
  );
  return pairs.length === 0 ? "" : `?${new URLSearchParams(pairs)}`;
}
