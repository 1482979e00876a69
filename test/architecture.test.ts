import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { computedModules } from "../.ci/build/computed.ts";

/** The layer of each module: imports only go down, and modules on one layer do not import each other. */
const layers: Record<string, number> = {
  "errors.ts": 0,
  "member.ts": 0,
  "suggest.ts": 1,
  http: 1,
  sqlite: 1,
  operations: 1,
  client: 2,
  config: 2,
  render: 2,
  documents: 2,
  names: 2,
  reports: 3,
  sources: 3,
  api: 4,
  mcp: 4,
  oauth: 4,
  setup: 4,
  conform: 4,
  serve: 5,
  view: 5,
  cli: 6,
  "main.ts": 7,
  "read-logs.ts": 7,
};

/** Which others each folder of `src/sources/` imports. All import the files of `src/sources/` itself. */
const sourceFolders: Record<string, readonly string[]> = {
  measure: [],
  demo: ["measure"],
  clickhouse: ["measure"],
  gateways: ["gateways/matomo", "gateways/umami", "gateways/plausible"],
  "gateways/matomo": ["gateways"],
  "gateways/umami": ["gateways"],
  "gateways/plausible": ["gateways"],
  described: [],
  logs: ["logs/reading", "logs/reading/formats", "logs/counting", "logs/store", "logs/command", "measure"],
  "logs/reading": ["logs", "logs/reading/formats"],
  "logs/reading/formats": ["logs", "logs/reading"],
  "logs/counting": ["logs", "logs/reading", "measure"],
  "logs/store": ["logs", "logs/reading", "logs/counting", "measure"],
  "logs/command": ["logs", "logs/reading", "logs/counting", "measure"],
};

const src = resolve("src");
const files = readdirSync(src, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"));
const moduleOf = (file: string) => file.split("/")[0] ?? "";
const sourceOf = (file: string) => readFileSync(join(src, file), "utf8");

const imports = files.flatMap((file) =>
  [...sourceOf(file).matchAll(/(?:from|import\()\s*"([^"]+)"/g)].map(([, target = ""]) => ({ file, target })),
);

const resolveImport = (file: string, target: string) =>
  target.startsWith(".") ? relative(src, resolve(src, dirname(file), target)) : target;

/** What a file imports to run: not types, and nothing that is imported on demand. */
const listLoaded = (file: string) =>
  files.includes(file)
    ? [...sourceOf(file).matchAll(/^(?:import|export) (?!type )[^;]*?from "([^"]+)"/gm)].map(
        ([, target = ""]) => resolveImport(file, target),
      )
    : [];

describe("the layers", () => {
  it("every module has a layer", () => {
    expect([...new Set(files.map(moduleOf))].filter((module) => layers[module] === undefined)).toEqual([]);
  });

  it("docs/architecture.md shows each module on its layer", () => {
    const page = readFileSync("docs/architecture.md", "utf8");
    const shown = [...page.matchAll(/^\| (\d) \| `src\/([\w.-]+)\/?` \|/gm)];
    const byModule = Object.fromEntries(shown.map(([, layer, module = ""]) => [module, Number(layer)]));
    expect(byModule).toEqual(layers);
  });

  it.each(["architecture", "contributing"])("docs/%s.md names only files that exist", (name) => {
    const page = readFileSync(`docs/${name}.md`, "utf8");
    const named = [...page.matchAll(/`((?:src|test|bin|bench|fixtures|deploy|plugin|\.ci)\/[\w./-]*)`/g)].map(
      ([, path = ""]) => path,
    );
    expect(named.length).toBeGreaterThan(10);
    expect(named.filter((path) => !existsSync(path))).toEqual([]);
  });

  it("imports only go down", () => {
    const wrong = imports.filter(({ file, target }) => {
      if (!target.startsWith(".")) return false;
      const path = relative(src, resolve(src, dirname(file), target));
      if (path.startsWith("..")) return false;
      const [from, to] = [moduleOf(file), moduleOf(path)];
      return from !== to && (layers[to] ?? 9) >= (layers[from] ?? -1);
    });
    expect(wrong).toEqual([]);
  });

  it("a folder of sources imports only those that its head names", () => {
    const folderOf = (path: string) =>
      Object.keys(sourceFolders)
        .filter((folder) => path.startsWith(`sources/${folder}/`))
        .at(-1);
    const wrong = imports.filter(({ file, target }) => {
      const [from, to] = [folderOf(file), folderOf(resolveImport(file, target))];
      return from !== undefined && to !== undefined && from !== to && !sourceFolders[from]?.includes(to);
    });
    expect(wrong).toEqual([]);
  });

  it("no modules import each other in a circle, not even types", () => {
    const targets = new Map(
      files.map((from) => {
        const local = imports.filter(({ file, target }) => file === from && target.startsWith("."));
        return [from, local.map(({ target }) => resolveImport(from, target))];
      }),
    );
    const reach = (from: string, seen = new Set<string>()) => {
      for (const target of targets.get(from) ?? []) {
        if (!seen.has(target)) reach(target, seen.add(target));
      }
      return seen;
    };
    expect(files.filter((file) => reach(file).has(file))).toEqual([]);
  });

  it("a reader of the logs goes down at most twelve files", () => {
    const known = new Map<string, number>();
    const depthOf = (file: string): number => {
      const depth = known.get(file) ?? 1 + Math.max(0, ...listLoaded(file).map(depthOf));
      known.set(file, depth);
      return depth;
    };
    expect(depthOf("sources/logs/open.ts")).toBeLessThanOrEqual(12);
    // The map has all that is loaded.
    expect([...known.keys()]).toContain("sources/measure/definition.ts");
  });

  it("every start, even for help, loads no heavy package", () => {
    const loaded = new Set<string>();
    const load = (file: string) => {
      if (loaded.has(file)) return;
      loaded.add(file);
      if (`src/${file}` in computedModules) return;
      for (const target of listLoaded(file)) load(target);
    };
    load("main.ts");
    expect([...loaded]).toContain("cli/help/layout.ts");
    expect(
      [...loaded].filter((each) =>
        /^zod|jsonc-parser|smol-toml|undici|oidc|ioredis|@modelcontextprotocol|^setup\//.test(each),
      ),
    ).toEqual([]);
  });

  it("operations import no package but zod", () => {
    const packages = imports.filter(
      ({ file, target }) => moduleOf(file) === "operations" && !target.startsWith("."),
    );
    expect([...new Set(packages.map(({ target }) => target))]).toEqual(["zod"]);
  });

  it("a local source is one module and one line", () => {
    const isWithin = (file: string) => /^sources\/demo[./]/.test(file);
    const known = imports.filter(({ file, target }) => !isWithin(file) && /\/demo[./]/.test(target));
    expect(known).toEqual([{ file: "sources/local-kinds.ts", target: "./demo.ts" }]);
    // Elsewhere its name only occurs in sentences for people.
    const code = (file: string) =>
      sourceOf(file).replace(/\/\*[\s\S]*?\*\/|\/\/.*|(["'`])(?:\\.|(?!\1)[^\\])*\1/g, "");
    const naming = files.filter((file) => !isWithin(file) && /demo/i.test(code(file)));
    expect(naming).toEqual(["sources/local-kinds.ts"]);
  });

  it("the pages of oauth are built from data only", () => {
    const others = imports.filter(
      ({ file, target }) =>
        file.startsWith("oauth/pages/") && !/^(\.\/|\.\.\/\.\.\/render\/|node:(crypto|fs)$)/.test(target),
    );
    expect(others).toEqual([]);
  });

  it.each([
    ["process\\.\\w", ["main.ts", "sqlite/driver.ts"]],
    ["console\\.\\w", []],
    ["Date\\.now", ["main.ts", "read-logs.ts", "sources/logs/store/lock.ts"]],
    ["@modelcontextprotocol/", ["mcp/", "serve/"]],
    ["undici", ["client/network.ts", "oauth/document-fetch.ts"]],
    ["ioredis", ["oauth/store/redis-connection.ts"]],
    ["jsonc-parser", ["setup/documents/", "sources/described/mapping-file.ts"]],
    ['"diff"', ["setup/config-writing.ts"]],
    ["smol-toml", ["setup/documents/"]],
    ['"libsql"', ["sqlite/driver.ts"]],
    [
      "oidc-provider",
      [
        "oauth/application-facts.ts",
        "oauth/consent.ts",
        "oauth/deferred-writes.ts",
        "oauth/redirect-guard.ts",
        "oauth/application-documents.ts",
        "oauth/key-handoff.ts",
        "oauth/provider.ts",
        "oauth/storage-adapter.ts",
      ],
    ],
    ["commander", ["cli/"]],
    ['"esbuild"', ["mcp/chart-pages.ts"]],
  ])("%s is only used where it belongs", (pattern, places) => {
    const code = (file: string) => sourceOf(file).replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, "");
    const folders = places.filter((place) => place.endsWith("/"));
    const isInFolder = (file: string) => folders.some((folder) => file.startsWith(folder));
    const found = files.filter((file) => new RegExp(pattern).test(code(file)) && !isInFolder(file));
    expect(found.sort()).toEqual(places.filter((place) => !place.endsWith("/")).sort());
  });
});
