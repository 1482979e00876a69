import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { clients } from "../../src/setup/clients/index.ts";
import { at, KEY, readReport } from "../support/doctor-report.ts";
import { createHome } from "../support/profiles.ts";
import { runShell } from "../support/shell.ts";

const service = at("http://127.0.0.1:9");

/** What the doctor finds out about the clients of a home folder. */
async function examine(environment: Record<string, string>) {
  const { checks } = readReport(await runShell(["doctor", "--json"], { environment }));
  return checks.filter(({ check }) => check.startsWith("client"));
}

function put(file: string, text: string, mode = 0o600) {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text, { mode });
}

describe("the MCP clients of this machine", () => {
  const entry = (env: Record<string, string>, args: string[] = []) =>
    JSON.stringify({
      mcpServers: { analytics: { command: "npx", args: ["-y", "analytics-mcp", ...args], env } },
    });
  const look = async (path: string, text: string, mode = 0o600, profiles = {}) => {
    const home = createHome(profiles);
    put(join(home.HOME, path), text, mode);
    return (await examine({ ...home, ...service }))[0];
  };

  it.each<[string, string, string, RegExp]>([
    [".cursor/mcp.json", entry({ ANALYTICS_API_KEY: KEY }), "ok", /mcp\.json$/],
    [
      ".cursor/mcp.json",
      `// ours\n${entry({ ANALYTICS_API_KEY: KEY }).replace(/}$/, ",}")}`,
      "ok",
      /mcp\.json$/,
    ],
    [".cursor/mcp.json", entry({ ANALYTICS_API_KEY: KEY }).slice(1), "warning", /not valid JSON/],
    [
      ".cursor/mcp.json",
      '{\n "a": 1\n "b": 2}',
      "warning",
      /mcp\.json is not valid JSON: line 3, column 2: comma expected$/,
    ],
    [".cursor/mcp.json", entry({ ANALYTICS_API_KEY: "your key" }), "warning", /placeholder/],
    [".cursor/mcp.json", entry({ ANALYTICS_API_KEY: "${env:ANALYTICS_API_KEY}" }), "ok", /mcp\.json$/],
    [
      ".cursor/mcp.json",
      entry({ ANALYTICS_API_KEY: "${env:KEY_ELSEWHERE}" }),
      "warning",
      /mcp\.json: ANALYTICS_API_KEY refers to \$\{env:KEY_ELSEWHERE\}, which is not set here$/,
    ],
    [".cursor/mcp.json", entry({ ANALYTICS_API_KEY: "${input:key}" }), "ok", /mcp\.json$/],
    [".cursor/mcp.json", entry({}), "warning", /has no key/],
    [".cursor/mcp.json", entry({}, ["--demo"]), "ok", /mcp\.json$/],
    [
      ".config/Claude/claude_desktop_config.json",
      entry({ ANALYTICS_API_KEY: "${KEY}" }),
      "warning",
      /not fill in/,
    ],
    [
      ".codex/config.toml",
      `[mcp_servers.a]\ncommand = "npx"\nargs = ["analytics-mcp"]\n[mcp_servers.a.env]\nANALYTICS_API_KEY = "<key>"\n`,
      ...(["warning", /placeholder/] as const),
    ],
    [".cursor/mcp.json", '{"mcpServers":{}}', "skipped", /no client has an entry .* analytics-mcp config /],
    [
      ".cursor/mcp.json",
      '{"mcpServers":{"analytics":{"url":"https://mcp.example.com/mcp"}}}',
      ...([
        "skipped",
        /no client has an entry that starts this program; .* analytics-mcp doctor --connector /,
      ] as const),
    ],
  ])("%s with %s", async (path, text, status, detail) => {
    expect(await look(path, text)).toMatchObject({ status, detail: expect.stringMatching(detail) });
  });

  it("a link to a device instead of a file is ignored", async () => {
    const home = createHome();
    mkdirSync(join(home.HOME, ".cursor"));
    symlinkSync("/dev/zero", join(home.HOME, ".cursor/mcp.json"));
    expect(await examine({ ...home, ...service })).toEqual([expect.objectContaining({ status: "skipped" })]);
  });

  it("each with a sentence below the table", async () => {
    const home = createHome();
    mkdirSync(join(home.HOME, ".cursor"));
    writeFileSync(join(home.HOME, ".cursor/mcp.json"), "{");
    const { stdout, stderr } = await runShell(["doctor"], { environment: home });
    const shown = `${stdout}${stderr}`;
    expect(shown).toContain("line 1, column 2: close brace expected");
    expect(shown).toContain("Fix the file: Cursor");
  });

  it("a key that others can read, and a profile instead of a key", async () => {
    const path = ".cursor/mcp.json";
    expect(await look(path, entry({ ANALYTICS_API_KEY: KEY }), 0o644)).toMatchObject({
      status: "warning",
      fix: expect.stringMatching(/^chmod 600 /),
    });
    const profiles = { default: { baseUrl: "https://x.example", apiKey: "x" } };
    expect(await look(path, entry({}), 0o644, profiles)).toMatchObject({ status: "ok" });
    const codex = '[mcp_servers.a]\ncommand = "analytics-mcp"\nenv_vars = ["ANALYTICS_API_KEY"]\n';
    const home = createHome(profiles);
    put(join(home.HOME, ".codex/config.toml"), codex);
    expect(await examine(home)).toEqual([expect.objectContaining({ status: "ok" })]);
  });
});

describe("what config prints", () => {
  const connector = "https://analytics-mcp.example.com/analytics-mcp/mcp";
  const forms: Record<string, string[]> = {
    "the local server": [],
    "with a known address": ["--base-url", "https://stats.example.com"],
    "the demo": ["--demo"],
    "a connector": ["--remote", "https://mcp.example.com/mcp"],
    "a connector whose address contains the package's name": ["--remote", connector],
    "a server that is called like the package": ["--remote", connector, "--name", "analytics-mcp"],
  };
  const cases = clients
    .filter(({ id }) => id !== "jetbrains") // It has no file.
    .flatMap(({ id, otherFiles }) =>
      Object.entries(forms).map(([form, argv]) => ({ id, form, argv, otherFiles })),
    );

  it.each(cases)("for $id, $form, is fine", async ({ id, argv, otherFiles }) => {
    const home = createHome();
    const { stdout } = await runShell(["config", id, "--json", ...argv], { environment: home });
    const { path, content }: { path: string | null; content: string } = JSON.parse(stdout);
    // A project's file would be in the folder of this repository.
    const other = otherFiles?.find((path) => path.startsWith("~"))?.slice(2) ?? "";
    const file = path?.startsWith(home.HOME) ? path : join(home.HOME, other);
    put(file, content.replace("<your key>", KEY).replace(/<address.*?>/, "https://stats.example.com"));
    for (const { status, detail } of await examine({ ...home, ...service })) {
      expect([status, detail]).toEqual([expect.stringMatching(/^ok$|^skipped$/), expect.any(String)]);
    }
  });
});

describe("an entry", () => {
  const local = { command: "npx", args: ["-y", "analytics-mcp"] };
  const toml = (lines: string) =>
    `[mcp_servers.a]\ncommand = "npx"\nargs = ["-y", "analytics-mcp"]\n${lines}`;
  const goose = (lines: string) =>
    `extensions:\n  a:\n    cmd: npx\n    args: ["analytics-mcp"]\n${lines}  other:\n    cmd: x\n    env_keys: ["ANALYTICS_API_KEY"]\n`;

  it.each<[what: string, path: string, text: string, detail: RegExp]>([
    [
      "without a key, beside a remote server",
      ".cursor/mcp.json",
      JSON.stringify({ mcpServers: { a: local, b: { url: "https://mcp.example.com/mcp" } } }),
      /has no key/,
    ],
    [
      "without a key, beside another server's",
      ".cursor/mcp.json",
      JSON.stringify({
        mcpServers: { a: local, b: { command: "other", env: { ANALYTICS_API_KEY: KEY } } },
      }),
      /has no key/,
    ],
    ["of TOML without a key", ".codex/config.toml", toml(""), /has no key/],
    ["of YAML without a key", ".config/goose/config.yaml", goose(""), /has no key/],
    [
      "of TOML with a reference that stays as it is",
      ".codex/config.toml",
      toml('env = { ANALYTICS_API_KEY = "${ANALYTICS_API_KEY}" }\n'),
      /not fill in/,
    ],
    [
      "of TOML that passes on a variable that is not set",
      ".codex/config.toml",
      toml('env_vars = ["ANALYTICS_API_KEY"]\n'),
      /passes on ANALYTICS_API_KEY, which is not set here/,
    ],
    [
      "with the placeholder",
      ".config/Claude/claude_desktop_config.json",
      JSON.stringify({ mcpServers: { a: { ...local, env: { ANALYTICS_API_KEY: "<your key>" } } } }),
      /placeholder/,
    ],
    ["of TOML that cannot be read", ".codex/config.toml", toml("= 1\n"), /not valid TOML: line 4/],
  ])("%s is found, and its fix puts no key into a file", async (_, path, text, detail) => {
    const home = createHome();
    put(join(home.HOME, path), text);
    const [found] = await examine(home);
    expect(found).toMatchObject({ status: "warning", detail: expect.stringMatching(detail) });
    expect(found?.fix).not.toMatch(/\b(write|put|add)\b|in the entry/i);
  });

  it.each([
    [".codex/config.toml", '[projects."/home/me/analytics-mcp"]\ntrust_level = "trusted"\n'],
    [".claude.json", JSON.stringify({ projects: { "/home/me/analytics-mcp": { mcpServers: {} } } })],
  ])("is not a project's folder of the same name, in %s", async (path, text) => {
    const home = createHome();
    put(join(home.HOME, path), text);
    expect(await examine({ ...home, ...service })).toEqual([expect.objectContaining({ check: "clients" })]);
  });
});
