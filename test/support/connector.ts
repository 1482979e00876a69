import { randomBytes } from "node:crypto";
import type { Target } from "../../src/client/http-client.ts";
import type { LogLevel } from "../../src/config/serve-settings.ts";
import { createMemoryStore } from "../../src/oauth/store/memory-store.ts";
import type { Store, StoreOptions } from "../../src/oauth/store/store.ts";
import { createLog } from "../../src/serve/connector-log.ts";
import { type ConnectorOptions, startConnector } from "../../src/serve/connector-server.ts";
import { createKeyedService } from "../../src/sources/service-source.ts";
import { createTestApi, DEMO_KEY } from "./api.ts";

export interface TestConnectorOptions extends Partial<Omit<ConnectorOptions, "store">> {
  /** The service's origin, as people see it. */
  service?: string;
  /** How the service is reached with a key; by default the reference API in this process. */
  reach?: (apiKey: string) => Target;
  /** By default a store in memory. */
  openStore?: (options: StoreOptions) => Store | Promise<Store>;
  time?: { now: number };
  /** By default everything is logged. */
  logLevel?: LogLevel;
}

/**
 * A clock that stands still until a test moves it. It is ahead, because oidc-provider compares codes with the machine's
 * clock: a minute after the connector's start, every new code would already have expired.
 */
export const createTestTime = () => ({ now: Date.now() + 600_000 });

/** The connector over real HTTP, in front of the reference API, on a clock that the test moves. */
export async function startTestConnector({
  openStore,
  reach,
  service = "https://stats.example.test",
  ...options
}: TestConnectorOptions = {}) {
  const { api, ask, time: apiTime } = createTestApi();
  const time = options.time ?? createTestTime();
  const lines: string[] = [];
  const upstream: { url: string; authorization: string | null; status: number }[] = [];
  const revoked = new Set<string>();
  /** The statuses that the service wrongly answers some keys with. */
  const faults = new Map<string, number>();
  /** Delays the service's answers until then, and counts the calls that are not answered yet. */
  const hold = { until: Promise.resolve(), waiting: 0 };
  const answer = (apiKey: string) => {
    const status = revoked.has(apiKey) ? 401 : faults.get(apiKey);
    if (status === undefined) return undefined;
    return new Response("{}", { status, headers: { "retry-after": "0" } });
  };
  const secret = options.secret ?? randomBytes(32);
  const clock = () => time.now;
  const report = (line: string) => void lines.push(line);
  const open = openStore ?? createMemoryStore;
  const store = await open({ clock, secret, report });
  const connector = await startConnector({
    host: "127.0.0.1",
    port: 0,
    allowedOrigins: [],
    registration: true,
    clientDocuments: true,
    trustProxy: false,
    callsPerMinute: 100_000,
    version: "0.0.0",
    source: createKeyedService(
      service,
      reach ??
        ((apiKey) => ({
          baseUrl: `${service}/api/v1`,
          apiKey,
          fetch: async (url, init) => {
            const request = new Request(url, init);
            hold.waiting += 1;
            await hold.until;
            try {
              init.signal?.throwIfAborted();
              const response = answer(apiKey) ?? (await api(request));
              const authorization = request.headers.get("authorization");
              upstream.push({ url, authorization, status: response.status });
              return response;
            } finally {
              hold.waiting -= 1;
            }
          },
        })),
      clock,
    ),
    store,
    secret,
    clock,
    log: createLog({ level: options.logLevel ?? "debug", clock, write: report }),
    ...options,
  });
  return {
    connector,
    store,
    time,
    apiTime,
    lines,
    upstream,
    revoked,
    faults,
    hold,
    secret,
    ask,
    /**
     * How often a client asked for the stream of server messages, which this server does not have. Older clients do so
     * after they connect, without waiting for the answer, so the request may arrive during a test's next step.
     */
    refusedStreams: () =>
      lines.filter((line) => /"method":"GET","path":"\/mcp\/?","status":405/.test(line)).length,
    publicUrl: connector.publicUrl,
    mcp: `${connector.publicUrl}/mcp`,
    close: async () => {
      await connector.close(100);
      await store.close();
    },
  };
}

/** A browser without scripts: it keeps cookies, and follows redirects that stay on the server. */
export function createBrowser(publicUrl: string) {
  const cookies = new Map<string, string>();
  const formatCookies = (except?: string) =>
    [...cookies].flatMap(([name, value]) => (name === except ? [] : `${name}=${value}`)).join("; ");
  const visit = async (url: string, init: RequestInit = {}): Promise<{ url: string; response: Response }> => {
    const headers = new Headers(init.headers);
    headers.set("cookie", formatCookies());
    const response = await fetch(url, { ...init, headers, redirect: "manual" });
    for (const cookie of response.headers.getSetCookie()) {
      const [pair = ""] = cookie.split(";");
      const [name = "", value = ""] = pair.split(/[=](.*)/s);
      if (/expires=Thu, 01 Jan 1970/i.test(cookie)) cookies.delete(name);
      else cookies.set(name, value);
    }
    const location = response.headers.get("location");
    if (location === null) return { url, response };
    const next = new URL(location, url).href;
    return next.startsWith(`${publicUrl}/`) ? visit(next) : { url: next, response };
  };
  return { visit, cookies, formatCookies };
}

/** Where the consent page's form goes, and its token. */
export function readConsentForm(html: string): { action: string; csrf: string } {
  const [, action = ""] = /<form method="post" action="([^"]+)"/.exec(html) ?? [];
  const [, csrf = ""] = /name="csrf" value="([^"]+)"/.exec(html) ?? [];
  return { action, csrf };
}

/** Opens the address, gives the key and follows the redirect, as a person would; returns the last address. */
export async function consent(publicUrl: string, authorizationUrl: string | URL, key = DEMO_KEY) {
  const browser = createBrowser(publicUrl);
  const { response } = await browser.visit(String(authorizationUrl));
  const { action, csrf } = readConsentForm(await response.text());
  const { url } = await browser.visit(publicUrl + action, {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded", origin: publicUrl },
    body: new URLSearchParams({ csrf, api_key: key, decision: "allow" }),
  });
  return new URL(url);
}
