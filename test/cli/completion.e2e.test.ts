import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DEMO_KEY } from "../support/api.ts";
import { spawnSync } from "../support/child-process.js";
import { isThere, openShell, SHELLS } from "../support/completing-shell.ts";
import { type FaultyServer, send, startServer } from "../support/faulty-server.ts";
import { findPort, type Running, startProgram } from "../support/processes.ts";
import { pick } from "../support/seed.ts";

const BIN = resolve("bin/analytics-mcp.js");

const lines: [string, string][] = [
  ["timese", "timeseries"],
  ["-- timese", "-- timeseries"],
  ["grants rev", "grants revoke"],
  ["help exit", "help exit-codes"],
  ["breakdown --dimension utm_ca", "breakdown --dimension utm_campaigns"],
  ["breakdown --dimension=utm_ca", "breakdown --dimension=utm_campaigns"],
  ["--color=alw", "--color=always"],
  ["stats --site docs.", "stats --site docs.example.com"],
  ["stats --site=docs.", "stats --site=docs.example.com"],
  ["stats sho", "stats shop.example.net"],
  ["logs folder/st", "logs folder/store.db"],
  ["stats --json --site site_7", "stats --json --site site_7f3k"],
  ['stats --site "docs.', 'stats --site "docs.example.com"'],
  ["stats --site x --site", "stats --site x --site"],
  ["stats --site $(touch made) --da", "stats --site $(touch made) --days"],
  ["stats --site `touch made`; analytics-mcp timese", "stats --site `touch made`; analytics-mcp timeseries"],
  ["serve --secret-file my-", "serve --secret-file my-secret"],
  ["serve --secret-file=my-", "serve --secret-file=my-secret"],
  ["serve --store folder/st", "serve --store folder/store.db"],
  ["serve --store fol", "serve --store folder/"],
  ["serve --store of", "serve --store of\\ two\\ words"],
  ["serve --store ~/my-", "serve --store ~/my-secret"],
  ["serve --store no-such", "serve --store no-such"],
  ["stats --days my-", "stats --days my-"],
];
/** Where a shell replaces a part of the word: tried in each run. */
const conditions: [string, string][] = [
  ["--filter 'page=/qu", "--filter page=/quickstart"],
  ['--filter "page=/qu', '--filter "page=/quickstart"'],
  ['--filter="page=/qu', '--filter="page=/quickstart"'],
  ["--filter page=/qu", "--filter page=/quickstart"],
  ['--goal "page=/qu', '--goal "page=/quickstart"'],
  // Neither a quote nor a space ends it before the value.
  ['--filter "cou', '--filter "countries='],
  ["--filter cou", "--filter countries="],
  ["--filter channel=Organic\\ Se", "--filter channel=Organic\\ Search"],
  ['--filter "channel=Organic Se', '--filter "channel=Organic Search"'],
  ["--filter source=Goo", "--filter source=Google"],
  ["--filter source=Sta", "--filter source=Stack\\ Overflow"],
  ['--filter "source=Sta', '--filter "source=Stack Overflow"'],
  ["--period=last-q", "--period=last-quarter"],
];
const all = SHELLS.flatMap((shell) => lines.map(([line, completed]) => ({ shell, line, completed })));
/** Each starts the program. A run tries some; LONG=1 tries all. */
const tried = pick(all, 10);

type CompletingShell = Awaited<ReturnType<typeof openShell>>;

/** Until the service has once answered in time, which a busy machine may not grant it. */
async function waitForSites(shell: CompletingShell, word: string): Promise<void> {
  while (!(await shell.list("analytics-mcp stats --site ")).includes(word));
}

describe.each(SHELLS)("%s", (name) => {
  describe.skipIf(!isThere(name))("completes", () => {
    let shell: CompletingShell;
    let service: Running;
    let origin: string;
    beforeAll(async () => {
      const argv = [BIN, "reference", "--port", "0"];
      service = await startProgram(process.execPath, argv, {}, "Try:");
      [origin = ""] = /http:\/\/[\d.:]+/.exec(service.output.stderr) ?? [];
      shell = await openShell(name, { ANALYTICS_API_KEY: DEMO_KEY, ANALYTICS_BASE_URL: origin });
      await waitForSites(shell, "shop.example.net");
      writeFileSync(join(shell.home, "my-secret"), "");
      writeFileSync(join(shell.home, "of two words"), "");
      mkdirSync(join(shell.home, "folder"));
      writeFileSync(join(shell.home, "folder", "store.db"), "");
    });
    afterAll(async () => {
      shell?.close();
      await service?.stop();
    });

    const own = tried.filter(({ shell }) => shell === name);
    it.each(own)("analytics-mcp $line", async ({ line, completed }) => {
      // zsh takes the slash away with the next key.
      const expected = name === "zsh" ? completed.replace(/folder\/$/, "folder") : completed;
      expect((await shell.press(`analytics-mcp ${line}`)).line).toBe(`analytics-mcp ${expected}`);
      expect(readdirSync(shell.home)).not.toContain("made");
    });

    it("conditions and periods, in quotes too", async () => {
      for (const [line, completed] of conditions) {
        const start = "analytics-mcp conversions --site docs.example.com";
        const shown = (await shell.press(`${start} ${line}`)).line;
        // zsh takes quotes within a word away.
        const expected = name === "zsh" ? completed.replace(/^(--\w+=)"(.*)"$/, "$1$2") : completed;
        expect(shown).toBe(`${start} ${expected}`);
      }
    });

    it("takes the service from the line, for all its colons", async () => {
      const line = `analytics-mcp --base-url ${origin}/api/v1 stats --site=docs.`;
      expect((await shell.press(line)).line).toBe(`${line}example.com`);
    });

    it("shows commands, options and sites, with what they are", async () => {
      const commands = await shell.list("analytics-mcp ");
      for (const name of ["sites", "stats", "completion"]) expect(commands).toContain(name);
      const options = await shell.list("analytics-mcp stats --d");
      for (const name of ["--days", "--demo"]) expect(options).toContain(name);
      expect(options).not.toContain("--site");
      const sites = await shell.list("analytics-mcp stats --site ");
      for (const name of ["docs.example.com", "shop.example.net"]) expect(sites).toContain(name);
      expect(sites).not.toMatch(/folder|site_/);
      if (name === "bash") return;
      expect(commands).toContain("List your sites");
      expect(options).toContain("built-in made-up data");
      expect(sites).toContain("Example Docs");
    });

    it("shows nothing where the service is out of reach", async () => {
      const closed = `http://127.0.0.1:${await findPort()}`;
      const line = `analytics-mcp --base-url ${closed} stats --site `;
      const shown = name === "fish" ? await shell.list(line) : await shell.press(line);
      expect(shown).toEqual(
        name === "fish" ? "" : { line: line.trimEnd(), shown: expect.not.stringMatching(/folder|rror/) },
      );
    });
  });
});

describe.each(SHELLS)("%s, with hostile sites", (name) => {
  describe.skipIf(!isThere(name))("offers", () => {
    const DESCRIPTION = "$(touch made)`touch made`%F{red}%n:\\e[31m\t\u001b[31m\n:files\r\u202e'\"";
    const SHOWN = "$(touch made)`touch made`%F{red}%n:\\e[31m[31m:files'\"";
    let server: FaultyServer;
    let shell: CompletingShell;
    beforeAll(async () => {
      const words = ["$(touch made)", "`touch made`", ";touch made", "*", "'", '"', "\\", " b", "\tb", "\nb"];
      const all = [...words, ...words.map((word) => `wrong${word}`), "--demo", ":files", "~"];
      const sites = [...all, "id:with:colons", "id:with:more"].map((word) => ({
        id: word,
        domain: word,
        name: DESCRIPTION,
        timezone: "Europe/Berlin",
        data_since: null,
        created_at: "2024-01-01T00:00:00Z",
      }));
      const body = JSON.stringify({ as_of: "2026-11-21T04:05:10Z", sites });
      server = await startServer((_, response) => {
        send(response, 200, { "content-type": "application/json" }, body);
      });
      shell = await openShell(name, { ANALYTICS_API_KEY: "x", ANALYTICS_BASE_URL: server.origin });
      await waitForSites(shell, "with:more");
      writeFileSync(join(shell.home, "wrong-file"), "");
    });
    afterAll(async () => {
      shell?.close();
      server?.close();
    });

    it.each(["--site ", "--site="])("after %s plain words alone, and runs nothing", async (option) => {
      const press = async (word: string) =>
        (await shell.press(`analytics-mcp stats ${option}${word}`)).line.split(/[ =]/).at(-1);
      expect(await press("wrong")).toBe("wrong");
      expect(await press("i")).toBe("id:with:");
      expect(await press("id:wi")).toBe("id:with:");
      expect(await press("id:with:m")).toBe("id:with:more");
      const listed = await shell.list(`analytics-mcp stats ${option}id:`);
      expect(listed).toContain("with:more");
      expect(listed).not.toContain("wrong");
      if (name !== "bash") expect(listed).toContain(SHOWN);
      expect(readdirSync(shell.home)).not.toContain("made");
    });
  });
});

describe("a candidate comes quickly", () => {
  /** The files of the build that a command loads. */
  const load = (...argv: string[]) => {
    const folder = mkdtempSync(join(tmpdir(), "coverage-"));
    const env = { NODE_V8_COVERAGE: folder, NODE_DISABLE_COMPILE_CACHE: "1" };
    spawnSync(process.execPath, [BIN, ...argv], { env });
    const scripts = readdirSync(folder).flatMap(
      (file): { url: string }[] => JSON.parse(readFileSync(join(folder, file), "utf8")).result,
    );
    rmSync(folder, { recursive: true });
    return scripts.map(({ url }) => url).filter((url) => url.includes("/dist/"));
  };

  it("without the MCP SDK, the network and the reference API", () => {
    const complete = load("complete", "--", "breakdown", "--dimension", "");
    expect(complete.length).toBeGreaterThan(0);
    for (const url of complete) {
      expect(readFileSync(fileURLToPath(url), "utf8")).not.toMatch(
        /EnvHttpProxyAgent|notifications\/initialized|demo-key-of-acme/,
      );
    }
  });
});
