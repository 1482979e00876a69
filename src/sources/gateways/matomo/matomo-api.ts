import * as z from "zod";
import { createGatewayClient, type GatewayService } from "../../../client/gateway-client.ts";
import type { Target } from "../../../client/http-client.ts";
import { AnalyticsError, quote } from "../../../errors.ts";
import { readJson } from "../../../member.ts";
import { cleanText } from "../../../render/clean-text.ts";
import { dateAt } from "../../calendar.ts";
import type { Span } from "../../data-source.ts";
import { createSiteNotFound } from "../../site-not-found.ts";
import type { GatewayContext } from "../gateway.ts";
import { formatLogin } from "../login-command.ts";

/** Matomo answers an error with the status 200, in the language of the request. */
const failure = z.object({ result: z.literal("error"), message: z.string() });

/** PHP's drivers write some numbers as texts. */
export const count = z
  .union([z.number(), z.string().regex(/^\d{1,15}$/)])
  .transform(Number)
  .pipe(z.number().int().nonnegative());

export type Row = Record<string, unknown>;
export const rows = z.array(z.record(z.string(), z.unknown()));

/** Asks a method of Matomo's API. */
export type AskMatomo = <T>(
  method: string,
  params: Readonly<Record<string, string>>,
  options: { schema: z.ZodType<T>; freshFor?: number },
  signal: AbortSignal | undefined,
) => Promise<T>;

const SERVICE: Omit<GatewayService, "explain"> = {
  title: "Matomo",
  // The token is in each request's form.
  authorize: () => ({}),
  // Matomo counts a report when it is first asked for, and may answer nothing for a day that it counts twice at once.
  concurrency: 1,
};
/** The limit of Matomo's own cloud, for each address. A Matomo that people host themselves has none. */
const CLOUD = { host: /\.(matomo\.cloud|innocraft\.cloud)$/, quota: { requests: 350, seconds: 60 } };

/** Seconds. Days that are over change no more, but for late imports. */
const FRESH = { past: 600, today: 30 };

export function createMatomo({ target, clock, limits }: GatewayContext): AskMatomo {
  const isCloud = CLOUD.host.test(new URL(target.baseUrl).hostname);
  const service: GatewayService = {
    ...SERVICE,
    explain: (status, text) => explain(status, text, target),
    ...(isCloud && { quota: CLOUD.quota }),
  };
  const client = createGatewayClient(service, target, { clock, limits });
  return (method, params, { schema, freshFor }, signal) =>
    client.ask(
      {
        path: "/index.php",
        form: {
          module: "API",
          method,
          format: "JSON",
          // Its errors and the row of all other values are recognized by their words.
          language: "en",
          // Of any list, sites too, it gives the first 100 otherwise.
          filter_limit: "-1",
          ...params,
          token_auth: target.apiKey,
        },
        schema,
        ...(freshFor !== undefined && { freshFor }),
      },
      signal,
    );
}

/** The parameters of a span, of a report of each of its days or of all of them, and for how long the answer is fresh. */
export const describeSpan = ({ site, from, to, now }: Span, period: "day" | "range") => ({
  params: { idSite: site.id, period, date: `${from},${to}` },
  freshFor: to >= dateAt(now, site.timezone) ? FRESH.today : FRESH.past,
});

const MAX_WORDS = 200;

function explain(status: number, text: string, target: Target): AnalyticsError | undefined {
  const { message } = failure.safeParse(readJson(text)).data ?? {};
  if (message === undefined) return status === 401 ? createTokenError(target, status) : undefined;
  if (/view access for at least one website|authenticate|token/i.test(message))
    return createTokenError(target, status);
  if (/access for the website id|requires '?\w+'? access|website id = /i.test(message))
    return createSiteNotFound();
  if (/too many failed logins/i.test(message)) {
    return new AnalyticsError(
      "rate_limited",
      "Matomo has blocked this address after too many wrong tokens.",
      {
        status,
        hint: "Try again in an hour, with the right token.",
      },
    );
  }
  if (/upgrade required|maintenance/i.test(message)) {
    return new AnalyticsError("unavailable", "Matomo is being updated and cannot answer now.", {
      status,
      hint: "Its administrator has to finish the update, in Matomo or with ./console core:update.",
    });
  }
  if (status !== 200) return undefined;
  const words = quote(cleanText(message, MAX_WORDS));
  return new AnalyticsError("bad_answer", `Matomo refuses the question: ${words}.`, {
    status,
    hint: "Nothing was shown. docs/services.md says which versions and plugins of Matomo analytics-mcp was tried with.",
  });
}

/** Matomo does not tell an unknown token from one that may view nothing: it answers both as it answers strangers. */
export const createTokenError = (target: Target, status = 200) =>
  new AnalyticsError(
    "invalid_api_key",
    "Matomo does not know this token, or the token may not view any site.",
    {
      status,
      hint: `Create one in Matomo under Settings, Personal, Security, Auth tokens, as a user who may view the site. Then log in again: ${formatLogin("Matomo", target)}`,
    },
  );
