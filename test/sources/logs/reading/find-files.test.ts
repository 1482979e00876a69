import { mkdirSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { combined, createLogFolder, joinLines, openTestLogs } from "../../../support/logs.ts";

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
