import { parse as parseToml } from "smol-toml";
import { describe, expect, it } from "vitest";
import { parse as parseYaml } from "yaml";
import { clients } from "../../src/setup/clients/index.ts";
import { expandPath, type Machine, type Platform, platforms } from "../../src/setup/machine.ts";
import { findClient } from "../../src/setup/mcp-client.ts";
import type { ServerSpec } from "../../src/setup/server-spec.ts";
import { buildInstructions } from "../../src/setup/setup-instructions.ts";

const homes = { macos: "/Users/me", linux: "/home/me", windows: "C:\\Users\\me" };
const machine = (platform: Platform = "linux", environment = {}): Machine => ({
  platform,
  isHere: true,
  home: homes[platform],
  environment,
});
const local = {
  kind: "local",
  options: [],
  baseUrl: undefined,
  allowHttp: undefined,
  apiKey: undefined,
} as const;
const specs: Record<"local" | "known" | "demo" | "remote", ServerSpec["server"]> = {
  local,
  known: { ...local, baseUrl: "https://stats.example.com" },
  demo: { ...local, options: ["--demo"] },
  remote: { kind: "remote", url: "https://mcp.example.com/mcp" },
};

function show(word: string, server: ServerSpec["server"], platform: Platform = "linux", environment = {}) {
  const client = findClient(word, clients);
  const spec = { name: "analytics", platform, server };
  const instructions = buildInstructions(client, spec, machine(platform, environment));
  const parsers: Record<string, (text: string) => unknown> = {
    json: JSON.parse,
    toml: parseToml,
    yaml: parseYaml,
  };
  const read = parsers[instructions.format] ?? JSON.parse;
  return { ...instructions, document: JSON.parse(JSON.stringify(read(instructions.content))) };
}

const args = ["-y", "analytics-mcp"];
const env = (key: string, url: string) => ({ ANALYTICS_API_KEY: key, ANALYTICS_BASE_URL: url });
const mcpServers = (server: object) => ({ mcpServers: { analytics: server } });
const npx = (key: string, url: string) => ({ command: "npx", args, env: env(key, url) });
const blank = npx("<your key>", "<address of your analytics service>");
const remote = "https://mcp.example.com/mcp";
const bridge = { command: "npx", args: ["-y", "mcp-remote", remote] };

const shell = npx("${ANALYTICS_API_KEY}", "${ANALYTICS_BASE_URL}");
const prefixed = npx("${env:ANALYTICS_API_KEY}", "${env:ANALYTICS_BASE_URL}");
const secrets = npx("${{ secrets.ANALYTICS_API_KEY }}", "${{ secrets.ANALYTICS_BASE_URL }}");
const names = ["ANALYTICS_API_KEY", "ANALYTICS_BASE_URL"];
const inputs = [
  { type: "promptString", id: "analytics-key", description: expect.any(String), password: true },
  { type: "promptString", id: "analytics-url", description: expect.any(String) },
];
const asked = npx("${input:analytics-key}", "${input:analytics-url}");
const opencode = {
  type: "local",
  command: ["npx", ...args],
  environment: env("{env:ANALYTICS_API_KEY}", "{env:ANALYTICS_BASE_URL}"),
};
const goose = { name: "analytics", description: "Web analytics", enabled: true, timeout: 300 };
const below = (serversKey: string, server: object) => ({ [serversKey]: { analytics: server } });

const forms: [id: string, local: object, remote: object][] = [
  ["claude-code", mcpServers(shell), mcpServers({ type: "http", url: remote })],
  ["claude-desktop", mcpServers(blank), mcpServers(bridge)],
  ["cursor", mcpServers(prefixed), mcpServers({ url: remote })],
  [
    "vs-code",
    { inputs, ...below("servers", { type: "stdio", ...asked }) },
    below("servers", { type: "http", url: remote }),
  ],
  [
    "codex",
    below("mcp_servers", { command: "npx", args, env_vars: names }),
    below("mcp_servers", { url: remote }),
  ],
  ["gemini-cli", mcpServers(shell), mcpServers({ httpUrl: remote })],
  [
    "copilot-cli",
    mcpServers({ type: "local", tools: ["*"], ...shell }),
    mcpServers({ type: "http", url: remote, tools: ["*"] }),
  ],
  ["qwen-code", mcpServers(shell), mcpServers({ httpUrl: remote })],
  ["windsurf", mcpServers(prefixed), mcpServers({ serverUrl: remote })],
  ["zed", below("context_servers", blank), below("context_servers", { url: remote })],
  ["jetbrains", mcpServers(blank), mcpServers(bridge)],
  ["opencode", below("mcp", opencode), below("mcp", { type: "remote", url: remote })],
  ["kilo", below("mcp", opencode), below("mcp", { type: "remote", url: remote })],
  ["cline", mcpServers(prefixed), mcpServers({ type: "streamableHttp", url: remote })],
  [
    "continue",
    { mcpServers: [{ name: "analytics", type: "stdio", ...secrets }] },
    { mcpServers: [{ name: "analytics", type: "streamable-http", url: remote }] },
  ],
  [
    "goose",
    below("extensions", { type: "stdio", ...goose, cmd: "npx", args, envs: {}, env_keys: names }),
    below("extensions", { type: "streamable_http", ...goose, uri: remote }),
  ],
  ["lm-studio", mcpServers(blank), mcpServers({ url: remote })],
];

describe("each client gets its own form", () => {
  it.each(forms)("%s", (word, localForm, remoteForm) => {
    expect(show(word, specs.local).document).toEqual(localForm);
    expect(show(word, specs.remote).document).toEqual(remoteForm);
  });

  it("all of them are tested", () => {
    expect(forms.map(([id]) => id)).toEqual(clients.map(({ id }) => id));
  });
});

const all = clients.map(({ id }) => id);

describe("every client", () => {
  it.each(all)("%s: the demo needs no variables, and a known address is written", (word) => {
    expect(show(word, specs.demo).content).toContain("--demo");
    expect(show(word, specs.demo).content).not.toContain("ANALYTICS");
    const known = show(word, specs.known).content;
    expect(known).toContain("https://stats.example.com");
    expect(known).not.toContain("ANALYTICS_BASE_URL}");
  });

  it.each(all)("%s: on Windows a local program starts through cmd", (word) => {
    expect(show(word, specs.local, "windows").content).toMatch(/cmd[\s\S]*"\/c",\s*"npx",\s*"-y"/);
    expect(show(word, specs.local, "macos").content).not.toContain("/c");
  });

  it.each(all)("%s: says whether mcp-remote connects to the connector", (word) => {
    const { content, notes } = show(word, specs.remote);
    expect(content.includes("mcp-remote")).toBe(findClient(word, clients).buildRemote === undefined);
    expect(notes.some((note) => note.includes("mcp-remote"))).toBe(
      findClient(word, clients).buildRemote === undefined,
    );
    expect(notes.join(" ")).toMatch(/sign in/i);
  });

  it.each(all)("%s: its links and commands carry the same entry", (word) => {
    const { command, link, document } = show(word, specs.remote);
    if (command !== null) expect(command).toContain(remote);
    if (link === null) return;
    const [, query = ""] = link.split("?");
    const config = new URLSearchParams(query).get("config");
    const sent = JSON.parse(
      config === null ? decodeURIComponent(query) : Buffer.from(config, "base64").toString(),
    );
    expect(Object.values(document)).toContainEqual({
      analytics: expect.objectContaining(config === null ? { url: sent.url } : sent),
    });
  });
});

describe("the path of the file", () => {
  const support = "Library/Application Support";
  it.each([
    [
      "claude-desktop",
      `${support}/Claude/claude_desktop_config.json`,
      "AppData\\Roaming\\Claude\\claude_desktop_config.json",
      ".config/Claude/claude_desktop_config.json",
    ],
    ["cursor", ".cursor/mcp.json", ".cursor\\mcp.json", ".cursor/mcp.json"],
    [
      "vs-code",
      `${support}/Code/User/mcp.json`,
      "AppData\\Roaming\\Code\\User\\mcp.json",
      ".config/Code/User/mcp.json",
    ],
    ["codex", ".codex/config.toml", ".codex\\config.toml", ".codex/config.toml"],
    ["zed", ".config/zed/settings.json", "AppData\\Roaming\\Zed\\settings.json", ".config/zed/settings.json"],
    [
      "goose",
      ".config/goose/config.yaml",
      "AppData\\Roaming\\Block\\goose\\config\\config.yaml",
      ".config/goose/config.yaml",
    ],
  ])("%s", (word, macos, windows, linux) => {
    const paths = [`/Users/me/${macos}`, `C:\\Users\\me\\${windows}`, `/home/me/${linux}`];
    expect(platforms.map((platform) => show(word, specs.local, platform).path)).toEqual(paths);
  });

  it("follows APPDATA, XDG_CONFIG_HOME and the clients' own variables", () => {
    const appData = { APPDATA: "D:\\Roaming" };
    expect(show("vscode", specs.local, "windows", appData).path).toBe("D:\\Roaming\\Code\\User\\mcp.json");
    expect(show("zed", specs.local, "linux", { XDG_CONFIG_HOME: "/xdg" }).path).toBe(
      "/xdg/zed/settings.json",
    );
    expect(show("codex", specs.local, "linux", { CODEX_HOME: "/codex" }).path).toBe("/codex/config.toml");
    expect(show("copilot", specs.local, "linux", { COPILOT_HOME: "/co" }).path).toBe("/co/mcp-config.json");
    const relative = machine("linux", { XDG_CONFIG_HOME: "xdg" });
    expect(expandPath({ macos: "", windows: "", linux: "~/.config/x" }, relative)).toBe("/home/me/.config/x");
  });
});

describe("a client is found", () => {
  it.each([
    ["claudecode", "claude-code"],
    ["Claude Desktop", "claude-desktop"],
    ["vscode", "vs-code"],
    ["code", "vs-code"],
    ["gemini", "gemini-cli"],
    ["codex-cli", "codex"],
    ["intellij", "jetbrains"],
    ["LMStudio", "lm-studio"],
    ["copilot", "copilot-cli"],
    ["github-copilot", "vs-code"],
    ["kilocode", "kilo"],
  ])("as %s", (word = "", id) => {
    expect(findClient(word, clients).id).toBe(id);
  });

  it.each([
    ["curser", "cursor"],
    ["windsrf", "windsurf"],
    ["claude-dekstop", "claude-desktop"],
  ])("or guessed: %s", (word, id) => {
    expect(() => findClient(word, clients)).toThrow(
      expect.objectContaining({ code: "usage", hint: expect.stringContaining(`Did you mean ${id}?`) }),
    );
  });

  it("or not, and then the error lists all", () => {
    expect(() => findClient("emacs-with-everything", clients)).toThrow(
      expect.objectContaining({
        hint: expect.stringMatching(/^The clients are claude-code, .*lm-studio\.$/),
      }),
    );
  });
});
