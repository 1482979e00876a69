import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { DEMO_KEY, NOW } from "../support/api.ts";
import { writeHostLog } from "../support/host-log.ts";
import { combined } from "../support/logs.ts";
import { runShell } from "../support/shell.ts";

let folder: string;
let log: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "reference-"));
  log = join(folder, "access.log");
  writeFileSync(log, writeHostLog(NOW, [{ host: "acme.example", visitors: 10 }]));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Runs `reference` on a free port until `use` is done with it. */
async function serve(args: string[], use: (origin: string) => Promise<void>) {
  const port = 20_000 + Math.floor(Math.random() * 12_000);
  const origin = `http://127.0.0.1:${port}`;
  let stop = () => {};
  const running = runShell(["reference", "--port", `${port}`, ...args], {
    isTTY: true,
    environment: { HOME: folder, NO_COLOR: "1" },
    stop: new Promise<void>((resolve) => {
      stop = resolve;
    }),
  });
  for (let left = 100; left > 0; left--) {
    const isUp = await fetch(`${origin}/llms.txt`).then(
      () => true,
      () => new Promise<false>((done) => setTimeout(() => done(false), 50)),
    );
    if (isUp) break;
  }
  let failure: unknown;
  await use(origin).catch((error: unknown) => {
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

  it("says at the start what is wrong with the logs", async () => {
    const { stderr } = await serve(["--logs", join(folder, "missing.log")], async () => {
      await new Promise((done) => setTimeout(done, 300));
    });
    expect(stderr.replace(/\s+/g, " ")).toMatch(/warning: .*missing\.log/);
  });
});

it("reference serves made-up data otherwise", async () => {
  const { stderr } = await serve([], async (origin) => {
    expect((await ask(origin, DEMO_KEY)).text).toContain("example.com");
  });
  expect(stderr).toContain(`ANALYTICS_API_KEY=${DEMO_KEY}`);
});
