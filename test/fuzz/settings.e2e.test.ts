import fc from "fast-check";
import { expect, it } from "vitest";
import { readAccess } from "../../src/config/access.ts";
import { readCallsPerMinute } from "../../src/config/calls-per-minute.ts";
import { readProxies } from "../../src/config/proxy-settings.ts";
import { readServeSettings, serveVariables } from "../../src/config/serve-settings.ts";
import { readServiceUrl } from "../../src/config/service-url.ts";
import { AnalyticsError } from "../../src/errors.ts";
import { createHome } from "../support/profiles.ts";
import { fuzz, TIMEOUT_MS } from "./fuzz.ts";
import { mutateText, oddText } from "./mutations.ts";

const KEY = "canary-4f1c9a2e77d04b6f";
const home = createHome({
  acme: { baseUrl: "https://stats.example.test", apiKey: KEY, site: "example.com" },
});

const right: Record<string, string[]> = {
  ANALYTICS_API_KEY: [KEY],
  ANALYTICS_BASE_URL: [
    "https://stats.example.test/api/v1/",
    "http://localhost:8787",
    "http://stats.example.test",
  ],
  ANALYTICS_PROFILE: ["acme"],
  ANALYTICS_SITE: ["example.com"],
  ANALYTICS_ALLOW_HTTP: ["stats.example.test, other.example"],
  ANALYTICS_CALLS_PER_MINUTE: ["300"],
  HTTPS_PROXY: ["proxy.example:3128", "http://user:word@proxy.example"],
  http_proxy: ["https://proxy.example"],
  NO_PROXY: ["*.example.test,localhost"],
  [serveVariables.host]: ["127.0.0.1", "::1"],
  [serveVariables.port]: ["8788"],
  [serveVariables.publicUrl]: ["https://mcp.example.com"],
  [serveVariables.dashboardUrl]: ["https://stats.example.com/keys"],
  [serveVariables.store]: ["memory", "redis://localhost"],
  [serveVariables.secretFile]: ["secret"],
  [serveVariables.trustProxy]: ["on"],
  [serveVariables.allowedOrigins]: ["https://x.example, y.example"],
  [serveVariables.registration]: ["off"],
  [serveVariables.adminListen]: ["[::1]:9090"],
  [serveVariables.drainDelay]: ["5"],
  [serveVariables.logLevel]: ["warn"],
  XDG_STATE_HOME: ["/state", ""],
};

const variables = fc
  .record(
    Object.fromEntries(
      Object.entries(right).map(([name, values]) => [
        name,
        fc.oneof(
          { weight: 4, arbitrary: fc.constantFrom(...values) },
          { weight: 2, arbitrary: mutateText(fc.constantFrom(...values)) },
          { weight: 1, arbitrary: oddText },
        ),
      ]),
    ),
    { requiredKeys: [] },
  )
  .map((environment) => ({ ...environment }));

/** What a reader gives, or refuses with a sentence of this program's. */
function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof AnalyticsError)) throw error;
    expect(error.code).not.toBe("internal_error");
    expect(`${error.message} ${error.hint}`).not.toContain(KEY);
    return undefined;
  }
}

it(
  "each variable of the environment is read or refused, and no refusal holds the key",
  { timeout: TIMEOUT_MS },
  () =>
    fuzz("settings", variables, (given) => {
      const environment: Record<string, string> = { ...home, ...given };
      const access = attempt(() => readAccess({}, environment));
      if (access) {
        const { protocol, hostname, username, pathname } = new URL(access.baseUrl);
        expect(access.apiKey).toMatch(/^[\x21-\x7e]+$/);
        expect([username, pathname.endsWith("/api/v1")]).toEqual(["", true]);
        // Over plain http the key goes to this machine, and to hosts that are named.
        const named = (environment.ANALYTICS_ALLOW_HTTP ?? "").toLowerCase();
        const isSafe = protocol === "https:" || hostname === "localhost" || /^(127\.|\[::1\])/.test(hostname);
        expect([access.baseUrl, isSafe || named.includes(hostname)]).toEqual([access.baseUrl, true]);
        // A saved key goes to its own address.
        if (access.profile !== undefined) expect(access.baseUrl).toBe("https://stats.example.test/api/v1");
        attempt(() => readProxies(environment, access.baseUrl));
      }
      attempt(() => readServiceUrl({}, environment));
      const calls = attempt(() => readCallsPerMinute(environment));
      if (calls !== undefined) expect(calls).toBeGreaterThan(0);
      const settings = attempt(() => readServeSettings({}, environment, false));
      if (!settings) return;
      expect(settings.port).toBeLessThan(65_536);
      const isOfMachine = /^(127\.\d|localhost$|::1$)/.test(settings.host);
      expect([settings.host, isOfMachine || settings.publicUrl !== undefined]).toEqual([settings.host, true]);
      if (settings.publicUrl !== undefined)
        expect(new URL(settings.publicUrl).origin).toBe(settings.publicUrl);
    }),
);
