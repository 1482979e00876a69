import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Listening, listen } from "../../src/api/listen.ts";
import { rules } from "../../src/conform/rules/sections.ts";
import { DEMO_KEY, GLOBEX_KEY, NOW } from "../support/api.ts";
import { createReferenceApi } from "../support/reference-api.ts";
import { runShell } from "../support/shell.ts";

const api = createReferenceApi({ clock: () => NOW, quota: { limit: 1_000_000, window: 60 } });
let good: Listening;
/** Answers like the reference, but with public caching. */
let careless: Listening;
/** Answers every request with 429. */
let exhausted: Listening;

beforeAll(async () => {
  good = await listen(api, "127.0.0.1", 0);
  careless = await listen(
    async (request) => {
      const response = await api(request);
      response.headers.set("Cache-Control", "public, max-age=60");
      return response;
    },
    "127.0.0.1",
    0,
  );
  exhausted = await listen(
    createReferenceApi({ clock: () => NOW, quota: { limit: 0, window: 3600 } }),
    "127.0.0.1",
    0,
  );
});
afterAll(() => Promise.all([good.close(), careless.close(), exhausted.close()]));

const keys = { ANALYTICS_API_KEY: DEMO_KEY, ANALYTICS_OTHER_API_KEY: GLOBEX_KEY };
const conform = (argv: string[], environment: Record<string, string> = keys, isTTY = false) =>
  runShell(["conform", ...argv], { environment: { NO_COLOR: "1", ...environment }, isTTY });

describe("conform", () => {
  it("prints one line per rule in a pipe, and exits with 0 if no rule fails", async () => {
    const { code, stdout, stderr } = await conform([good.origin, "--only", "auth,isolation"]);
    const [header, ...lines] = stdout.trimEnd().split("\n");
    expect([code, header]).toEqual([0, "rule\tseverity\tverdict\tdetail"]);
    expect(lines[0]).toBe("auth.missing-key\tmust\tpass\t");
    expect(lines).toHaveLength(
      rules.filter(({ id }) => id.startsWith("auth.") || id.startsWith("isolation.")).length,
    );
    expect(stderr).toMatch(/Authorization: 9 rules[\s\S]*20 of 20 rules kept, 0 failed/);
  });

  it("exits with 1 if a must rule fails, and says what to do", async () => {
    const { code, stdout, stderr } = await conform(
      [careless.origin, "--only", "headers.cache-private,headers.vary"],
      keys,
      true,
    );
    expect(code).toBe(1);
    expect(stdout).toContain(`Headers
  ✓ headers.vary
  ✗ headers.cache-private (must)
      rule      No shared cache may store an answer: Cache-Control is never
                public.
      expected  Cache-Control: private
      seen      "public, max-age=60"
      fix       Send private; use public and s-maxage only for pages without a
                key.
      curl -sg -i -H "Authorization: Bearer $ANALYTICS_API_KEY"`);
    expect(stdout).toMatch(
      /1 of 2 rules kept, 1 failed \(1 must, 0 should\), 0 could not be checked; \d+ requests\.\n$/,
    );
    expect(stderr.replaceAll(/\s+/g, " ")).toContain("A service need not keep the contract");
  });

  it("exits with 0 if only a should rule fails", async () => {
    const { code, stdout } = await conform([careless.origin, "--only", "errors.no-store"]);
    expect([code, stdout]).toEqual([0, expect.stringContaining("errors.no-store\tshould\tfail\t")]);
  });

  it("--json is the whole report", async () => {
    const { code, stdout } = await conform([good.origin, "--json", "--only", "stats"], {
      ANALYTICS_API_KEY: DEMO_KEY,
    });
    const report = JSON.parse(stdout);
    expect(code).toBe(0);
    expect(report).toMatchObject({
      base_url: `${good.origin}/api/v1`,
      checked_at: "2026-11-21T04:05:10Z",
      site: "docs.example.com",
      summary: { rules: 5, kept: 5, failed: 0, must_failed: 0, skipped: 0 },
    });
    expect(report.rules[0]).toEqual({
      id: "stats.answer",
      severity: "must",
      section: "stats",
      verdict: "pass",
      title: expect.any(String),
      detail: null,
      expected: null,
      seen: null,
      fix: null,
      request: null,
    });
  });

  it("exits with 3 and says why if it could check too little", async () => {
    const one = { ANALYTICS_API_KEY: DEMO_KEY };
    const { code, stderr } = await conform([good.origin, "--only", "isolation"], one);
    expect(code).toBe(3);
    expect(stderr).toMatch(
      /Only 0 of 11 rules could be checked: a second key is needed: set ANALYTICS_OTHER_API_KEY\.\n$/,
    );
    const json = await conform([good.origin, "--only", "isolation", "--json"], one);
    expect(json.code).toBe(3);
    expect(JSON.parse(json.stdout).summary.incomplete).toMatch(/^Only 0 of 11/);
    // A fault counts more.
    const faulty = await conform([careless.origin, "--only", "headers.cache-private,isolation"], one);
    expect([faulty.code, faulty.stderr]).toEqual([1, expect.stringContaining("Only 1 of 12 rules")]);
  });

  it("exits with 3 if the quota is used up from the first request on", async () => {
    const { code, stderr } = await conform([exhausted.origin]);
    expect([code, stderr]).toEqual([3, expect.stringContaining("requests a wait of another 3600 seconds")]);
  });

  it("says what it could not check, and why", async () => {
    const { code, stdout } = await conform(
      [good.origin, "--only", "isolation.fields", "--site", "www.example.com"],
      { ANALYTICS_API_KEY: DEMO_KEY },
      true,
    );
    expect(code).toBe(3);
    expect(stdout).toMatch(/\nOnly 0 of 1 rule could be checked: a second key is needed[\s\S]*\n$/);
    expect(stdout).toContain("site example.com");
    expect(stdout).toMatch(
      /– isolation\.fields\n {6}skipped {3}a second key is needed: set ANALYTICS_OTHER_API_KEY/,
    );
  });

  it("--list lists every rule and sends nothing", async () => {
    const { code, stdout } = await conform(["--list"], {});
    expect(code).toBe(0);
    expect(
      stdout
        .trimEnd()
        .split("\n")
        .slice(1)
        .map((line) => line.split("\t")[0]),
    ).toEqual(rules.map(({ id }) => id));
    expect((await conform(["--list", "--only", "stats", "--json"], {})).stdout).toContain('"stats.answer"');
  });

  it("--demo keeps every rule over HTTP, with a quota of 120 requests a minute", async () => {
    let now = Date.now();
    const { code, stderr } = await runShell(["conform", "--demo"], {
      clock: () => now,
      onPause: (milliseconds) => {
        now += milliseconds;
      },
    });
    const [first, ...later] = stderr.match(/^.*The quota is used up: waiting.*$/gm) ?? [];
    expect(first).toContain("A whole run takes 300 to 700 requests.");
    expect(later.filter((line) => line.includes("A whole run"))).toEqual([]);
    const kept = /(\d+) of \1 rules kept, 0 failed, 0 could not be checked; ([3-6]\d\d) requests/;
    expect([code, stderr]).toEqual([0, expect.stringMatching(kept)]);
  });
});

describe("exits with an error if nothing can be checked", () => {
  it.each<[string, () => string[], Record<string, string>, number, RegExp]>([
    ["no key", () => [good.origin], {}, 4, /There is no API key/],
    ["a wrong key", () => [good.origin], { ANALYTICS_API_KEY: "wrong" }, 4, /not valid/],
    ["no address", () => [], keys, 2, /no address of a service/],
    ["nobody there", () => ["http://127.0.0.1:59997"], keys, 5, /nothing is listening there/],
    ["another address", () => [`${good.origin}/app`], keys, 2, /Check the base URL/],
    ["no such site", () => [good.origin, "--site", "nope.example"], keys, 6, /docs\.example\.com/],
    ["no such rule", () => [good.origin, "--only", "auth,nope"], keys, 2, /no rule or section "nope"/],
    ["a mistyped section", () => [good.origin, "--only", "header"], keys, 2, /Did you mean headers\?/],
    ["an empty list of rules", () => [good.origin, "--only", ","], keys, 2, /--list/],
    ["two addresses", () => [good.origin, "--base-url", good.origin], keys, 2, /twice/],
    ["--demo with an address", () => [good.origin, "--demo"], keys, 2, /not both/],
    [
      "the same key twice",
      () => [good.origin],
      { ANALYTICS_API_KEY: DEMO_KEY, ANALYTICS_OTHER_API_KEY: DEMO_KEY },
      2,
      /the same key/,
    ],
  ])("%s", async (_, argv, environment, code, words) => {
    const result = await conform(argv(), environment);
    expect([result.code, result.stdout]).toEqual([code, ""]);
    expect(result.stderr).toMatch(words);
    expect(result.stderr).not.toContain(DEMO_KEY);
  });
});
