import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { NEW_FILE, PRIVATE_FILE, readConfigFile, replaceConfigFile } from "../../src/setup/config-file.ts";
import { NOW } from "../support/api.ts";

let folder = "";
let path = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "setup-"));
  path = join(folder, "mcp.json");
});

const replacement = { text: "new\n", mode: NEW_FILE, now: NOW };
const modeOf = (file: string) => statSync(file).mode & 0o777;

describe("a file is replaced", () => {
  it("and a backup kept, both with the old mode, and no other file is left", async () => {
    writeFileSync(path, "old\n");
    chmodSync(path, 0o640);
    const backup = await replaceConfigFile(await readConfigFile(path), replacement);
    expect(backup).toMatch(/mcp\.json\.\d{8}-\d{6}\.bak$/);
    expect([readFileSync(path, "utf8"), readFileSync(backup ?? "", "utf8")]).toEqual(["new\n", "old\n"]);
    expect([modeOf(path), modeOf(backup ?? "")]).toEqual([0o640, 0o640]);
    expect(readdirSync(folder)).toHaveLength(2);
  });

  it("twice within a second without losing the first backup", async () => {
    writeFileSync(path, "old\n");
    const first = await replaceConfigFile(await readConfigFile(path), replacement);
    const second = await replaceConfigFile(await readConfigFile(path), { ...replacement, text: "newer\n" });
    expect([first, second].map((file) => readFileSync(file ?? "", "utf8"))).toEqual(["old\n", "new\n"]);
  });

  it("behind a link, which stays a link", async () => {
    const target = join(folder, "dotfiles", "real.json");
    mkdirSync(join(folder, "dotfiles"));
    writeFileSync(target, "old\n");
    symlinkSync(join("dotfiles", "real.json"), path);
    const file = await readConfigFile(path);
    expect(file.path).toBe(target);
    await replaceConfigFile(file, replacement);
    expect(lstatSync(path).isSymbolicLink()).toBe(true);
    expect(readFileSync(target, "utf8")).toBe("new\n");
    expect(readdirSync(folder).sort()).toEqual(["dotfiles", "mcp.json"]);
  });

  it("that does not exist yet, behind a link", async () => {
    symlinkSync(join(folder, "later", "real.json"), path);
    await replaceConfigFile(await readConfigFile(path), replacement);
    expect(readFileSync(join(folder, "later", "real.json"), "utf8")).toBe("new\n");
    expect(lstatSync(path).isSymbolicLink()).toBe(true);
  });

  it("with its byte order mark", async () => {
    writeFileSync(path, "\ufeff{}");
    const file = await readConfigFile(path);
    expect([file.text, file.bom]).toEqual(["{}", "\ufeff"]);
    await replaceConfigFile(file, replacement);
    expect(readFileSync(path)).toEqual(Buffer.from("\ufeffnew\n"));
  });

  it.each([
    ["private, if it holds a key", PRIVATE_FILE, 0o600],
    ["with the default mode otherwise", NEW_FILE, 0o666 & ~process.umask()],
  ])("or created: %s", async (_, mode, expected) => {
    const deep = join(folder, "new", "mcp.json");
    expect(await replaceConfigFile(await readConfigFile(deep), { ...replacement, mode })).toBeUndefined();
    expect(modeOf(deep)).toBe(expected);
    expect(readdirSync(join(folder, "new"))).toEqual(["mcp.json"]);
  });
});

describe("a file is left alone", () => {
  it.each([
    ["was changed", "old\n", (file: string) => writeFileSync(file, "theirs\n"), "theirs\n"],
    ["was created", undefined, (file: string) => writeFileSync(file, "theirs\n"), "theirs\n"],
  ])("when it %s since it was read", async (_, before, change, after) => {
    if (before !== undefined) writeFileSync(path, before);
    const file = await readConfigFile(path);
    change(path);
    await expect(replaceConfigFile(file, replacement)).rejects.toMatchObject({
      code: "unavailable",
      hint: expect.stringContaining("again"),
    });
    expect(readFileSync(path, "utf8")).toBe(after);
    expect(readdirSync(folder)).toEqual(["mcp.json"]);
  });

  it.each<[string, () => void, string]>([
    [
      "is UTF-16, as old editors write it",
      () => writeFileSync(path, Buffer.from("\ufeff{}", "utf16le")),
      "not UTF-8 text",
    ],
    ["is a folder", () => mkdirSync(path), "it is a folder"],
    ["is a link to a device, which never ends", () => symlinkSync("/dev/zero", path), "not a regular file"],
  ])("when it %s", async (_, make, words) => {
    make();
    const message = expect.stringContaining(words);
    await expect(readConfigFile(path)).rejects.toMatchObject({ code: "usage", message });
  });

  it("when its folder is a file", async () => {
    writeFileSync(path, "");
    const deep = join(path, "x.json");
    await expect(readConfigFile(deep)).rejects.toMatchObject({
      code: "usage",
      message: expect.stringContaining("a part of its path is a file"),
    });
    expect(existsSync(deep)).toBe(false);
  });
});
