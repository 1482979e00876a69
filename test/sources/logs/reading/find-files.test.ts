import { chmodSync, mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { dirname, relative } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { findFiles } from "../../../../src/sources/logs/reading/find-files.ts";
import { asNobody, combined, createLogFolder, joinLines, openTestLogs } from "../../../support/logs.ts";

describe("a folder in place of a file", () => {
  it("stands for the files in it", async () => {
    const { folder } = createLogFolder({
      "access.log": joinLines(combined()),
      "old.log": joinLines(combined({ target: "/old" })),
    });
    expect(await openTestLogs({ logs: [folder] }).count()).toMatchObject({ pageviews: 2 });
  });

  it("is named in the error if all of its files are in other folders, or if there are none", async () => {
    const { folder, path } = createLogFolder();
    const expectFolder = () =>
      expect(openTestLogs({ logs: [folder] }).count()).rejects.toMatchObject({
        code: "usage",
        message: `"${folder}" is a folder without files.`,
        hint: expect.stringContaining(`"${folder}/*/access.log*"`),
      });
    await expectFolder();
    mkdirSync(path("example.com"));
    writeFileSync(path("example.com/access.log"), joinLines(combined()));
    await expectFolder();
    expect(await openTestLogs({ logs: [`${folder}/*/access.log*`] }).count()).toMatchObject({ pageviews: 1 });
  });
});

describe("a pattern", () => {
  const before = process.cwd();
  afterEach(() => process.chdir(before));

  it.each([
    ["*/access.log*", ["a/access.log", "[b]/access.log", "c/access.log"]],
    ["{a,c}/access.log", ["a/access.log", "c/access.log"]],
    ["**/access.log", ["a/access.log", "[b]/access.log", "c/access.log"]],
    ["\\[b\\]/*", ["[b]/access.log"]],
    ["c/!*", ["c/!old.log"]],
    ["c/!(old|access).log", ["c/!old.log"]],
    ["!*", []],
  ])("%s finds the same files from every working directory", async (glob, expected) => {
    const { folder, path } = createLogFolder();
    for (const name of ["a/access.log", "[b]/access.log", "c/access.log", "c/!old.log"]) {
      mkdirSync(dirname(path(name)), { recursive: true });
      writeFileSync(path(name), "");
    }
    const real = realpathSync(folder);
    for (const directory of [before, "/", real, path("a"), path("c")]) {
      process.chdir(directory);
      for (const pattern of [`${real}/${glob}`, `${relative(process.cwd(), real) || "."}/${glob}`]) {
        const found = await findFiles({ files: [{ glob: pattern }], mayBeGone: true });
        const names = found.map((file) => relative(real, file.path)).sort();
        expect(names, `${pattern} in ${directory}`).toEqual([...expected].sort());
      }
    }
  });

  it("is found in a folder of one that may be entered and not read", async () => {
    const { folder, path } = createLogFolder();
    mkdirSync(path("www"));
    chmodSync(path("www"), 0o755);
    writeFileSync(path("www/access.log"), "", { mode: 0o644 });
    chmodSync(folder, 0o311);
    await asNobody(async () => {
      const files = [{ glob: path("www/access.log*") }];
      expect(await findFiles({ files })).toMatchObject([{ path: realpathSync(path("www/access.log")) }]);
    });
    chmodSync(folder, 0o700);
  });
});

it.each([
  ["300 kB", 300_000],
  ["3 MB", 3_000_000],
])("a first line of %s makes no log empty", async (_, length) => {
  const long = combined({ target: `/${"x".repeat(length)}` });
  const { path } = createLogFolder({ "access.log": joinLines(long, combined(), combined({ target: "/b" })) });
  const logs = openTestLogs({ logs: [path("access.log")] });
  expect(await logs.count()).toMatchObject({ pageviews: 2 });
  expect(logs.contents()).toMatchObject([{ lines: 3, tooLong: 1 }]);
});
