import { once } from "node:events";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { findProfileFile } from "../../src/config/profiles.ts";
import { DEMO_KEY, GLOBEX_KEY } from "../support/api.ts";
import { at, KEY, type Listener, readReport, serve } from "../support/doctor-report.ts";
import { answerRightly, send } from "../support/faulty-server.ts";
import { asNobody, combined, createLogFolder, joinLines } from "../support/logs.ts";
import { findPort } from "../support/processes.ts";
import { createHome } from "../support/profiles.ts";
import { runShell } from "../support/shell.ts";

/** The doctor in this process. */
const examine = async (environment: Record<string, string>, argv: string[] = [], clock = Date.now) =>
  readReport(await runShell(["doctor", "--json", ...argv], { environment, clock }));

const JSON_TYPE = { "content-type": "application/json" };

describe("a working setup", () => {
  it("passes step by step", async () => {
    const { origin } = await serve();
    const { code, checks } = await examine(at(origin));
    expect(code).toBe(0);
    expect(checks.map(({ check, status }) => `${check}: ${status}`)).toEqual([
      "node: ok",
      "analytics-mcp: ok",
      "environment: ok",
      "profiles: skipped",
      "key: ok",
      "base URL: ok",
      "proxy: ok",
      "dns: skipped",
      "tcp: ok",
      "tls: skipped",
      "answer: ok",
      "access: ok",
      "clock: ok",
      "rate limit: ok",
      "contract: ok",
      "sites: ok",
      "clients: skipped",
    ]);
    expect(checks.map(({ detail }) => detail)).toEqual(
      expect.arrayContaining([
        "from ANALYTICS_API_KEY, ends in 4b6f",
        `${origin}/api/v1, from ANALYTICS_BASE_URL`,
        expect.stringMatching(/^asked 3 times, median \d+ ms$/),
        "version 1.2.0",
      ]),
    );
  });

  it("passes for the demo, which sends nothing", async () => {
    const { code, find } = await examine({}, ["--demo"]);
    expect([code, find("tcp"), find("source")?.status]).toEqual([0, undefined, "ok"]);
    expect(find("source")?.detail).toContain("sends nothing");
    expect(find("sites")?.detail).toContain("example.com");
  });

  it("is whole in a pipe, with each fix in its column alone", async () => {
    const { path } = createLogFolder({
      "a.example.com.access.log": joinLines(combined()),
      [`${"b".repeat(60)}.example.com.access.log`]: joinLines(combined()),
    });
    const { stdout, stderr } = await runShell(["doctor", "--logs", path("*")], {
      environment: createHome(),
    });
    expect(stdout).toMatch(
      /\nfailed\tlog files\tBy their names, [^\t]+\tName the site of each: .{200,}\*'\.\n/,
    );
    expect([stdout.replace("https://…/mcp", "").includes("…"), stderr]).toEqual([
      false,
      "error: A check failed: log files.\nhint: The report on standard output says why, and how to fix it.\n",
    ]);
  });

  it("says a log that may not be read as other commands do, and goes on", async () => {
    const { folder, path } = createLogFolder({ "access.log": joinLines(combined()) });
    chmodSync(folder, 0o755);
    chmodSync(path("access.log"), 0);
    const environment = createHome();
    mkdirSync(join(environment.HOME, ".local/state/analytics-mcp/logs"), { recursive: true });
    chmodSync(environment.HOME, 0o755);
    await asNobody(async () => {
      const { code, checks } = await examine(environment, [
        "--logs",
        path("access.log"),
        "--site",
        "example.com",
      ]);
      const find = (name: string) => checks.find(({ check }) => check === name);
      expect([code, find("log files"), find("histories"), find("clients")]).toMatchObject([
        1,
        {
          status: "failed",
          detail: `${path("access.log")} cannot be read: this user has no permission.`,
          fix: "To read it, run as a user who may.",
        },
        { status: "ok", detail: expect.stringMatching(/^none of the user \S+; other users have their own$/) },
        { status: "skipped" },
      ]);
    });
  });

  it("is shown as a table, with each fix below it", async () => {
    const { code, stdout, stderr } = await runShell(["doctor"], {
      isTTY: true,
      environment: { NO_COLOR: "1" },
    });
    expect(stdout).toMatch(/^status {3}check {10}detail\nok {7}node {11}version /);
    expect([code, stderr]).toEqual([
      4,
      expect.stringMatching(
        /source: Nothing is set up yet\. To start: analytics-mcp login\.[\s\S]*\nerror: A check failed: source\./,
      ),
    ]);
  });
});

describe("each fault is found, with its fix and its exit code", () => {
  it.each<[string, Record<string, string>, string, RegExp, RegExp, number]>([
    ["no key", { ANALYTICS_BASE_URL: "http://127.0.0.1:9" }, "key", /no API key/, /analytics-mcp login/, 4],
    [
      "a placeholder",
      { ...at("http://127.0.0.1:9"), ANALYTICS_API_KEY: "ak_xxx" },
      "key",
      /placeholder/,
      /dashboard/,
      4,
    ],
    ["an unexpanded key", { ANALYTICS_API_KEY: "${KEY}" }, "key", /unexpanded/, /analytics-mcp login/, 4],
    ["an unexpanded address", at("${URL}"), "base URL", /unexpanded/, /write the value/, 1],
    [
      "no address",
      { ANALYTICS_API_KEY: KEY },
      "base URL",
      /no address of a service/,
      /ANALYTICS_BASE_URL/,
      1,
    ],
    [
      "no such form",
      at("stats.example.com"),
      "base URL",
      /"stats.example.com" must start with http/,
      /Write https/,
      1,
    ],
    ["plain http", at("http://stats.example.com"), "base URL", /plain http/, /ANALYTICS_ALLOW_HTTP/, 1],
    [
      "no such host",
      at("https://no-such-host.invalid"),
      "dns",
      /host name does not exist|resolved/,
      /base URL/,
      5,
    ],
    [
      "a proxy that is none",
      { ...at("https://stats.example.com"), HTTPS_PROXY: "socks5://x" },
      ...(["proxy", /not the address/, /Example/, 5] as const),
    ],
    [
      "a proxy without a host",
      { ...at("https://stats.example.com"), HTTPS_PROXY: "no-such-proxy.invalid:1" },
      ...(["dns", /^The proxy no-such-proxy.invalid:1 cannot/, /NO_PROXY/, 5] as const),
    ],
  ])("%s", async (_, environment, check, detail, fix, exitCode) => {
    const { code, find } = await examine(environment);
    expect([code, find(check)]).toEqual([
      exitCode,
      { check, status: "failed", detail: expect.stringMatching(detail), fix: expect.stringMatching(fix) },
    ]);
    expect(find("answer")?.status).toBe("skipped");
  });

  it("nothing listens", async () => {
    const { code, find } = await examine(at(`http://127.0.0.1:${await findPort()}`));
    expect([code, find("tcp")?.detail]).toEqual([5, expect.stringContaining("nothing is listening there")]);
  });

  it("a proxy that refuses", async () => {
    const proxy = createServer((socket) => {
      socket.on("error", () => {});
      socket.once("data", () => socket.end("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n"));
    }).listen(0, "127.0.0.1");
    onTestFinished(() => void proxy.close());
    await once(proxy, "listening");
    const HTTPS_PROXY = `http://me:hunter2@127.0.0.1:${(proxy.address() as { port: number }).port}`;
    const { code, checks, find } = await examine({ ...at("https://stats.example.invalid"), HTTPS_PROXY });
    expect([code, find("proxy")?.detail]).toEqual([
      5,
      expect.stringMatching(/^through http:\/\/127\.0\.0\.1:\d+$/),
    ]);
    expect([find("tcp")?.status, find("answer")?.detail]).toEqual([
      "ok",
      expect.stringContaining("The proxy refused"),
    ]);
    expect(JSON.stringify(checks)).not.toContain("hunter2");
    const { find: findWithout } = await examine({
      ...at("https://stats.example.invalid"),
      HTTPS_PROXY,
      NO_PROXY: "localhost, .example.invalid",
    });
    expect([findWithout("proxy")?.detail, findWithout("dns")?.status]).toEqual(["none", "failed"]);
  });

  it.each<[string, Listener, string, RegExp, RegExp, number]>([
    [
      "a web page",
      (_, response) => send(response, 200, { "content-type": "text/html" }, "<html>"),
      ...(["answer", /text\/html, not JSON/, /base URL/, 1] as const),
    ],
    [
      "a wrong key",
      (_, response) => send(response, 401, JSON_TYPE, `{"code":"invalid_api_key","detail":"No: ${KEY}"}`),
      ...(["access", /No: \[key\]/, /Check ANALYTICS_API_KEY/, 4] as const),
    ],
    [
      "access refused",
      (_, response) => send(response, 403, {}, "<html>"),
      ...(["access", /refuses access to \/sites/, /in front of/, 4] as const),
    ],
    [
      "too many questions",
      (_, response) => send(response, 429, { "retry-after": "30", ratelimit: '"default";r=0;t=30' }, ""),
      ...(["answer", /status 429/, /again in 30 seconds/, 1] as const),
    ],
    [
      "a redirect",
      (_, response) => send(response, 301, { location: "https://www.example.com/" }, ""),
      ...(["answer", /redirects to https:\/\/www.example.com/, /use it as the base URL/, 1] as const),
    ],
    [
      "a fault of the service",
      (_, response) => send(response, 500, {}, ""),
      ...(["answer", /status 500/, /the service's/, 1] as const),
    ],
    [
      "nothing of the API",
      (_, response) => send(response, 404, {}, ""),
      ...(["answer", /status 404/, /there is no API/, 1] as const),
    ],
    [
      "another form of answer",
      (_, response) => send(response, 200, JSON_TYPE, '{"as_of":"2026-11-21T04:05:10Z"}'),
      ...(["answer", /no table that could be its list/, /mapping file/, 1] as const),
    ],
  ])("%s", async (_, listener, check, detail, fix, exitCode) => {
    const { code, find } = await examine(at((await serve(listener)).origin));
    expect([code, find(check)]).toEqual([
      exitCode,
      { check, status: "failed", detail: expect.stringMatching(detail), fix: expect.stringMatching(fix) },
    ]);
  });

  it("no TLS at an https address", async () => {
    const { origin } = await serve();
    const { code, find } = await examine(at(origin.replace("http:", "https:")));
    expect([code, find("tls")]).toMatchObject([
      5,
      {
        detail: expect.stringContaining("does not speak TLS"),
        fix: expect.stringMatching(`^Try ${origin} .*or check the port`),
      },
    ]);
  });
});

describe("what works but not for long gets a warning", () => {
  it.each([
    [7_200_000, "this machine is 2 h ahead of the service"],
    [-600_000, "this machine is 10 min behind the service"],
  ])("a clock that is %d ms off", async (offset, words) => {
    const { code, find } = await examine(at((await serve()).origin), [], () => Date.now() + offset);
    expect([code, find("clock")]).toMatchObject([
      0,
      { status: "warning", detail: expect.stringMatching(words) },
    ]);
  });

  it("few requests left, another version of the contract, no sites", async () => {
    const { origin } = await serve(async (request, response) => {
      const right = await answerRightly(request, (body) =>
        body.replace('"version":"1.2.0"', '"version":"2.0.0"').replace(/"sites":\[.*\]/, '"sites":[]'),
      );
      const { ratelimit: _, "content-length": __, etag: ___, ...headers } = right.headers;
      send(response, 200, { ...headers, "x-ratelimit-remaining": "2" }, right.body);
    });
    const { code, find } = await examine(at(origin));
    expect(code).toBe(0);
    expect([find("rate limit"), find("contract"), find("sites")]).toMatchObject([
      { status: "warning", detail: "2 requests left" },
      { status: "warning", detail: "the service has version 2.0.0, this program 1.2.0" },
      { status: "warning", detail: "the key's organization has no sites" },
    ]);
  });

  it("a chosen site that the key does not see", async () => {
    const { code, find } = await examine({ ...at((await serve()).origin), ANALYTICS_SITE: "globex.example" });
    expect([code, find("sites")]).toMatchObject([
      1,
      { status: "failed", fix: expect.stringContaining("example.com") },
    ]);
  });

  it("profiles that others can read, and damaged ones", async () => {
    const { origin } = await serve();
    const home = createHome({ default: { baseUrl: origin, apiKey: KEY } });
    const file = findProfileFile(home, "default");
    expect((await examine(home)).find("profiles")).toMatchObject({ status: "ok", detail: "default" });
    chmodSync(dirname(file), 0o755);
    expect((await examine(home)).find("profiles")?.fix).toMatch(/^chmod 700 /);
    chmodSync(file, 0o644);
    expect((await examine(home)).find("profiles")?.fix).toContain("chmod 600");
    writeFileSync(file, "{");
    const { code, find } = await examine(home);
    expect([code, find("profiles")?.detail]).toEqual([4, expect.stringContaining("damaged")]);
  });

  it.each<[Record<string, string>, RegExp]>([
    [{ ANALYTICS_APIKEY: KEY }, /ANALYTICS_APIKEY: this program does not read it/],
    [{ ANALYTICS_SITE: "${SITE}" }, /ANALYTICS_SITE: contains an unexpanded variable name/],
    [{ NODE_TLS_REJECT_UNAUTHORIZED: "0" }, /any server can impersonate the service/],
    [{ NODE_EXTRA_CA_CERTS: "/nowhere.pem" }, /cannot be read/],
    [{ ANALYTICS_API_KEY: KEY, ANALYTICS_PROFILE: "acme" }, /takes precedence/],
  ])("variables: %j", async (environment, words) => {
    expect((await examine(environment)).find("environment")).toMatchObject({
      status: "warning",
      detail: expect.stringMatching(words),
    });
  });
});

it("keys from options are checked, too", async () => {
  const { origin } = await serve();
  const home = createHome();
  const file = join(home.HOME, "key");
  writeFileSync(file, GLOBEX_KEY, { mode: 0o600 });
  const { code, find } = await examine(home, ["--api-key-file", file, "--base-url", origin]);
  expect([code, find("key")?.detail]).toEqual([0, "from --api-key-file, too short to show any of it"]);
  expect(JSON.stringify(find("key"))).not.toContain(DEMO_KEY);
});

it("a log in a pipe is read once, by the check of the sites", async () => {
  const ran = await runShell(["doctor", "--logs", "-", "--site", "example.com", "--json"], {
    environment: createHome(),
    stdin: joinLines(combined()),
  });
  const { checks } = readReport(ran);
  const found = (name: string) => checks.find(({ check }) => check === name);
  expect(ran.code).toBe(0);
  expect(found("log files")?.status).toBe("ok");
  expect(found("history")?.detail).toBe("standard input is not kept");
  expect(found("sites")).toMatchObject({ status: "ok", detail: expect.stringContaining("example.com") });
});
