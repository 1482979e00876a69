import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { execFileSync, spawnSync } from "../support/child-process.js";
import { installed } from "../support/installed-package.ts";
import { hasCompileCache, otherNodes } from "../support/other-nodes.ts";

const { files, folder, bin, size, unpackedSize } = installed;
const home = join(folder, "node_modules", "analytics-mcp");
const manifest = JSON.parse(readFileSync(join(home, "package.json"), "utf8"));

/** What only people who change the package read, and pictures of the README, which npm's page shows from the repository. */
const LEFT_OUT = new Set(["architecture.md", "contributing.md", "images"]);

describe("the tarball", () => {
  it("holds the program, its papers and nothing else", () => {
    const docs = readdirSync("docs").flatMap((name) => (LEFT_OUT.has(name) ? [] : [`docs/${name}`]));
    const deploy = readdirSync("deploy", { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((file) => !file.startsWith("deploy/mcpb/"));
    const papers = ["CHANGELOG.md", "LICENSE", "README.md", "SECURITY.md", ...docs, ...deploy, "llms.txt"];
    const fixed = [...papers, "bin/analytics-mcp.js", "bin/package.json", "package.json"].sort();
    expect(files.filter((file) => !file.startsWith("dist/")).sort()).toEqual(fixed);
    const dist = files.filter((file) => file.startsWith("dist/"));
    expect(dist).toContain("dist/main.js");
    expect(dist).toEqual(expect.arrayContaining(["dist/THIRD_PARTY_LICENSES.txt", "dist/sbom.cdx.json"]));
    expect(dist).toContain("dist/pages.css");
    expect(dist).toEqual(expect.arrayContaining(manifest.man));
    const scripts = ["bash", "fish", "ps1", "zsh"].map(
      (end) => `dist/completion/scripts/analytics-mcp.${end}`,
    );
    expect(dist.filter((file) => file.startsWith("dist/completion/")).sort()).toEqual(scripts);
    const others = dist.filter(
      (file) => !file.startsWith("dist/completion/") && !["dist/pages.css", ...manifest.man].includes(file),
    );
    expect(
      others.filter((file) => !/^dist\/([\w.-]+\.(js|txt)|(sbom\.cdx|package)\.json)$/.test(file)),
    ).toEqual([]);
  });

  it("installs as one package, without dependencies and install scripts", () => {
    const installed = readdirSync(join(folder, "node_modules")).filter((name) => !name.startsWith("."));
    expect(installed).toEqual(["analytics-mcp"]);
    expect(manifest.dependencies ?? {}).toEqual({});
    expect(
      Object.keys(manifest.scripts ?? {}).filter((name) => /^(pre|post)?install$|^prepare$/.test(name)),
    ).toEqual([]);
    expect(manifest.license).toBe("MIT");
  });

  it("is not asked for in a clone: there, the README's first line runs the clone", () => {
    const [line = ""] =
      readFileSync("README.md", "utf8").match(/^npx -y analytics-mcp overview --demo$/m) ?? [];
    const env = { npm_config_registry: "http://127.0.0.1:9/" };
    const { status, stdout } = spawnSync("sh", ["-c", `${line} --json`], { env });
    expect([line, status, JSON.parse(String(stdout))]).toEqual([
      expect.any(String),
      0,
      expect.objectContaining({ site: expect.anything() }),
    ]);
  });

  it("is at most 1.25 MB packed and 4 MB unpacked", () => {
    expect(size).toBeLessThanOrEqual(1_250_000);
    expect(unpackedSize).toBeLessThanOrEqual(4_000_000);
  });

  it("carries the licence of every package that it bundles, and what notices those carry", () => {
    const text = readFileSync(join(home, "dist", "THIRD_PARTY_LICENSES.txt"), "utf8");
    for (const name of ["@modelcontextprotocol/server", "zod", "undici", "commander", "fast-string-width"]) {
      expect(text).toMatch(new RegExp(`^${name} \\d+\\.\\d+\\.\\d+ \\((MIT|Apache-2.0)\\)$`, "m"));
    }
    // The chart is bundled when the package is built.
    expect(text).not.toMatch(/^esbuild /m);
    expect(text).toContain(readFileSync("node_modules/oidc-provider/THIRD-PARTY-NOTICES.md", "utf8").trim());
    // Terms that stand there already are not repeated; their holders are named.
    const fetch = readFileSync("node_modules/undici/lib/web/fetch/LICENSE", "utf8");
    const [holders = "", terms = ""] = fetch.split("\n\nPermission is hereby granted");
    const [, owner = ""] = text.split(`${holders}\n\nThe terms are, word for word, those of `);
    const printed = text.split(`\n${owner.split(" above.")[0]} `)[1]?.replaceAll(/\s+/g, " ");
    expect(printed).toContain(terms.trim().replaceAll(/\s+/g, " "));
  });

  it("knows no path of the machine that built it", () => {
    for (const file of files) expect(readFileSync(join(home, file), "utf8")).not.toContain(resolve("src"));
  });

  it("leaves libsql to those who install it", () => {
    for (const file of files.filter((each) => each.endsWith(".js"))) {
      expect(readFileSync(join(home, file), "utf8")).not.toContain("@neon-rs/load");
    }
    expect(manifest.peerDependenciesMeta).toEqual({ libsql: { optional: true } });
  });

  it("links its command", () => {
    expect(existsSync(bin)).toBe(true);
    expect(execFileSync(bin, ["--version"], { encoding: "utf8" })).toBe(`${manifest.version}\n`);
  });
});

describe.skipIf(otherNodes.length === 0)("under other Node versions (TEST_NODES)", () => {
  it.each(otherNodes.length === 0 ? ["none"] : otherNodes)("%s runs the shell and the server", (node) => {
    const run = (args: string[], input = "") => spawnSync(node, [bin, ...args], { input, encoding: "utf8" });
    const stats = run(["stats", "--demo", "--site", "example.com", "--json"]);
    expect([stats.status, stats.stderr]).toEqual([0, ""]);
    expect(JSON.parse(stats.stdout).site.domain).toBe("example.com");
    expect(run(["sites"], "").status).toBe(4);
    const refused = spawnSync(node, [bin, "sites", "--base-url", "http://127.0.0.1:59998"], {
      encoding: "utf8",
      env: { ANALYTICS_API_KEY: "x" },
    });
    expect([refused.status, refused.stderr]).toEqual([
      5,
      expect.stringContaining("nothing is listening there"),
    ]);
    const params = {
      protocolVersion: "2025-06-18",
      capabilities: {},
      clientInfo: { name: "raw", version: "1" },
    };
    const frame = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params });
    const server = spawnSync(node, ["-e", DRIVER, bin, frame], { encoding: "utf8", timeout: 20_000 });
    expect(server.stdout).toContain('"serverInfo"');
  });

  it.each(otherNodes.filter(hasCompileCache))(
    "%s keeps compiled code in the person's own cache folder alone",
    (node) => {
      const home = mkdtempSync(join(tmpdir(), "home-"));
      const env = { HOME: home, TMPDIR: home, XDG_CACHE_HOME: "relative", NODE_COMPILE_CACHE: "" };
      expect(spawnSync(node, [bin, "help"], { env, cwd: home }).status).toBe(0);
      expect(readdirSync(home)).toEqual([".cache"]);
      const compiled = join(home, ".cache/analytics-mcp/compiled");
      expect(readdirSync(compiled)).toHaveLength(1);
      expect(statSync(compiled).mode & 0o777).toBe(0o700);
      chmodSync(compiled, 0o777);
      expect(spawnSync(node, [bin, "help"], { env, cwd: home }).status).toBe(0);
      expect(statSync(compiled).mode & 0o777).toBe(0o700);
      rmSync(home, { recursive: true });
    },
  );
});

/** Starts the server under the same Node, sends one frame, prints the answer and ends. */
const DRIVER = `
const child = require("child_process").spawn(process.execPath, [process.argv[1], "--demo"], { stdio: ["pipe", "pipe", "inherit"] });
child.stdout.once("data", (chunk) => { process.stdout.write(chunk); child.stdin.end(); });
child.stdin.write(process.argv[2] + "\\n");
`;
