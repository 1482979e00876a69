import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import * as z from "zod";
import { findProfileFile } from "../../src/config/profiles.ts";
import { readRegularFile } from "../../src/config/read-regular-file.ts";
import { readSecret } from "../../src/serve/server-secret.ts";
import { openDayMemory } from "../../src/sources/gateways/day-memory.ts";
import { findServerFormat } from "../../src/sources/logs/server-formats.ts";
import { makePipe } from "../support/pipe.ts";
import { createHome } from "../support/profiles.ts";
import { runShell } from "../support/shell.ts";

const REASON = "it is a pipe, a socket or a device";

describe("a pipe in place of a file is not waited for", () => {
  let folder: string;
  let end = () => {};
  let start = 0;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "pipes-"));
    start = performance.now();
  });
  afterEach(() => {
    end();
    rmSync(folder, { recursive: true });
    expect(performance.now() - start).toBeLessThan(50_000);
  });

  const put = (path = join(folder, "pipe")) => {
    mkdirSync(dirname(path), { recursive: true });
    end = makePipe(path);
    return path;
  };

  it("as a profile", async () => {
    const environment = createHome();
    put(findProfileFile(environment, "acme"));
    const { code, stderr } = await runShell(["sites", "--profile", "acme"], { environment });
    expect([code, stderr]).toEqual([
      4,
      expect.stringContaining(`its file cannot be read, because ${REASON}`),
    ]);
  });

  it.each([
    ["the visitors' secret", "logs --ndjson --logs access.log --site example.com --visitor-secret"],
    ["a report", "report --demo -o"],
  ])("as %s", async (_, argv) => {
    const { code, stderr } = await runShell([...argv.split(" "), put(join(folder, "pipe.html"))]);
    expect([code, stderr.replaceAll(/\s+/g, " ")]).toEqual([2, expect.stringContaining(REASON)]);
  });

  it("as the secret of the server", async () => {
    await expect(readSecret(put())).rejects.toThrow(`The server secret file cannot be read: ${REASON}.`);
  });

  it("as a day of a service that is remembered", () => {
    const target = { baseUrl: "https://umami.example.com", apiKey: "key" } as never;
    const environment = { XDG_CACHE_HOME: folder };
    const memory = openDayMemory({ environment, target }, ["site"], z.string());
    memory.keep("pages", "2026-11-20", "kept");
    expect(memory.read("pages", "2026-11-20")).toBe("kept");
    const files = readdirSync(folder, { recursive: true, encoding: "utf8" });
    const file = join(folder, files.find((name) => name.endsWith("2026-11-20.json")) ?? "");
    rmSync(file);
    put(file);
    expect(memory.read("pages", "2026-11-20")).toBeUndefined();
  });

  it("as the configuration of a web server", () => {
    put();
    expect(findServerFormat(["line"], [folder])).toBeUndefined();
  });

  it("whatever it is", () => {
    const code = (path: string) => {
      try {
        return readRegularFile(path).toString();
      } catch (error) {
        return Reflect.get(Object(error), "code");
      }
    };
    expect([code(put()), code(folder), code("/dev/null"), code("/nowhere")]).toEqual([
      "ENXIO",
      "EISDIR",
      "ENXIO",
      "ENOENT",
    ]);
  });
});
