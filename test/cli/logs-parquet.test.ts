import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { parquetReadObjects } from "hyparquet";
import { describe, expect, it } from "vitest";
import { createHitFiles } from "../../src/sources/logs/command/hit-files.ts";
import { combined, createLogFolder, joinLines, LOG_NOW } from "../support/logs.ts";
import { runShell } from "../support/shell.ts";

const clock = () => LOG_NOW;
const LABELLED = "test/sources/logs/labelled/access.log";

/** Runs `logs` with a secret of its own, so that two runs have the same pseudonyms. */
function createRun() {
  const { folder, path } = createLogFolder();
  writeFileSync(path("secret"), "0123456789abcdef0123456789abcdef", { mode: 0o600 });
  const run = (...argv: string[]) =>
    runShell(["logs", ...argv, "--visitor-secret", path("secret"), "--timezone", "UTC", "--with-first-day"], {
      clock,
    });
  return { folder, path, run };
}

/** All rows of a file, with the values as NDJSON has them. */
async function readRows(file: string, columns?: string[]): Promise<Record<string, unknown>[]> {
  const bytes = readFileSync(file);
  const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer;
  const rows = await parquetReadObjects({
    file: buffer,
    ...(columns && { columns }),
    compressors: { GZIP: (packed) => new Uint8Array(gunzipSync(packed)) },
  });
  return rows.map((row) =>
    Object.fromEntries(
      Object.entries(row).flatMap(([name, value]) => {
        if (value instanceof Date)
          return [[name, name === "day" ? value.toISOString().slice(0, 10) : value.getTime() / 1000]];
        return [[name, typeof value === "bigint" ? String(value) : value]];
      }),
    ),
  );
}

/** A hit of NDJSON with what it leaves out, as a table has it. */
const complete = (hit: Record<string, unknown>, row: Record<string, unknown> = {}) => ({
  ...Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      name === "unrecorded"
        ? []
        : typeof value === "number"
          ? 0
          : /^(visitor|id|pageviews|digest|bots_not_found|scanners_not_found)$/.test(name)
            ? "0"
            : "",
    ]),
  ),
  ...hit,
  // 64 bits in a table.
  ...Object.fromEntries(
    ["pageviews", "bots_not_found", "scanners_not_found"].flatMap((name) =>
      name in hit ? [[name, String(hit[name])]] : [],
    ),
  ),
});

const listFiles = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.includes("."));

describe("analytics-mcp logs --parquet", () => {
  it("writes the hits of --ndjson, in a file for each site and day", async () => {
    const { folder, path, run } = createRun();
    const lines = (await run(LABELLED, "--site", "example.com", "--ndjson")).stdout.trim().split("\n");
    const { code, stdout, stderr } = await run(LABELLED, "--site", "example.com", "--parquet", path("hits"));
    expect([code, stdout]).toEqual([0, ""]);
    expect(stderr).toMatch(/^Wrote \d+ hits of \d+ days\./);
    const hits = lines.map((line) => JSON.parse(line));
    const days = [...new Set(hits.map(({ day }) => day))];
    expect(readdirSync(join(folder, "hits/example.com")).sort()).toEqual(
      days.map((day) => `${day}.parquet`).sort(),
    );
    for (const day of days) {
      const file = path(`hits/example.com/${day}.parquet`);
      const rows = await readRows(file);
      expect(rows).toEqual(hits.filter((hit) => hit.day === day).map((hit) => complete(hit, rows[0])));
      expect(statSync(file).mode & 0o777).toBe(0o600);
    }
  });

  it("replaces a day's file when it is exported again, and leaves no unfinished one", async () => {
    const { path, run } = createRun();
    const write = (count: number) =>
      writeFileSync(
        path("access.log"),
        joinLines(
          ...Array.from({ length: count }, (_, n) =>
            combined({ at: LOG_NOW - 3 * 86_400_000, target: `/${n}` }),
          ),
        ),
      );
    const count = async () => {
      await run(`example.com=${path("access.log")}`, "--parquet", path("hits"));
      const [file = "", ...others] = listFiles(path("hits")).filter((name) => name !== "example.com");
      expect([file, others]).toEqual(["example.com/2026-11-18.parquet", []]);
      return (await readRows(path(`hits/${file}`))).length;
    };
    write(3);
    expect(await count()).toBe(4);
    write(5);
    expect(await count()).toBe(6);
  });

  it("says which sites no line is about", async () => {
    const { path, run } = createRun();
    const sites = ["--site", "example.com", "--site", "exmaple.com"];
    const { code, stderr } = await run(LABELLED, ...sites, "--parquet", path("hits"));
    expect(code).toBe(0);
    expect(stderr).toContain(
      "\nNo line is about exmaple.com. To see which hosts there are: analytics-mcp logs ",
    );
    expect(stderr).not.toContain("<files>");
    expect(stderr).not.toContain("No line is about example.com.");
  });

  it("takes --parquet or --ndjson, and a folder", async () => {
    const { path, run } = createRun();
    const both = await run(LABELLED, "--site", "example.com", "--ndjson", "--parquet", path("hits"));
    expect([both.code, both.stderr]).toEqual([
      2,
      expect.stringContaining("Use --ndjson or --parquet, not both."),
    ]);
    writeFileSync(path("file"), "");
    const file = await run(LABELLED, "--site", "example.com", "--parquet", path("file"));
    expect([file.code, file.stderr]).toEqual([
      2,
      expect.stringContaining(`The hits could not be written to ${path("file")}`),
    ]);
  });
});

describe("files of hits", () => {
  const hit = { kind: "pageview", day: "2026-11-18", time: 1_763_460_000, visitor: "1", id: "2" } as const;

  it("have more rows than fit into one group, and any text", async () => {
    const { path } = createLogFolder();
    const texts = ["", "é🚀", "\0", "\u202e", "x".repeat(70_000), "\ud800"];
    const { write } = createHitFiles(path("hits"));
    const hits = Array.from({ length: 50_003 }, (_, n) => ({
      ...hit,
      site: "example.com",
      visitor: String(2n ** 64n - 1n - BigInt(n)),
      path: n < 12 ? (texts[n % texts.length] ?? "") : `/${n % 100}`,
    }));
    for (const each of hits) write(each);
    write({
      ...hit,
      kind: "day",
      site: "example.com",
      pageviews: 50_003,
      unrecorded: ["countries", "cities"],
    });
    const asked = ["visitor", "path", "pageviews", "unrecorded"];
    const rows = await readRows(path("hits/example.com/2026-11-18.parquet"), asked);
    expect(rows.map(({ visitor }) => visitor)).toEqual([...hits.map(({ visitor }) => visitor), "1"]);
    expect(rows.slice(0, 12).map(({ path: text }) => text)).toEqual(
      [...texts, ...texts].map((text) => text.replace("\ud800", "\ufffd")),
    );
    expect(rows.at(-1)).toMatchObject({ pageviews: "50003", unrecorded: ["countries", "cities"] });
  });

  it.each(["../../outside", "..", ".", "/etc", "a/../../b", "a\\..\\b"])(
    "stay in their folder: %j",
    (site) => {
      const { folder, path } = createLogFolder();
      const { write } = createHitFiles(path("in/hits"));
      write({ ...hit, kind: "day", site });
      expect(readdirSync(folder)).toEqual(["in"]);
      expect(readdirSync(path("in"))).toEqual(["hits"]);
      const [name = "", ...others] = readdirSync(path("in/hits"));
      expect(others).toEqual([]);
      expect(existsSync(path(`in/hits/${name}/2026-11-18.parquet`))).toBe(true);
    },
  );

  it("of two exports of a day at once are whole, and the last one stays", async () => {
    const { path } = createLogFolder();
    const [first, second] = [createHitFiles(path("hits")), createHitFiles(path("hits"))];
    const file = path("hits/example.com/2026-11-18.parquet");
    const row = { ...hit, site: "example.com" };
    first.write(row);
    second.write(row);
    expect(readdirSync(path("hits/example.com"))).toHaveLength(2);
    first.write({ ...row, kind: "day" });
    expect(await readRows(file)).toHaveLength(2);
    second.write(row);
    second.write({ ...row, kind: "day" });
    expect(await readRows(file)).toHaveLength(3);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(path("hits/example.com"))).toEqual(["2026-11-18.parquet"]);
  });

  it("of an export that was killed are removed when the day is written again", () => {
    const { path } = createLogFolder();
    const { write } = createHitFiles(path("hits"));
    mkdirSync(path("hits/example.com"), { recursive: true });
    const leave = (name: string, minutes: number) => {
      const file = path(`hits/example.com/${name}`);
      writeFileSync(file, "");
      const then = Date.now() / 1_000 - 60 * minutes;
      utimesSync(file, then, then);
    };
    leave("2026-11-18.parquet.0123456789ab.unfinished", 61);
    leave("2026-11-18.parquet.ba9876543210.unfinished", 55);
    leave("2026-11-17.parquet.0123456789ab.unfinished", 61);
    write({ ...hit, kind: "day", site: "example.com" });
    expect(readdirSync(path("hits/example.com")).sort()).toEqual([
      "2026-11-17.parquet.0123456789ab.unfinished",
      "2026-11-18.parquet",
      "2026-11-18.parquet.ba9876543210.unfinished",
    ]);
  });

  it("that cannot be written are named", () => {
    const { path } = createLogFolder();
    const { write } = createHitFiles(path("hits"));
    const file = path("hits/example.com/2026-11-18.parquet");
    mkdirSync(file, { recursive: true });
    expect(() => write({ ...hit, kind: "day", site: "example.com" })).toThrow(
      `The hits could not be written to ${file}: it is a folder.`,
    );
  });

  it("of a day that was not finished are removed", () => {
    const { path } = createLogFolder();
    const { write, abandon } = createHitFiles(path("hits"));
    write({ ...hit, site: "example.com" });
    abandon();
    expect(readdirSync(path("hits/example.com"))).toEqual([]);
  });
});
