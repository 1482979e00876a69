import { describe, expect, it } from "vitest";
import { readAccess } from "../../src/config/access.ts";
import { readCallsPerMinute } from "../../src/config/calls-per-minute.ts";
import { readProxies } from "../../src/config/proxy-settings.ts";
import { AnalyticsError } from "../../src/errors.ts";
import { operations } from "../../src/operations/index.ts";

const key = { ANALYTICS_API_KEY: "canary-key" };

function read(flags: Parameters<typeof readAccess>[0], environment: Record<string, string>) {
  try {
    return readAccess(flags, environment);
  } catch (error) {
    if (error instanceof AnalyticsError) return error;
    throw error;
  }
}

describe("the base URL", () => {
  it.each([
    ["https://stats.example.com", "https://stats.example.com/api/v1"],
    ["https://stats.example.com/", "https://stats.example.com/api/v1"],
    ["https://stats.example.com/api/v1", "https://stats.example.com/api/v1"],
    ["https://stats.example.com/api/v1///", "https://stats.example.com/api/v1"],
    [" HTTPS://Stats.Example.com:8443/prefix/ ", "https://stats.example.com:8443/prefix/api/v1"],
    ["http://localhost:8787", "http://localhost:8787/api/v1"],
    ...operations.map(({ path }) => [`http://localhost:8787/api/v1${path}`, "http://localhost:8787/api/v1"]),
    ["http://localhost:8787/web/api/v1/openapi.json/", "http://localhost:8787/web/api/v1"],
    ["http://localhost:8787/sites", "http://localhost:8787/sites/api/v1"],
    ["http://127.0.0.2:1/api/v1/", "http://127.0.0.2:1/api/v1"],
    ["http://[::1]:8787", "http://[::1]:8787/api/v1"],
  ])("%j is %s", (ANALYTICS_BASE_URL, baseUrl) => {
    expect(read({}, { ...key, ANALYTICS_BASE_URL })).toMatchObject({ apiKey: "canary-key", baseUrl });
  });

  it.each([
    "stats.example.com",
    "ftp://stats.example.com",
    "https://",
    "file:///etc/passwd",
    "javascript:alert(1)",
  ])("%s is refused", (ANALYTICS_BASE_URL) => {
    expect(read({}, { ...key, ANALYTICS_BASE_URL })).toMatchObject({ code: "invalid_base_url" });
  });

  it.each([
    ["127.0.0.1:8799", /"127\.0\.0\.1:8799" must start with http/, "Write --base-url http://127.0.0.1:8799"],
    [
      "stats.example.com/api/v1",
      /"stats\.example\.com" must start with http/,
      "Write --base-url https://stats.example.com",
    ],
    ["<address of your analytics service>", /is a placeholder/, "Example: https://stats.example.com"],
    ["https://<your host>/api/v1", /is a placeholder/, "Example: https://stats.example.com"],
    ["sk_canary_4f1c9a2e77d04b6f", /^--base-url is not an address/, "Example: https://stats.example.com"],
    [`${"eyJcanary0123456789.".repeat(4)}x`, /is not an address/, "Example: https://stats.example.com"],
    ["canary key", /is not an address/, "Example: https://stats.example.com"],
  ])("%s is refused with a reason, and no key is repeated", (baseUrl, message, hint) => {
    const error = read({ baseUrl }, key) as AnalyticsError;
    expect(error.message).toMatch(message);
    expect(error.hint).toContain(hint);
    expect(error.message).not.toContain("canary");
  });

  it("with a password is refused without repeating it", () => {
    const error = read({}, { ...key, ANALYTICS_BASE_URL: "https://me:hunter2@stats.example.com" });
    expect(error).toMatchObject({ code: "invalid_base_url" });
    expect(JSON.stringify([error, (error as Error).message])).not.toContain("hunter2");
  });

  it.each(["https://stats.example.com/?key=1", "https://stats.example.com/#x"])(
    "%s is refused",
    (ANALYTICS_BASE_URL) => {
      expect(read({}, { ...key, ANALYTICS_BASE_URL })).toMatchObject({ code: "invalid_base_url" });
    },
  );

  it.each([
    "http://stats.example.com",
    "http://127.0.0.1.evil.example",
    "http://localhost.evil.example",
    "http://10.0.0.1",
  ])("%s would send the key unencrypted, and is refused unless its host is allowed", (ANALYTICS_BASE_URL) => {
    const environment = { ...key, ANALYTICS_BASE_URL };
    expect(read({}, environment)).toMatchObject({ code: "invalid_base_url" });
    const { hostname } = new URL(ANALYTICS_BASE_URL);
    const allowed = { ...environment, ANALYTICS_ALLOW_HTTP: `other.example, ${hostname}` };
    expect(read({}, allowed)).toMatchObject({ baseUrl: `${ANALYTICS_BASE_URL}/api/v1` });
  });

  it("has no default", () => {
    for (const ANALYTICS_BASE_URL of ["", " ", "${ANALYTICS_BASE_URL}"]) {
      const error = read({}, { ...key, ANALYTICS_BASE_URL }) as AnalyticsError;
      expect(error.code).toBe("no_base_url");
      expect(`${error.message} ${error.hint}`).toContain("ANALYTICS_BASE_URL");
    }
    expect(read({ baseUrl: "" }, key)).toMatchObject({
      code: "invalid_base_url",
      message: "--base-url is empty.",
    });
  });
});

describe("the key", () => {
  it.each([[{}], [{ ANALYTICS_API_KEY: "" }], [{ ANALYTICS_API_KEY: "  " }]])(
    "is missing in %j",
    (environment) => {
      expect(read({}, environment)).toMatchObject({
        code: "no_api_key",
        hint: expect.stringContaining("--demo"),
      });
    },
  );

  it("is trimmed", () => {
    expect(
      read({}, { ANALYTICS_API_KEY: " canary-key\n", ANALYTICS_BASE_URL: "https://x.example" }),
    ).toMatchObject({
      apiKey: "canary-key",
    });
  });

  it.each(["two words", "Bearer abc", '"quotes"', "line\nbreak", "käse", "“quoted”"])(
    "%j is refused, and not repeated",
    (ANALYTICS_API_KEY) => {
      const error = read(
        {},
        { ANALYTICS_API_KEY, ANALYTICS_BASE_URL: "https://x.example" },
      ) as AnalyticsError;
      expect(error.code).toBe("invalid_api_key");
      expect(`${error.message}${error.hint}`).not.toContain(ANALYTICS_API_KEY);
    },
  );
});

it("proxies are read in lower case first, as curl does", () => {
  const environment = { https_proxy: "http://a", HTTPS_PROXY: "http://b", HTTP_PROXY: " ", NO_PROXY: "c" };
  expect(readProxies(environment, "https://stats.example.com/api/v1")).toEqual({
    httpProxy: undefined,
    httpsProxy: "http://a",
    noProxy: "c",
  });
});

it("a proxy's scheme is optional, and an address that is not http is refused", () => {
  const base = "https://stats.example.com/api/v1";
  expect(readProxies({ HTTPS_PROXY: "proxy.example:3128" }, base).httpsProxy).toBe(
    "http://proxy.example:3128",
  );
  for (const HTTPS_PROXY of ["socks5://proxy.example", "http://", "not a proxy"]) {
    expect(() => readProxies({ HTTPS_PROXY }, base)).toThrow(
      "HTTPS_PROXY is not the address of an http proxy.",
    );
  }
});

it.each(["http://localhost:8787/api/v1", "http://127.0.0.1/api/v1", "http://[::1]:1/api/v1"])(
  "%s is never called through a proxy, which would see the key",
  (base) => {
    const environment = { HTTP_PROXY: "http://proxy.example", HTTPS_PROXY: "http://proxy.example" };
    expect(readProxies(environment, base)).toEqual({
      httpProxy: undefined,
      httpsProxy: undefined,
      noProxy: undefined,
    });
  },
);

describe("calls per minute", () => {
  it.each([
    [undefined, 300],
    ["", 300],
    ["1", 1],
    [" 1000000 ", 1_000_000],
  ])("%o is %d", (value, expected) => {
    expect(readCallsPerMinute({ ANALYTICS_CALLS_PER_MINUTE: value })).toBe(expected);
  });

  it.each(["0", "-1", "1.5", "1e3", "many", "9999999999"])("%o is refused", (value) => {
    expect(() => readCallsPerMinute({ ANALYTICS_CALLS_PER_MINUTE: value })).toThrow("whole number");
  });
});
