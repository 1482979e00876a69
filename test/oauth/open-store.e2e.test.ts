import { existsSync } from "node:fs";
import { afterEach, describe, expect, it, vi } from "vitest";
import { openStore } from "../../src/oauth/store/open-store.ts";
import { REDIS_SERVER, startRedis } from "../support/redis.ts";
import { buildRecord, createFolder, createOptions } from "./stores.ts";

const { options } = createOptions();

describe("--store", () => {
  it("memory keeps everything in this process", async () => {
    const store = await openStore("memory", options);
    await store.put(buildRecord("a"));
    expect(await store.get("AccessToken", "a")).toBeDefined();
    expect(existsSync("memory")).toBe(false);
    await store.close();
  });

  it("with a path creates a file", async () => {
    const { path, remove } = createFolder();
    await (await openStore(path, options)).close();
    expect(existsSync(path)).toBe(true);
    remove();
  });

  it.skipIf(REDIS_SERVER === undefined)(
    "with a Redis URL keeps everything there (redis-server)",
    async () => {
      const redis = await startRedis();
      const store = await openStore(redis.url.replace("redis:", "REDIS:"), options);
      await store.put(buildRecord("a"));
      expect(redis.cli("keys", "*")).toBe("{analytics-mcp}:record:AccessToken:a");
      await store.close();
      await redis.stop();
    },
  );

  it("names the Redis that does not answer, without its password", async () => {
    const error = await openStore("redis://user:canary@127.0.0.1:1/0", options).catch((thrown) => thrown);
    expect(error).toMatchObject({ code: "unavailable" });
    expect(error.hint).toBe("Check that Redis runs at 127.0.0.1:1, and the rest of the address in --store.");
    expect(`${error.message} ${error.hint} ${error.cause}`).not.toContain("canary");
  });

  it.each([
    "",
    " ",
    "https://user:canary@host/",
    "postgres://user:canary@host/",
    "file:store.db?mode=canary",
    ":memory:",
    "redis://user:canary@[host",
  ])("refuses %j and does not repeat it", async (text) => {
    const error = await openStore(text, options).catch((thrown) => thrown);
    expect(error).toMatchObject({ name: "AnalyticsError", code: "usage" });
    expect(`${error.message} ${error.hint} ${error.cause}`).not.toContain("canary");
  });
});

describe("a Node without SQLite", () => {
  afterEach(() => {
    vi.doUnmock("libsql");
    vi.resetModules();
    vi.restoreAllMocks();
  });

  it("names the alternatives", async () => {
    vi.resetModules();
    vi.doMock("libsql", () => {
      throw new Error("Cannot find package 'libsql'");
    });
    vi.spyOn(process, "getBuiltinModule").mockReturnValue(undefined as never);
    const { openStore: open } = await import("../../src/oauth/store/open-store.ts");
    const { path, remove } = createFolder();
    const error = await open(path, options).catch((thrown) => thrown);
    expect(error).toMatchObject({ code: "usage", message: expect.stringContaining("no SQLite") });
    for (const way of ["22.13", "npm install --global analytics-mcp libsql", "--store memory", "redis://"])
      expect(error.hint).toContain(way);
    expect(existsSync(path)).toBe(false);
    const { runShell } = await import("../support/shell.ts");
    const { code, stderr } = await runShell(["serve", "--logs", "none.log", "--store", path]);
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(
        /^error: .*no SQLite.*\nhint: .*22\.13.*\nerror: .* needs keys .*\nhint: Create a key: analytics-mcp keys add acme /,
      ),
    ]);
    remove();
  });
});
