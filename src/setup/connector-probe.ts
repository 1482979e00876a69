import type { RawResponse, Send } from "../client/network.ts";
import { explainLastFailure } from "../client/network-failure.ts";
import { AnalyticsError } from "../errors.ts";

const TIMEOUT_MS = 15_000;
/** Of an answer's text; more than any document or page needs. */
const MAX_CHARACTERS = 500_000;

/** An answer of a connector, read to its end. */
export interface Reply {
  url: string;
  status: number;
  headers: Headers;
  body: string;
  /** When it was asked for and answered, in milliseconds since 1970. */
  asked: number;
  answered: number;
}

export interface ProbeRequest {
  method?: string;
  headers?: Record<string, string>;
  body?: string;
}

/** Sends one request, without a key or a token, and follows no redirect. Throws AnalyticsError if there is no answer. */
export type Probe = (url: string, request?: ProbeRequest) => Promise<Reply>;

export function createProbe(
  send: Send,
  clock: () => number,
  proxies: readonly (string | undefined)[],
): Probe {
  return async (url, { method = "GET", headers = {}, body } = {}) => {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const { origin } = new URL(url);
    const asked = clock();
    try {
      const sent = { "user-agent": "analytics-mcp doctor", ...headers };
      const response = await send(url, { method, headers: sent, body, signal });
      const answered = clock();
      return { ...response, url, body: await readText(response), asked, answered };
    } catch (cause) {
      if (cause instanceof AnalyticsError) throw cause;
      if (signal.aborted) {
        throw new AnalyticsError("timeout", `${origin} did not answer in time.`, {
          hint: "Try again later, or look at the connector's log.",
        });
      }
      throw explainLastFailure(cause, origin, proxies);
    }
  };
}

async function readText({ body }: RawResponse): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    // Leaving the loop closes the connection.
    if (text.length > MAX_CHARACTERS) break;
  }
  return text;
}
