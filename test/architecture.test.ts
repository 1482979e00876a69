import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { describe, expect, it } from "vitest";

/** The floors of the house: imports go down only, and rooms of one floor do not import each other. */
const floors: Record<string, number> = {
  "errors.ts": 0,
  http: 1,
  operations: 1,
  client: 2,
  config: 2,
  render: 2,
  documents: 2,
  reports: 3,
  sources: 3,
  api: 4,
  mcp: 4,
  oauth: 4,
  setup: 4,
  conform: 4,
  serve: 5,
  cli: 6,
  "main.ts": 7,
};

const src = resolve("src");
const files = readdirSync(src, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"));
const roomOf = (file: string) => file.split("/")[0] ?? "";
const sourceOf = (file: string) => readFileSync(join(src, file), "utf8");

const imports = files.flatMap((file) =>
  [...sourceOf(file).matchAll(/(?:from|import\()\s*"([^"]+)"/g)].map(([, target = ""]) => ({ file, target })),
);

describe("the house keeps its order", () => {
  it("every room has its floor", () => {
    expect([...new Set(files.map(roomOf))].filter((room) => floors[room] === undefined)).toEqual([]);
  });

  it("docs/architecture.md has each room on its floor", () => {
    const page = readFileSync("docs/architecture.md", "utf8");
    const told = [...page.matchAll(/^\| (\d) \| `src\/([\w.-]+)\/?` \|/gm)];
    const byRoom = Object.fromEntries(told.map(([, floor, room = ""]) => [room, Number(floor)]));
    expect(byRoom).toEqual(floors);
  });

  it("imports go down", () => {
    const wrong = imports.filter(({ file, target }) => {
      if (!target.startsWith(".")) return false;
      const path = relative(src, resolve(src, dirname(file), target));
      if (path.startsWith("..")) return false;
      const [from, to] = [roomOf(file), roomOf(path)];
      return from !== to && (floors[to] ?? 9) >= (floors[from] ?? -1);
    });
    expect(wrong).toEqual([]);
  });

  it("what every start loads, help and version with it, is light", () => {
    const loaded = new Set<string>();
    const load = (file: string) => {
      if (loaded.has(file)) return;
      loaded.add(file);
      // The build puts plain data in its place.
      if (!files.includes(file) || file === "cli/commands/summaries.ts") return;
      for (const [, target = ""] of sourceOf(file).matchAll(
        /^(?:import|export) (?!type )[^;]*?from "([^"]+)"/gm,
      )) {
        load(target.startsWith(".") ? relative(src, resolve(src, dirname(file), target)) : target);
      }
    };
    load("main.ts");
    expect([...loaded]).toContain("cli/help/layout.ts");
    expect(
      [...loaded].filter((each) =>
        /^zod|jsonc-parser|smol-toml|undici|oidc|ioredis|@modelcontextprotocol|^setup\/(?!machine|client-names|client\.)/.test(
          each,
        ),
      ),
    ).toEqual([]);
  });

  it("operations import zod alone", () => {
    const packages = imports.filter(
      ({ file, target }) => roomOf(file) === "operations" && !target.startsWith("."),
    );
    expect([...new Set(packages.map(({ target }) => target))]).toEqual(["zod"]);
  });

  it("a source in this process is one module and one line", () => {
    const isWithin = (file: string) => /^sources\/demo[./]/.test(file);
    const known = imports.filter(({ file, target }) => !isWithin(file) && /\/demo[./]/.test(target));
    expect(known).toEqual([{ file: "sources/index.ts", target: "./demo.ts" }]);
    // Its name stands elsewhere in sentences for people alone.
    const code = (file: string) =>
      sourceOf(file).replace(/\/\*[\s\S]*?\*\/|\/\/.*|(["'`])(?:\\.|(?!\1)[^\\])*\1/g, "");
    const naming = files.filter((file) => !isWithin(file) && /demo/i.test(code(file)));
    expect(naming).toEqual(["sources/index.ts"]);
  });

  it("the pages of oauth are made from data alone", () => {
    const others = imports.filter(
      ({ file, target }) =>
        file.startsWith("oauth/pages/") && !/^(\.\/|\.\.\/\.\.\/render\/|node:(crypto|fs)$)/.test(target),
    );
    expect(others).toEqual([]);
  });

  it.each([
    ["process.", ["main.ts", "oauth/store/node-sqlite.ts"]],
    ["console.", []],
    ["Date.now", ["main.ts"]],
    ["@modelcontextprotocol/", ["mcp/", "serve/"]],
    ["undici", ["client/network.ts", "oauth/document-fetch.ts"]],
    ["ioredis", ["oauth/store/redis-connection.ts"]],
    ["jsonc-parser", ["setup/documents/"]],
    ['"diff"', ["setup/difference.ts"]],
    ["smol-toml", ["setup/documents/"]],
    ["libsql", ["oauth/store/sqlite-driver.ts"]],
    [
      "oidc-provider",
      [
        ...[
          "oauth/application-facts.ts",
          "oauth/consent.ts",
          "oauth/deferred-writes.ts",
          "oauth/provider.ts",
        ],
        "oauth/storage-adapter.ts",
      ],
    ],
    ["commander", ["cli/"]],
  ])("%s has its home", (word, homes) => {
    const code = (file: string) => sourceOf(file).replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, "");
    const rooms = homes.filter((home) => home.endsWith("/"));
    const inRoom = (file: string) => rooms.some((room) => file.startsWith(room));
    const found = files.filter((file) => code(file).includes(word) && !inRoom(file));
    expect(found.sort()).toEqual(homes.filter((home) => !home.endsWith("/")).sort());
  });
});
