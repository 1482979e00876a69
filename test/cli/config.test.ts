import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { writeProfile } from "../../src/config/profiles.ts";
import { clients } from "../../src/setup/clients/index.ts";
import { localKinds } from "../../src/sources/local-kinds.ts";
import { combined, joinLines } from "../support/logs.ts";
import { runShell } from "../support/shell.ts";

const KEY = "sk-1234567890-very-secret";
let home = "";
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "config-"));
});

/** A person with a key in their shell, on whatever platform the test runs. */
function config(...argv: string[]) {
  const environment = { HOME: home, USERPROFILE: home, ANALYTICS_API_KEY: KEY };
  return runShell(["config", ...argv], { environment });
}

const read = (path: string) => readFileSync(join(home, path), "utf8");
function put(path: string, text: string) {
  mkdirSync(join(home, path, ".."), { recursive: true });
  writeFileSync(join(home, path), text);
}

describe("config prints", () => {
  it("the clients, without one", async () => {
    const { code, stdout, stderr } = await config();
    expect([code, stderr]).toEqual([
      0,
      expect.stringMatching(/^--write: .+ --remote: .+\nNext: analytics-mcp config <client>\n$/),
    ]);
    expect(stdout.split("\n")[0]).toBe("client\ttitle\twrites\tremote\tfile");
    for (const { id } of clients) expect(stdout).toMatch(new RegExp(`^${id}\t`, "m"));
    expect(JSON.parse((await config("--json")).stdout).clients).toHaveLength(clients.length);
  });

  it.each(clients.map(({ id }) => id))(
    "%s: only the text to paste on stdout, and never the key",
    async (id) => {
      for (const more of [[], ["--demo"], ["--remote", "https://mcp.example.com/mcp"], ["--json"]]) {
        const { code, stdout, stderr } = await config(id, ...more);
        expect(code).toBe(0);
        expect(stdout + stderr).not.toContain(KEY);
        expect(stdout).toMatch(/^[{[]|^\w+:\n/);
        if (more[0] !== "--json") expect(stderr).toMatch(/paste it into .+\n/);
      }
    },
  );

  it("the path on each platform, the next steps and other ways, on stderr", async () => {
    const { stderr } = await config("vscode", "--demo");
    expect(stderr).toContain("macos    ~/Library/Application Support/Code/User/mcp.json");
    expect(stderr).toContain("windows  %APPDATA%\\Code\\User\\mcp.json");
    expect(stderr).toContain(`code --add-mcp '{"name":"analytics","type":"stdio"`);
    expect(stderr).toContain("vscode:mcp/install?%7B");
  });

  it("its notes within a terminal's width, and commands on one line", async () => {
    const options = { environment: { HOME: home, USERPROFILE: home }, isTTY: true, columns: 60 };
    const { stderr } = await runShell(["config", "claude-code", "--demo"], options);
    const lines = stderr.split("\n").filter((line) => !/^ {2}claude /.test(line));
    expect(lines.length).toBeGreaterThan(5);
    expect(stderr).toMatch(/^- The file is in the project's folder\. .*\n {2}\S/m);
    for (const line of lines) expect(line.includes(" ") ? line.length : 0).toBeLessThanOrEqual(60);
    expect(stderr).toMatch(/^ {2}claude mcp add .*--demo$/m);
  });

  it("commands that work in a shell as printed", async () => {
    const claude = await config("claude-code", "--name", "stats", "--base-url", "https://stats.example.com");
    expect(claude.stderr).toContain(
      "claude mcp add stats --scope user --env 'ANALYTICS_API_KEY=${ANALYTICS_API_KEY}' --env ANALYTICS_BASE_URL=https://stats.example.com -- npx -y analytics-mcp",
    );
    const codex = await config("codex", "--remote", "https://mcp.example.com/mcp");
    expect(codex.stderr).toContain("codex mcp add analytics --url https://mcp.example.com/mcp\n");
    expect(codex.stderr).toContain("codex mcp login analytics");
  });

  it("for another machine, with the path as people write it there", async () => {
    const others = ["macos", "windows", "linux"].map((platform) =>
      config("goose", "--json", "--platform", platform),
    );
    const paths = (await Promise.all(others)).map(({ stdout }) => JSON.parse(stdout).path);
    expect(paths).toContain("%APPDATA%\\Block\\goose\\config\\config.yaml");
    expect(paths).toContain("~/.config/goose/config.yaml");
    expect((await config("cursor", "--write", "--platform", "windows")).stderr).toContain("--file");
  });

  it("everything as JSON", async () => {
    const { stdout, stderr } = await config("cursor", "--json", "--name", "stats");
    expect(stderr).toBe("");
    expect(JSON.parse(stdout)).toEqual({
      client: "cursor",
      title: "Cursor",
      server: "local",
      path: join(home, ".cursor", "mcp.json"),
      paths: expect.objectContaining({ windows: "%USERPROFILE%\\.cursor\\mcp.json" }),
      where: null,
      format: "json",
      content: expect.stringContaining('"stats"'),
      notes: expect.arrayContaining([expect.stringContaining("It contains no key")]),
      command: null,
      link: expect.stringMatching(/^cursor:\/\//),
    });
  });

  it("the hosts for which plain http is allowed", async () => {
    const environment = {
      HOME: home,
      ANALYTICS_BASE_URL: "http://stats.lan/x",
      ANALYTICS_ALLOW_HTTP: "stats.lan",
    };
    const { stdout } = await runShell(["config", "zed"], { environment });
    expect(JSON.parse(stdout).context_servers.analytics.env).toEqual({
      ANALYTICS_API_KEY: "<your key>",
      ANALYTICS_BASE_URL: "http://stats.lan/x",
      ANALYTICS_ALLOW_HTTP: "stats.lan",
    });
  });
});

describe("config asks the files that it writes of", () => {
  const check = (...argv: string[]) =>
    runShell(["config", "claude-code", ...argv], { environment: { HOME: home, XDG_STATE_HOME: home } });

  it("refuses a pattern without a match, and a log without hosts or --site", async () => {
    const log = join(home, "access.log");
    writeFileSync(log, joinLines(combined()));
    const missing = await check("--logs", join(home, "other.log*"));
    expect([missing.code, missing.stderr]).toEqual([2, expect.stringContaining("No log file matches")]);
    const nameless = await check("--logs", log);
    expect([nameless.code, nameless.stderr]).toEqual([2, expect.stringContaining("--site")]);
    const { code, stdout, stderr } = await check("--logs", log, "--site", "example.com");
    expect([code, stdout]).toEqual([0, expect.stringContaining(log)]);
    expect(stderr).not.toContain("commit");
  });

  it("says that a file can be committed only if it says nothing about this machine", async () => {
    expect((await check("--demo")).stderr).toContain("You can commit the file");
    expect((await check("--demo", "--platform", "macos")).code).toBe(0);
  });
});

describe("config prints for a ClickHouse that may be reached over plain http", () => {
  const argv = ["--clickhouse", "http://reader@clickhouse.lan:8123/web", "--clickhouse-password-file"];
  const environment = () => ({ HOME: home, ANALYTICS_ALLOW_HTTP: "clickhouse.lan" });

  it.each(["codex", "cursor", "goose", "opencode", "vs-code", "zed"])(
    "the host that is allowed: %s",
    async (client) => {
      const allowed = await runShell(["config", client, ...argv, join(home, "password")], {
        environment: environment(),
      });
      expect([allowed.code, allowed.stdout]).toEqual([
        0,
        expect.stringMatching(/"?ANALYTICS_ALLOW_HTTP"?(?::| =) "?clickhouse\.lan/),
      ]);
      const log = join(home, "access.log");
      writeFileSync(log, joinLines(combined()));
      const logs = await runShell(["config", client, "--logs", log, "--site", "example.com"], {
        environment: environment(),
      });
      expect([logs.code, logs.stdout]).toEqual([0, expect.not.stringContaining("ANALYTICS_ALLOW_HTTP")]);
    },
  );

  it.each(["claude-code", "copilot-cli"])("the host that is allowed, in its command: %s", async (client) => {
    const { stdout } = await runShell(["config", client, "--json", ...argv, join(home, "password")], {
      environment: environment(),
    });
    const { command, content } = JSON.parse(stdout);
    expect(command).toContain("--env ANALYTICS_ALLOW_HTTP=clickhouse.lan");
    expect(content).toContain("ANALYTICS_ALLOW_HTTP");
  });
});

describe("config refuses", () => {
  it.each([
    [
      ["ChatGPT"],
      /ChatGPT has no settings file: it uses the connector\.\nhint: Start it with analytics-mcp serve,/,
    ],
    [["claude.ai"], /claude\.ai has no settings file/],
    [["curser"], /Did you mean cursor\?/],
    [["Claude"], /Which client: claude-code or claude-desktop\?/],
    [["cursor", "--name", "my server"], /--name/],
    [["cursor", "--name", "__proto__"], /--name/],
    [
      ["cursor", "--remote", "mcp.example.com"],
      /--remote must start with https:.*\nhint: Did you mean https:\/\/mcp\.example\.com\/mcp\?/,
    ],
    [["cursor", "--remote", "http://mcp.example.com/mcp"], /https/],
    [["cursor", "--remote", "https://mcp.example.com"], /endpoint/],
    [["cursor", "--remote", "https://me:pw@mcp.example.com/mcp"], /must not have a user/],
    [["cursor", "--remote", "https://mcp.example.com/mcp?key=1"], /query/],
    [["cursor", "--remote", "https://mcp.example.com/$(rm)"], /characters/],
    [["cursor", "--remote", "https://mcp.example.com/mcp", "--demo"], /cannot be used with/],
    [["cursor", "--base-url", "stats.example.com"], /--base-url "stats.example.com" must start with https/],
    [["cursor", "--force"], /--write/],
    [["cursor", "--with-key", "--write"], /reads it from its environment/],
    [["claude-desktop", "--with-key"], /--write/],
    [["zed", "--write"], /does not support Zed/],
    [["cursor", "--platform", "beos"], /must be one of macos/],
  ])("%j", async (argv, message) => {
    const { code, stdout, stderr } = await config(...argv);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(message);
  });
});

describe("config --write", () => {
  it("adds the server, keeps a backup, and says what it did", async () => {
    put(".cursor/mcp.json", '{"mcpServers": {"other": {"url": "https://x.example/mcp"}}}');
    chmodSync(join(home, ".cursor/mcp.json"), 0o600);
    const { code, stdout, stderr } = await config("cursor", "--write");
    expect([code, stdout]).toEqual([0, ""]);
    expect(stderr).toMatch(/^Wrote analytics into .*mcp\.json\nThe previous file: .*\.bak\n/);
    expect(stderr).toContain("This shell's key was not copied");
    const written = read(".cursor/mcp.json");
    expect(JSON.parse(written).mcpServers.analytics.env.ANALYTICS_API_KEY).toBe("${env:ANALYTICS_API_KEY}");
    expect(written + stderr).not.toContain(KEY);
    const [backup = ""] = readdirSync(join(home, ".cursor")).filter((file) => file.endsWith(".bak"));
    expect(read(join(".cursor", backup))).not.toContain("analytics");
    for (const file of ["mcp.json", backup])
      expect(statSync(join(home, ".cursor", file)).mode & 0o777).toBe(0o600);
  });

  it("does nothing the second time", async () => {
    put(".codex/config.toml", "# mine\n");
    await config("codex", "--write");
    const before = readdirSync(join(home, ".codex"));
    const { code, stderr } = await config("codex", "--write");
    expect([code, stderr]).toEqual([0, expect.stringContaining("is already in")]);
    expect(readdirSync(join(home, ".codex"))).toEqual(before);
  });

  it("keeps another server of that name, unless forced", async () => {
    const before = '{"mcpServers": {"analytics": {"command": "node", "args": ["mine.js"]}, "b": 1}}';
    put(".cursor/mcp.json", before);
    const refused = await config("cursor", "--write");
    expect([refused.code, refused.stderr]).toEqual([
      2,
      expect.stringMatching(/mcp\.json: It already has another server named "analytics"[\s\S]*--force/),
    ]);
    expect(read(".cursor/mcp.json")).toBe(before);
    await config("cursor", "--write", "--name", "second");
    expect(Object.keys(JSON.parse(read(".cursor/mcp.json")).mcpServers)).toEqual([
      "analytics",
      "b",
      "second",
    ]);
    expect((await config("cursor", "--write", "--force")).code).toBe(0);
    expect(read(".cursor/mcp.json")).not.toContain("mine.js");
  });

  it("--dry-run shows the difference and writes nothing", async () => {
    put(".codex/config.toml", 'model = "x"\r\n');
    const { code, stdout, stderr } = await config(
      "codex",
      "--dry-run",
      "--remote",
      "https://mcp.example.com/mcp",
    );
    expect([code, stderr]).toEqual([
      0,
      "Nothing was written. Run it again without --dry-run to apply this.\n",
    ]);
    expect(stdout).toContain(
      '@@ -1,1 +1,4 @@\n model = "x"\r\n+\r\n+[mcp_servers.analytics]\r\n+url = "https://mcp.example.com/mcp"\r\n',
    );
    expect(readdirSync(join(home, ".codex"))).toEqual(["config.toml"]);
    expect(read(".codex/config.toml")).toBe('model = "x"\r\n');
  });

  it("does not create the folder of a client that is not installed, unless forced", async () => {
    const { code, stderr } = await config("cursor", "--write");
    expect([code, stderr]).toEqual([2, expect.stringMatching(/does not seem to be installed[\s\S]*--force/)]);
    expect(existsSync(join(home, ".cursor"))).toBe(false);
    expect((await config("cursor", "--write", "--force")).code).toBe(0);
    expect(read(".cursor/mcp.json")).toContain("analytics");
  });

  it("keeps a byte order mark and CRLF", async () => {
    const before = Buffer.from('\ufeff# mine\r\nmodel = "x"\r\n');
    mkdirSync(join(home, ".codex"));
    writeFileSync(join(home, ".codex/config.toml"), before);
    await config("codex", "--write");
    const after = readFileSync(join(home, ".codex/config.toml"));
    expect(after.subarray(0, before.length)).toEqual(before);
    expect(after.toString()).not.toMatch(/[^\r]\n/);
  });

  it("--file names another, such as a project's", async () => {
    const file = join(home, "project", ".vscode", "mcp.json");
    const refused = await config("vscode", "--write", "--file", file);
    expect([refused.code, refused.stderr]).toEqual([
      2,
      `error: The folder ${dirname(file)} does not exist.\nhint: Nothing was written. Check --file, or create the folder with --force.\n`,
    ]);
    expect(existsSync(join(home, "project"))).toBe(false);
    expect((await config("vscode", "--write", "--file", file, "--force")).code).toBe(0);
    expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject({
      inputs: [{ id: "analytics-key" }, { id: "analytics-url" }],
      servers: { analytics: { type: "stdio" } },
    });
  });

  it("refuses what it cannot read, and says where", async () => {
    put(".cursor/mcp.json", '{\n  "mcpServers": {,}\n}');
    const { code, stderr } = await config("cursor", "--write");
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(/mcp\.json: It cannot be read: line 2, column 18/),
    ]);
    expect(readdirSync(join(home, ".cursor"))).toEqual(["mcp.json"]);
  });

  it("as JSON", async () => {
    put(".cursor/mcp.json", "{}\n");
    const { stdout, stderr } = await config("cursor", "--write", "--json");
    expect(stderr).toBe("");
    expect(JSON.parse(stdout)).toMatchObject({ state: "written", path: join(home, ".cursor/mcp.json") });
  });
});

describe("a profile", () => {
  it("replaces key and address in the client's file", async () => {
    writeProfile({ HOME: home }, "acme", { baseUrl: "https://stats.example.test/api/v1", apiKey: KEY });
    for (const { id } of clients) {
      const { stdout } = await config(id, "--profile", "acme");
      expect(stdout.replace(/[",\s]+/g, " ")).toMatch(/analytics-mcp('?) (- )?\1--profile\1 (- )?\1acme/);
      expect(stdout).not.toMatch(/ANALYTICS|<your key>|inputs/);
    }
  });

  const BASE = "https://stats.example.test";
  const withoutKey = (argv: string[], more: Record<string, string> = {}) =>
    runShell(["config", ...argv], { environment: { HOME: home, USERPROFILE: home, ...more } });
  const save = (name: string) =>
    writeProfile({ HOME: home }, name, { baseUrl: `${BASE}/api/v1`, apiKey: KEY });

  it.each(clients.map(({ id }) => id))("that login has saved is enough for %s", async (id) => {
    save("default");
    const { stdout, stderr } = await withoutKey([id]);
    expect(stdout).not.toMatch(/ANALYTICS|<your key>|inputs|--profile/);
    expect(stderr).toContain("uses profile default");
    expect(stdout + stderr).not.toContain(KEY);
  });

  it("is used without its name, unless only this shell's environment names it", async () => {
    save("acme");
    const file = join(home, "desktop.json");
    const write = ["claude-desktop", "--write", "--file", file];
    expect((await withoutKey(write)).code).toBe(0);
    const read = () => JSON.parse(readFileSync(file, "utf8")).mcpServers.analytics;
    expect(read().env).toBeUndefined();
    expect(read().args.at(-1)).toBe("analytics-mcp");
    save("default");
    await withoutKey([...write, "--force"], { ANALYTICS_PROFILE: "acme" });
    expect(read().args.slice(-2)).toEqual(["--profile", "acme"]);
  });

  it("is not used for another address, with a key, or on another machine", async () => {
    save("default");
    const others = await Promise.all([
      withoutKey(["zed", "--base-url", "https://other.example.test"]),
      withoutKey(["zed"], { ANALYTICS_API_KEY: "sk-another" }),
      withoutKey(["zed", "--platform", process.platform === "win32" ? "linux" : "windows"]),
    ]);
    for (const { stdout } of others) expect(stdout).toContain("<your key>");
    const same = await withoutKey(["zed"], { ANALYTICS_BASE_URL: BASE });
    expect(same.stdout).not.toContain("<your key>");
  });

  it("must be chosen if there are several", async () => {
    for (const name of ["acme", "globex"]) save(name);
    expect(await withoutKey(["zed"])).toMatchObject({
      code: 4,
      stderr: expect.stringContaining("acme, globex"),
    });
  });

  it.each([
    [["--profile", "nobody"], /nobody/],
    [
      ["--profile", "acme", "--remote", "https://mcp.example.com/mcp"],
      new RegExp(`cannot be used with ${localKinds.map(({ option }) => option.flag).join(", ")}, --profile`),
    ],
  ])("%j is refused", async (flags, words) => {
    const { code, stdout, stderr } = await config("cursor", ...flags);
    expect([code === 0, stdout]).toEqual([false, ""]);
    expect(stderr).toMatch(words);
  });
});

describe("the key itself", () => {
  const file = () => join(home, "claude_desktop_config.json");
  const desktop = (...more: string[]) =>
    config("claude-desktop", "--file", file(), "--base-url", "https://stats.example.com/api/v1", ...more);

  it("is printed as a placeholder, and no placeholder is ever written", async () => {
    const printed = await config("claude-desktop", "--base-url", "https://stats.example.com/api/v1");
    expect(JSON.parse(printed.stdout).mcpServers.analytics.env).toEqual({
      ANALYTICS_API_KEY: "<your key>",
      ANALYTICS_BASE_URL: "https://stats.example.com",
    });
    expect(printed.stderr).toContain("Replace the words in <> with your key");
    const { code, stderr } = await desktop("--write");
    expect([code, existsSync(file())]).toEqual([2, false]);
    expect(stderr).toMatch(/Save a key first: analytics-mcp login\. Or use --with-key/);
    writeProfile({ HOME: home }, "acme", { baseUrl: "https://stats.example.test/api/v1", apiKey: KEY });
    expect((await desktop("--write")).stderr).toContain("Name a saved profile with --profile (acme)");
  });

  it("replaces a placeholder without --force", async () => {
    const printed = await config("claude-desktop");
    writeFileSync(file(), printed.stdout);
    expect((await desktop("--with-key", "--write")).code).toBe(0);
    expect((await desktop("--demo", "--write")).code).toBe(2);
  });

  it("is written with --with-key, for its owner only, and still never shown", async () => {
    const shown = await desktop("--with-key", "--dry-run");
    expect(shown.stdout).toContain('+        "ANALYTICS_API_KEY": "…"');
    const { code, stdout, stderr } = await desktop("--with-key", "--write");
    expect(code).toBe(0);
    expect(stdout + stderr + shown.stdout + shown.stderr).not.toContain(KEY);
    expect(stderr).toContain("The file contains the key itself");
    expect(JSON.parse(readFileSync(file(), "utf8")).mcpServers.analytics.env.ANALYTICS_API_KEY).toBe(KEY);
    expect(statSync(file()).mode & 0o777).toBe(0o600);
    const again = await config("claude-desktop", "--file", file(), "--demo", "--dry-run", "--force");
    expect(again.stdout).toContain('-        "ANALYTICS_API_KEY": "…"');
    expect(again.stdout + again.stderr).not.toContain(KEY);
  });

  it.each([
    [
      "without a key in the shell",
      ["--with-key"],
      /--with-key writes the key in ANALYTICS_API_KEY, which is not set in this shell/,
    ],
    ["with --demo", ["--with-key", "--demo"], /Use --with-key or --demo, not both/],
    ["with a profile", ["--with-key", "--profile", "acme"], /Use --with-key or --profile, not both/],
  ])("is never a saved one: %s", async (_, argv, message) => {
    const environment = { HOME: home, ANALYTICS_BASE_URL: "" };
    writeProfile(environment, "acme", { baseUrl: "https://stats.example.com/api/v1", apiKey: KEY });
    const { code, stderr } = await runShell(
      ["config", "claude-desktop", "--write", "--file", file(), ...argv],
      { environment },
    );
    expect([code, stderr]).toEqual([2, expect.stringMatching(message)]);
    expect(existsSync(file())).toBe(false);
  });

  it.each([
    ["in single quotes", "codex", "[mcp_servers.analytics.env]\nANALYTICS_API_KEY = '…'\n"],
    ["in three quotes", "codex", '[mcp_servers.analytics.env]\nANALYTICS_API_KEY = """…"""\n'],
    ["by a quoted name", "codex", "[mcp_servers.analytics]\nenv = { 'ANALYTICS_API_KEY' = \"…\" }\n"],
    [
      "in a container's arguments",
      "codex",
      '[mcp_servers.analytics]\nargs = ["-e", "ANALYTICS_API_KEY=…"]\n',
    ],
    ["on the next line", "cursor", '{"mcpServers":{"analytics":{"env":{"ANALYTICS_API_KEY":\n "…"}}}}'],
    ["with a brace", "cursor", '{"mcpServers":{"analytics":{"env":{"ANALYTICS_API_KEY":"{…"}}}}'],
    ["with a quotation mark", "cursor", '{"mcpServers":{"analytics":{"env":{"ANALYTICS_API_KEY":"\\"…"}}}}'],
  ])("is not shown when it is removed, %s", async (_, client, text) => {
    const old = join(home, "old");
    writeFileSync(old, text.replace("…", "canary-of-old"));
    for (const more of [[], ["--json"]]) {
      const { code, stdout, stderr } = await config(
        client,
        "--write",
        "--force",
        "--dry-run",
        "--file",
        old,
        ...more,
      );
      expect([code, stdout]).toEqual([0, expect.stringContaining("…")]);
      expect(stdout + stderr).not.toContain("canary");
    }
  });

  it("hides nothing else when it is empty", async () => {
    const old = join(home, "old");
    writeFileSync(old, '{"mcpServers":{"analytics":{"env":{"ANALYTICS_API_KEY":"", "OTHER":"kept"}}}}');
    const { stdout } = await config("cursor", "--write", "--force", "--dry-run", "--file", old);
    expect(stdout).toContain('"ANALYTICS_API_KEY":"", "OTHER":"kept"');
  });

  it("comes with a warning if others can read the file", async () => {
    writeFileSync(file(), "{}");
    chmodSync(file(), 0o644);
    const { stderr } = await desktop("--with-key", "--write");
    expect(stderr).toContain(`chmod 600 ${file()}`);
    writeFileSync(file(), "{}");
    const { notes } = JSON.parse((await desktop("--with-key", "--write", "--json")).stdout);
    expect(notes).toContainEqual(expect.stringContaining(`chmod 600 ${file()}`));
  });
});
