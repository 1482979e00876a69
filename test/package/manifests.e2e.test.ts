import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { Ajv } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import { fullFormats } from "ajv-formats/dist/formats.js";
import { afterAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { environment } from "../../src/documents/environment.ts";
import { clients } from "../../src/setup/clients/index.ts";
import { findClient } from "../../src/setup/mcp-client.ts";
import { buildEntry } from "../../src/setup/setup-instructions.ts";
import { execFileSync, spawnSync } from "../support/child-process.js";
import { spawnClient } from "../support/clients.ts";
import { installed } from "../support/installed-package.ts";
import { buildInstallLinks, manifest, manifests, SKILL, stranger } from "../support/manifests.ts";
import { checks } from "../support/tools.ts";

const read = (path: string) => JSON.parse(readFileSync(path, "utf8"));
const folder = mkdtempSync(join(tmpdir(), "manifests-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it.each(Object.keys(manifests))(
  "%s is as package.json and the operations say (npm run manifests)",
  async (path) => {
    await expect(manifests[path]).toMatchFileSnapshot(join("..", "..", path));
  },
);

it.each([
  ["server.json", "server"],
  ["plugin/plugin.json", "agent-plugin"],
  ["plugin/mcp.json", "agent-plugin-mcp"],
  ["plugin/.claude-plugin/plugin.json", "claude-code-plugin-manifest"],
  [".claude-plugin/marketplace.json", "claude-code-marketplace"],
])("%s is valid by its format's schema", (path, name) => {
  const schema = read(`fixtures/schemas/${name}.schema.json`);
  const options = { strict: false, formats: fullFormats, allErrors: true };
  const ajv = schema.$schema.includes("2020-12") ? new Ajv2020(options) : new Ajv(options);
  const isValid = ajv.compile(schema);
  expect([isValid(read(path)), isValid.errors]).toEqual([true, null]);
  // The schema does look: without what it demands the document is refused.
  const [demanded = ""] = schema.required ?? ["name"];
  expect(isValid({ ...read(path), [demanded]: undefined })).toBe(false);
});

describe("the entry of the registry", () => {
  it("bears the name that the package gives as proof", () => {
    const { name, version, packages } = read("server.json");
    const published = read(join(installed.folder, "node_modules/analytics-mcp/package.json"));
    expect(published).toMatchObject({ mcpName: name, version, name: packages[0].identifier });
  });
});

describe("the plugin", () => {
  it("stands where the marketplace says, under the same name", () => {
    for (const { name, source, version } of read(".claude-plugin/marketplace.json").plugins) {
      expect(read(join(source, ".claude-plugin/plugin.json"))).toMatchObject({ name, version });
      expect(read(join(source, "plugin.json"))).toMatchObject({ name, version });
    }
  });

  it("asks for all that its server's environment names, and starts the version that it is", () => {
    const { userConfig, mcpServers } = read("plugin/.claude-plugin/plugin.json");
    const named = Object.values<string>(mcpServers.analytics.env).map(
      (text) => /^\$\{user_config\.(\w+)\}$/.exec(text)?.[1],
    );
    expect(named.sort()).toEqual(Object.keys(userConfig).sort());
    expect(userConfig.api_key.sensitive).toBe(true);
    for (const each of [mcpServers, read("plugin/mcp.json").mcpServers]) {
      expect(each.analytics.args).toEqual(["-y", `analytics-mcp@${manifest.version}`]);
    }
  });
});

it("each skill keeps the limits of agentskills.io", () => {
  const skills = readdirSync("plugin/skills");
  expect(skills).toEqual([SKILL]);
  for (const skill of skills) {
    const text = readFileSync(join("plugin/skills", skill, "SKILL.md"), "utf8");
    const [, front = "", body = ""] = /^---\n([\s\S]*?)\n---\n([\s\S]*)$/.exec(text) ?? [];
    const { name, description, license, compatibility, ...others } = parse(front);
    expect(others).toEqual({});
    expect(name).toBe(skill);
    expect(name).toMatch(/^(?!.*--)[a-z0-9]([a-z0-9-]{0,62}[a-z0-9])?$/);
    // The specification allows 1024 characters, Codex 500.
    expect([...description].length).toBeLessThanOrEqual(500);
    expect(description).not.toMatch(/[<>\n]/);
    expect([...compatibility].length).toBeLessThanOrEqual(500);
    expect(license).toBe("MIT");
    expect(body.split("\n").length).toBeLessThanOrEqual(500);
  }
});

describe("the links of one click", () => {
  const all = buildInstallLinks();
  const links = all.at(-1)?.links ?? { Cursor: "", "VS Code": "" };
  const readCode = (link: string) => {
    const target = new URL(link).searchParams.get("url") ?? "";
    return JSON.parse(decodeURIComponent(target.split("?")[1] ?? ""));
  };

  it.each(all.map(({ has, links }) => [has, links] as const))(
    "%s: VS Code asks for each variable",
    (_, each) => {
      const { inputs, env } = readCode(each["VS Code"]);
      const asked = Object.values(env).flatMap(
        (value) => /^\$\{input:(.*)\}$/.exec(String(value))?.[1] ?? [],
      );
      expect(inputs.map(({ id }: { id: string }) => id).sort()).toEqual(asked.sort());
      for (const name of Object.keys(env)) expect(environment).toHaveProperty(name);
      const config = new URL(each.Cursor).searchParams.get("config") ?? "";
      expect(Object.keys(JSON.parse(Buffer.from(config, "base64").toString()).env)).toEqual(Object.keys(env));
    },
  );

  it("to Cursor carries what config prints", () => {
    const { searchParams } = new URL(links.Cursor);
    const config = Buffer.from(searchParams.get("config") ?? "", "base64").toString();
    const { name, value } = buildEntry(findClient("cursor", clients), stranger);
    expect([searchParams.get("name"), JSON.parse(config)]).toEqual([name, value]);
  });

  it("to VS Code carries what config prints, with its questions", () => {
    const target = new URL(links["VS Code"]).searchParams.get("url") ?? "";
    expect(target).toMatch(/^vscode:mcp\/install\?/);
    const { name, inputs, value } = buildEntry(findClient("vs-code", clients), stranger);
    expect(JSON.parse(decodeURIComponent(target.split("?")[1] ?? ""))).toEqual({
      name,
      inputs,
      ...(value as object),
    });
  });
});

describe.skipIf(!checks.mcpb)("the bundle for desktop hosts", () => {
  const bundle = join(folder, "analytics-mcp.mcpb");
  const unpacked = join(folder, "unpacked");
  const mcpb = (...args: string[]) =>
    spawnSync(process.execPath, [checks.mcpb ?? "", ...args], { encoding: "utf8" });

  it("has a manifest that MCPB's own validator takes", () => {
    expect(mcpb("validate", "deploy/mcpb/manifest.json")).toMatchObject({ status: 0 });
  });

  it("packs and unpacks without a network, with its entry point and its papers", () => {
    execFileSync(process.execPath, ["deploy/mcpb/pack.js", bundle]);
    expect(mcpb("unpack", bundle, unpacked)).toMatchObject({ status: 0 });
    const { server } = read(join(unpacked, "manifest.json"));
    const papers = ["LICENSE", "dist/THIRD_PARTY_LICENSES.txt", "dist/sbom.cdx.json"];
    for (const path of [server.entry_point, ...papers]) {
      expect(readdirSync(join(unpacked, dirname(path)))).toContain(basename(path));
    }
    expect(readdirSync(unpacked)).not.toContain("node_modules");
  });

  it("runs as its manifest says, and offers the tools that it names", async () => {
    const { server, tools, user_config } = read(join(unpacked, "manifest.json"));
    const answers: Record<string, string> = { api_key: "key-of-a-test", base_url: "http://127.0.0.1:9" };
    expect(Object.keys(user_config)).toEqual(Object.keys(answers));
    const fill = (text: string) =>
      text
        .replace("${__dirname}", unpacked)
        .replace(/\$\{user_config\.(\w+)\}/, (_, name) => answers[name] ?? "");
    const { command, args, env } = server.mcp_config;
    const filled = Object.entries<string>(env).map(([name, value]) => [name, fill(value)] as const);
    const client = await spawnClient("v2 auto", command, args.map(fill), Object.fromEntries(filled));
    try {
      const names = (await client.listTools()).tools.map(({ name }) => name);
      expect(names.sort()).toEqual(tools.map(({ name }: { name: string }) => name).sort());
      const answer = await client.callTool("list_sites");
      expect(answer.content[0]?.text).toContain("127.0.0.1:9");
    } finally {
      await client.close();
    }
  });
});
