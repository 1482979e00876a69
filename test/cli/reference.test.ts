import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { DEMO_KEY, NOW } from "../support/api.ts";
import { DESCRIBED_KEY, startDescribedService } from "../support/described-service.ts";
import { answerRightly, send, startServer } from "../support/faulty-server.ts";
import { writeHostLog } from "../support/host-log.ts";
import { combined } from "../support/logs.ts";
import { findPort } from "../support/processes.ts";
import { createHome } from "../support/profiles.ts";
import { runShell } from "../support/shell.ts";
import { PLAUSIBLE_KEY, startSmallPlausible } from "../support/small-plausible.ts";

let folder: string;
let log: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "reference-"));
  log = join(folder, "access.log");
  writeFileSync(log, writeHostLog(NOW, [{ host: "acme.example", visitors: 10 }]));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Runs `reference` on a free port until `use` is done with it. */
async function serve(
  args: string[],
  use: (origin: string, readStderr: () => string) => Promise<void>,
  environment: Record<string, string> = {},
) {
  const port = await findPort();
  const origin = `http://127.0.0.1:${port}`;
  let stop = () => {};
  let stderr = "";
  const running = runShell(["reference", "--port", `${port}`, ...args], {
    isTTY: true,
    environment: { HOME: folder, NO_COLOR: "1", ...environment },
    stop: new Promise<void>((resolve) => {
      stop = resolve;
    }),
    onStderr: (text) => {
      stderr += text;
    },
  });
  for (let left = 1_000; left > 0; left--) {
    const isUp = await fetch(`${origin}/llms.txt`).then(
      () => true,
      () => new Promise<false>((done) => setTimeout(() => done(false), 50)),
    );
    if (isUp) break;
  }
  let failure: unknown;
  await use(origin, () => stderr).catch((error: unknown) => {
    failure = error;
  });
  stop();
  const ended = await running;
  if (failure) throw failure;
  return ended;
}

const addKey = async () =>
  (
    await runShell(["keys", "add", "acme", "--sites", "acme.example"], { environment: { HOME: folder } })
  ).stdout.trim();
const ask = async (origin: string, key: string) => {
  const response = await fetch(`${origin}/api/v1/sites`, { headers: { authorization: `Bearer ${key}` } });
  return { status: response.status, text: await response.text() };
};

const read = async (origin: string, path: string, key: string) => {
  const headers = { authorization: `Bearer ${key}` };
  const response = await fetch(`${origin}/api/v1${path}`, { headers });
  // Each test looks at other members.
  // biome-ignore lint/suspicious/noExplicitAny: answers of several paths.
  return { status: response.status, body: (await response.json()) as any };
};

describe("reference --logs", () => {
  it("at a terminal without a keys file makes a key for this run, in a line that can be copied", async () => {
    const { code, stdout, stderr } = await serve(["--logs", log], async (origin) => {
      expect((await ask(origin, "amcp_other")).status).toBe(401);
    });
    expect([code, stdout]).toEqual([0, ""]);
    expect(stderr).toMatch(
      /^Try: ANALYTICS_BASE_URL=http:\S+ ANALYTICS_API_KEY=amcp_[\w-]{43} analytics-mcp sites$/m,
    );
  });

  it("takes the keys file that is there, and then shows no key", async () => {
    const key = await addKey();
    const { stderr } = await serve(["--logs", log], async (origin) => {
      expect(await ask(origin, key)).toMatchObject({ status: 200, text: expect.stringContaining("acme") });
    });
    expect(stderr).toContain("ANALYTICS_API_KEY=<key>");
    expect(stderr).not.toContain("amcp_");
  });

  it("takes the site of a log that names none", async () => {
    writeFileSync(log, `${combined({ at: NOW })}\n`);
    const key = await addKey();
    const { stderr } = await serve(["--logs", log, "--site", "acme.example"], async (origin) => {
      expect(await ask(origin, key)).toMatchObject({ status: 200, text: expect.stringContaining("acme") });
    });
    expect(stderr).not.toContain("warning");
  });

  it("not at a terminal shows no key and does not start", async () => {
    const { code, stderr } = await runShell(["reference", "--port", "0", "--logs", log]);
    expect([code, stderr]).toEqual([2, expect.stringContaining("needs keys")]);
  });

  it("names the sites of the command line in the command that makes a key", async () => {
    const argv = ["reference", "--port", "0", "--logs", `a.example=${log}`, "--site", "b.example"];
    expect((await runShell(argv)).stderr).toContain("keys add acme --sites b.example,a.example\n");
  });

  it("says at the start what is wrong with the logs", async () => {
    await serve(["--logs", join(folder, "missing.log")], async (_, readStderr) => {
      await expect.poll(() => readStderr().replace(/\s+/g, " ")).toMatch(/warning: .*missing\.log/);
    });
  });
});

it("reference serves made-up data otherwise", async () => {
  const { stderr } = await serve([], async (origin) => {
    expect((await ask(origin, DEMO_KEY)).text).toContain("example.com");
  });
  expect(stderr).toContain(`ANALYTICS_API_KEY=${DEMO_KEY}`);
});

describe("reference --service", () => {
  const TIMEZONES = "example.com=Europe/Berlin,shop.example=Europe/Berlin";

  it("serves what a service with an API of its own knows, to keys of its own", async () => {
    const plausible = await startSmallPlausible();
    const environment = { HOME: folder, ANALYTICS_SITE_TIMEZONES: TIMEZONES };
    const file = join(folder, "key");
    writeFileSync(file, PLAUSIBLE_KEY, { mode: 0o600 });
    const keyOf = async (name: string, site: string) =>
      (await runShell(["keys", "add", name, "--sites", site], { environment })).stdout.trim();
    const [acme, shop] = [await keyOf("acme", "example.com"), await keyOf("shop", "shop.example")];
    const options = ["--service", "plausible", "--base-url", plausible.origin, "--api-key-file", file];
    const asked = async (origin: string) => {
      expect((await read(origin, "/sites", acme)).body).toMatchObject({ sites: [{ domain: "example.com" }] });
      const { body } = await read(origin, "/stats?site=shop.example&days=7", shop);
      expect(body).toMatchObject({ visitors: 1, pageviews: 2, events: 1 });
      expect((await read(origin, "/stats?site=shop.example", acme)).status).toBe(404);
      // The upstream key belongs to the operator: callers must neither have it nor hear about it.
      expect((await read(origin, "/sites", PLAUSIBLE_KEY)).status).toBe(401);
      plausible.close();
      const { status, body: problem } = await read(origin, "/stats?site=shop.example&days=3", shop);
      expect([status, JSON.stringify(problem)]).toEqual([503, expect.not.stringContaining(PLAUSIBLE_KEY)]);
    };
    const { code, stderr } = await serve(options, asked, { ANALYTICS_SITE_TIMEZONES: TIMEZONES });
    expect([code, stderr]).toEqual([0, expect.stringContaining("(Plausible; Ctrl-C stops it)")]);
    expect(stderr).not.toContain(PLAUSIBLE_KEY);
  });

  it("serves what a service in words of its own says, by its mapping and timezones", async () => {
    const service = await startDescribedService({
      counts: { uniqueVisitors: 70, distinctVisitors: 55 },
      site: {},
    });
    const mapping = join(folder, "service.json");
    writeFileSync(mapping, JSON.stringify({ stats: { visitors: "/data/uniqueVisitors" } }));
    const key = await addKey();
    const options = ["--base-url", service.origin, "--mapping", mapping];
    const environment = { ANALYTICS_API_KEY: DESCRIBED_KEY, ANALYTICS_SITE_TIMEZONES: "*=Europe/Berlin" };
    const { code, stderr } = await serve(
      options,
      async (origin) => {
        const { status, body } = await read(origin, "/timeseries?site=acme.example&days=7", key);
        expect([status, body.points.length, body.period.timezone]).toEqual([200, 7, "Europe/Berlin"]);
        const refused = await read(origin, "/stats?site=acme.example", key);
        expect([refused.status, refused.body.detail]).toEqual([
          404,
          expect.stringContaining("it has no events"),
        ]);
        expect((await read(origin, "/timeseries?site=shop.acme.example", key)).status).toBe(404);
      },
      environment,
    );
    service.close();
    expect([code, stderr]).toEqual([0, expect.not.stringContaining(DESCRIBED_KEY)]);
    const said = stderr.replaceAll(/\s+/g, " ");
    expect(said).toContain("warning: /stats is not offered: it has no events");
    expect(said).toContain("warning: /breakdown is not offered: its lists take no days");
    expect(said).toContain("warning: acme.example is not listed: For acme.example, the service does not say");
  });

  it.each([
    ["--base-url", []],
    ["--service", ["--service", "umami"]],
  ])("says of %s, which chose the service, that keys are missing", async (flag, more) => {
    const key = join(folder, "described key");
    writeFileSync(key, DESCRIBED_KEY, { mode: 0o600 });
    const argv = ["reference", "--base-url", "https://stats.example.test", "--api-key-file", key, ...more];
    const { code, stderr } = await runShell(argv, { environment: createHome() });
    expect([code, stderr]).toEqual([2, expect.stringContaining(`error: ${flag} needs keys for those who`)]);
  });

  it("refuses a service of the contract, which needs no other API", async () => {
    const service = await startServer(async (request, response) => {
      const { status, headers, body } = await answerRightly(request);
      send(response, status, headers, body);
    });
    await addKey();
    const { code, stderr } = await runShell(["reference", "--base-url", service.origin], {
      environment: { HOME: folder, ANALYTICS_API_KEY: DEMO_KEY },
    });
    service.close();
    expect([code > 1, stderr]).toEqual([true, expect.stringContaining("has the API that reference serves")]);
  });

  it.each([[["--profile", "nobody"], "There is no profile nobody"]])(
    "refuses %j, instead of serving made-up data",
    async (argv, message) => {
      const { code, stderr } = await runShell(["reference", ...argv], { environment: { HOME: folder } });
      expect([code > 1, stderr]).toEqual([true, expect.stringContaining(message)]);
    },
  );
});
