import { appendFileSync, chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createApi } from "../../src/api/api.ts";
import { logs } from "../../src/sources/logs.ts";
import { openServedKeyring } from "../../src/sources/served-keyring.ts";
import { NOW } from "../support/api.ts";
import { writeHostLog } from "../support/host-log.ts";
import { runShell } from "../support/shell.ts";

const BASE = "http://localhost/api/v1";
const time = { now: NOW };
const clock = () => time.now;

let folder: string;
let reports: string[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "shared-"));
  reports = [];
  time.now = NOW;
  writeFileSync(
    join(folder, "access.log"),
    writeHostLog(NOW, [
      { host: "acme.example", visitors: 300 },
      { host: "shop.acme.example", visitors: 200 },
      // Less than one percent of all, and of what acme has.
      { host: "made-up.acme.example", visitors: 1 },
      { host: "www.tiny.example", visitors: 2 },
      { host: "xn--mnchen-3ya.example", visitors: 30 },
      { host: "notacme.example", visitors: 40 },
    ]),
  );
});
afterEach(() => rmSync(folder, { recursive: true }));

const keysFile = () => join(folder, "keys.json");
const addKey = async (name: string, sites?: string) => {
  const given = sites === undefined ? [] : ["--sites", sites];
  const { code, stdout } = await runShell(["keys", "add", name, ...given, "--keys", keysFile()]);
  expect(code).toBe(0);
  return stdout.trim();
};
const remove = (name: string) => runShell(["keys", "remove", name, "--keys", keysFile()]);

const openLog = (glob = "access.log") =>
  openServedKeyring(logs, {
    clock,
    environment: { XDG_STATE_HOME: join(folder, "state") },
    flags: { logs: [join(folder, glob)], keys: keysFile(), timezone: "UTC" },
    mayMakeKey: false,
    warn: (message) => void reports.push(message),
  });

/** The REST API over the log, with the keys of the file. */
async function startApi(glob?: string, quota = { limit: 10_000, window: 60 }) {
  const { find } = await openLog(glob);
  const api = createApi({ keyring: find, clock, quota, createRequestId: () => "request" });
  return async (key: string, path: string) => {
    const headers = new Headers({ authorization: `Bearer ${key}` });
    const response = await api({ method: "GET", url: `${BASE}${path}`, headers });
    return { ...response, json: JSON.parse(response.body ?? "null") };
  };
}

const domainsOf = (json: { sites: { domain: string }[] }) => json.sites.map(({ domain }) => domain);

describe("organizations on one log", () => {
  it("are named to the operator if the data has none of their sites", async () => {
    for (const [name, sites] of Object.entries({
      all: "*",
      small: "tiny.example",
      typo: "amce.example",
      later: "x.test,*.acme.example",
    }))
      await addKey(name, sites);
    const { prepare } = await openLog();
    await prepare?.();
    expect(reports).toEqual([
      "Organization typo: the data has no visit to amce.example. Did you mean acme.example? To change its sites: analytics-mcp keys sites typo --sites acme.example",
    ]);
    writeFileSync(join(folder, "access.log"), "");
    rmSync(join(folder, "state"), { recursive: true });
    reports = [];
    await (await openLog()).prepare?.();
    expect(reports).toEqual([expect.not.stringContaining("no visit")]);
  });

  it("are asked for where the file has none", async () => {
    await addKey("acme", "acme.example");
    await remove("acme");
    await (await openLog()).prepare?.();
    expect(reports).toEqual([
      expect.stringMatching(
        /keys\.json has no keys, so nobody can ask\. Create a key: analytics-mcp keys add /,
      ),
    ]);
  });

  it.each([
    ["acme.example", ["acme.example"]],
    ["*.acme.example", ["shop.acme.example"]],
    ["acme.example,*.acme.example", ["acme.example", "shop.acme.example"]],
    ["acme.example,made-up.acme.example", ["acme.example", "made-up.acme.example"]],
    ["WWW.TINY.example.", ["tiny.example"]],
    ["*.tiny.example", []],
    ["MÜNCHEN.example", ["xn--mnchen-3ya.example"]],
    ["nothing.example", []],
    ["*", ["acme.example", "notacme.example", "shop.acme.example", "xn--mnchen-3ya.example"]],
  ])("with %s have the sites %j", async (sites, expected) => {
    const key = await addKey("one", sites);
    const { status, json } = await (await startApi())(key, "/sites");
    expect([status, domainsOf(json)]).toEqual([200, expected]);
    const said = expected.length > 0 ? undefined : `no visit to the sites of this key: ${sites}.`;
    expect(json.warnings?.[0].detail).toEqual(said && expect.stringContaining(said));
    expect(JSON.stringify(json.warnings ?? "")).not.toMatch(/acme|m.nchen/);
  });

  it("get their own numbers, and another's site is no different from none", async () => {
    const [acme, tiny] = [await addKey("acme", "acme.example"), await addKey("tiny", "tiny.example")];
    const ask = await startApi();
    expect((await ask(acme, "/stats?site=acme.example&days=3")).json).toMatchObject({ visitors: 900 });
    expect((await ask(tiny, "/stats?site=tiny.example&days=3")).json).toMatchObject({ visitors: 6 });
    const [{ id }] = (await ask(acme, "/sites")).json.sites;
    for (const path of [
      "/stats?days=7&",
      "/timeseries?",
      "/breakdown?dimension=pages&",
      "/breakdown?dimension=cities&",
      "/realtime?",
      "/crawlers?",
      "/stats?from=2026-11-19&to=2026-11-20&",
    ]) {
      time.now += 60_000;
      const missing = await ask(tiny, `${path}site=nowhere.example`);
      expect(missing.status).toBe(404);
      for (const site of ["acme.example", id, "https://www.ACME.example./", "shop.acme.example"]) {
        time.now += 60_000;
        const foreign = await ask(tiny, `${path}site=${site}`);
        expect([foreign.body, ...foreign.headers]).toEqual([missing.body, ...missing.headers]);
      }
    }
    expect((await ask(tiny, "/crawlers?site=tiny.example")).status).toBe(200);
    const own = await ask(acme, "/breakdown?site=acme.example&dimension=pages&days=3");
    expect(own.json.rows.map(({ value }: { value: string }) => value)).toEqual(["/of/acme.example"]);
  });

  it("use up only their own key's quota", async () => {
    const keys = [
      await addKey("acme", "acme.example"),
      await addKey("acme"),
      await addKey("tiny", "tiny.example"),
    ];
    const ask = await startApi("access.log", { limit: 1, window: 60 });
    for (const key of keys) expect((await ask(key, "/sites")).status).toBe(200);
    for (const key of keys) expect((await ask(key, "/sites")).status).toBe(429);
  });

  it("see lines that come later, read once for all", async () => {
    const [acme, all] = [await addKey("acme", "acme.example"), await addKey("all", "*")];
    const ask = await startApi();
    const count = async (key: string) => (await ask(key, "/stats?site=acme.example&days=3")).json.visitors;
    expect([await count(acme), await count(all)]).toEqual([900, 900]);
    const more = writeHostLog(NOW, [{ host: "acme.example", visitors: 301 }]);
    appendFileSync(join(folder, "access.log"), more);
    expect([await count(acme), await count(all)]).toEqual([903, 903]);
  });
});

describe("a keys file that changes", () => {
  const later = () => {
    time.now += 1_000;
  };

  it("counts within a second: keys that come and go, and other sites", async () => {
    const acme = await addKey("acme", "acme.example");
    const ask = await startApi();
    expect((await ask(acme, "/sites")).status).toBe(200);
    const tiny = await addKey("tiny", "tiny.example");
    later();
    expect(domainsOf((await ask(tiny, "/sites")).json)).toEqual(["tiny.example"]);
    await remove("acme");
    later();
    const refused = await ask(acme, "/sites");
    expect([refused.status, refused.json.code]).toEqual([401, "invalid_api_key"]);
    expect(refused.body).toBe((await ask("amcp_nobody", "/sites")).body);
    writeFileSync(keysFile(), readFileSync(keysFile(), "utf8").replace("tiny.example", "acme.example"));
    later();
    expect(domainsOf((await ask(tiny, "/sites")).json)).toEqual(["acme.example"]);
    expect(reports).toEqual([]);
  });

  it.each<[string, (file: string) => void]>([
    ["damaged", (file) => writeFileSync(file, "{")],
    ["gone", (file) => rmSync(file)],
    ["of a later version", (file) => writeFileSync(file, '{"version":9}')],
    ["open to others", (file) => chmodSync(file, 0o666)],
  ])("keeps what it had while it is %s, and says so once", async (_, spoil) => {
    const acme = await addKey("acme", "acme.example");
    const good = readFileSync(keysFile());
    const ask = await startApi();
    spoil(keysFile());
    for (const _ of [1, 2, 3]) {
      later();
      expect((await ask(acme, "/sites")).status).toBe(200);
    }
    expect(reports).toEqual([expect.stringContaining("stay valid until it is repaired")]);
    rmSync(keysFile(), { force: true });
    writeFileSync(keysFile(), good, { mode: 0o600 });
    later();
    expect((await ask(acme, "/sites")).status).toBe(200);
    expect(reports.slice(1)).toEqual([expect.stringContaining("is in use again")]);
    await remove("acme");
    later();
    expect((await ask(acme, "/sites")).status).toBe(401);
  });

  it("must be good at the start", async () => {
    await expect(startApi()).rejects.toMatchObject({
      code: "usage",
      message: expect.stringMatching(/not exist/),
    });
    writeFileSync(keysFile(), "{}", { mode: 0o600 });
    await expect(startApi()).rejects.toMatchObject({
      code: "usage",
      message: expect.stringMatching(/damaged/),
    });
  });
});

it("what only the operator can fix is reported to the operator, without a path for the callers", async () => {
  const acme = await addKey("acme", "acme.example");
  const ask = await startApi("missing*.log");
  for (const path of ["/sites", "/sites", "/stats?site=acme.example"]) {
    const { status, body, json } = await ask(acme, path);
    expect([status, json.code]).toEqual([500, "internal_error"]);
    expect(body).not.toContain(folder);
  }
  expect(reports).toEqual([expect.stringContaining("missing*.log")]);
});
