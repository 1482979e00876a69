import * as z from "zod";
import {
  createGatewayClient,
  type GatewayClient,
  type GatewayService,
} from "../../../client/gateway-client.ts";
import type { Target } from "../../../client/http-client.ts";
import { HEADER_VALUE } from "../../../config/api-key.ts";
import { AnalyticsError } from "../../../errors.ts";
import type { GatewayContext } from "../gateway.ts";
import { formatLogin } from "../login-command.ts";

const CLOUD = "api.umami.is";

/** Umami's API with one key. */
export interface UmamiApi extends Omit<GatewayClient, "assertAffordable"> {
  isCloud: boolean;
  /** Throws AnalyticsError `rate_limited` if so many requests take longer than a person would wait. */
  assertAffordable(requests: number, advise: (most: number) => string): void;
}

/** Umami Cloud's limit, and how many of its windows a question may take: a query ends after 50 seconds. */
const QUOTA = { requests: 50, seconds: 15 };
const MAX_WINDOWS = 3;

export function createUmamiApi({ target, clock, limits }: GatewayContext): UmamiApi {
  const isCloud = new URL(target.baseUrl).hostname === CLOUD;
  const service: GatewayService = {
    title: "Umami",
    authorize: (apiKey): Record<string, string> =>
      isCloud ? { "x-umami-api-key": apiKey } : { Authorization: `Bearer ${apiKey}` },
    explain: (status) => explainError(status, target),
    concurrency: 4,
    quota: isCloud ? QUOTA : undefined,
  };
  const api = { ...target, baseUrl: findApi(target.baseUrl) };
  const client = createGatewayClient(service, api, { clock, limits });
  return {
    isCloud,
    ask: client.ask,
    assertAffordable: (requests, advise) => {
      const most = QUOTA.requests * MAX_WINDOWS;
      if (!isCloud || requests <= most) return;
      throw new AnalyticsError(
        "rate_limited",
        `This question takes ${requests} requests to Umami Cloud, which allows ${QUOTA.requests} in ${QUOTA.seconds} seconds.`,
        { hint: advise(most), quota: { ...QUOTA } },
      );
    },
  };
}

/** Where the API is: below `/api` on a server of one's own. */
function findApi(baseUrl: string): string {
  const { hostname, pathname } = new URL(baseUrl);
  return hostname === CLOUD || pathname.endsWith("/api") ? baseUrl : `${baseUrl}/api`;
}

const login = z.object({ token: z.string().max(4_000).regex(HEADER_VALUE, "which cannot be a key") });

/** The token of a user. Throws AnalyticsError `invalid_api_key` for a wrong name or password. */
export async function signIn({ target, clock, limits }: GatewayContext, username: string, password: string) {
  const { hostname } = new URL(target.baseUrl);
  if (hostname === CLOUD) {
    throw new AnalyticsError("usage", "Umami Cloud has no sign-in for programs.", {
      hint: "Create an API key there, under Settings, API keys.",
    });
  }
  const service: GatewayService = {
    title: "Umami",
    authorize: () => ({}),
    explain: (status) => (status === 401 ? createSignInError() : explainError(status, target)),
    concurrency: 1,
  };
  const client = createGatewayClient(
    service,
    // In place of a key, so that no message repeats it.
    { ...target, apiKey: password, baseUrl: findApi(target.baseUrl) },
    { clock, limits },
  );
  const { token } = await client.ask({ path: "/auth/login", json: { username, password }, schema: login });
  return token;
}

const createSignInError = () =>
  new AnalyticsError("invalid_api_key", "Umami does not accept this user name and password.", {
    status: 401,
    hint: "Use those with which you log in to Umami in a browser.",
  });

/** Umami says little about its errors, and what it does not know is a page for people. */
function explainError(status: number, target: Target): AnalyticsError | undefined {
  if (status === 401) {
    return new AnalyticsError("invalid_api_key", "Umami does not accept the key (status 401).", {
      status,
      hint: `Keys are made under Settings, API keys, from Umami 3.4 on and in Umami Cloud; on an older server, log in with a user. One stops working when its user is deleted or APP_SECRET changes. Log in again: ${formatLogin("Umami", target)}`,
    });
  }
  if (status === 404 || status === 405 || status === 400) {
    return new AnalyticsError("bad_answer", `Umami does not know this request (status ${status}).`, {
      status,
      hint: "analytics-mcp needs Umami 3. Check Umami's version, and that the base URL is the address at which you open it.",
    });
  }
  return undefined;
}
