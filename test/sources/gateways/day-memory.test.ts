import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import * as z from "zod";
import { openDayMemory } from "../../../src/sources/gateways/day-memory.ts";

const schema = z.array(z.number());
let cache: string;
beforeEach(() => {
  cache = mkdtempSync(join(tmpdir(), "day-memory-"));
});
afterEach(() => rmSync(cache, { recursive: true, force: true }));

const open = ({ key = "key", url = "https://stats.example.com", site = "a", folder = cache } = {}) =>
  openDayMemory(
    {
      environment: { XDG_CACHE_HOME: folder },
      target: { baseUrl: url, apiKey: key, fetch: () => Promise.reject(new Error("Nobody asks.")) },
    },
    [site, "UTC", null],
    schema,
  );

const listFiles = () =>
  readdirSync(cache, { recursive: true, encoding: "utf8" })
    .map((name) => join(cache, name))
    .filter((path) => statSync(path).isFile());

it("finds a day again, for the same key, address and site alone", () => {
  open().keep("pages", "2026-11-03", [1, 2]);
  expect(open().read("pages", "2026-11-03")).toEqual([1, 2]);
  expect(open().read("pages", "2026-11-04")).toBeUndefined();
  expect(open().read("events", "2026-11-03")).toBeUndefined();
  for (const other of [{ key: "other" }, { url: "https://other.example.com" }, { site: "b" }])
    expect(open(other).read("pages", "2026-11-03")).toBeUndefined();
});

it("lets nobody else read it, and has no key in any name or file", () => {
  open({ key: "a-secret-key" }).keep("pages", "2026-11-03", [1]);
  const [file = "", ...more] = listFiles();
  expect(more).toEqual([]);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(`${file}${readFileSync(file, "utf8")}`).not.toContain("secret");
});

it.each(["", "[1", '{"a":1}', "null"])("asks again for a day whose file is damaged: %j", (text) => {
  open().keep("pages", "2026-11-03", [1]);
  writeFileSync(listFiles()[0] ?? "", text);
  expect(open().read("pages", "2026-11-03")).toBeUndefined();
});

it("keeps nothing where there is no folder", () => {
  const file = join(cache, "file");
  writeFileSync(file, "");
  for (const folder of ["", file]) {
    const memory = open({ folder });
    memory.keep("pages", "2026-11-03", [1]);
    expect(memory.read("pages", "2026-11-03")).toBeUndefined();
  }
});
