import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { checks, newerNode } from "./support/tools.ts";

/** What a tool prints, and how it ends; `{ status: 0 }` where it finds nothing. */
function run(node: string | undefined, tool: string | undefined, args: string[]) {
  const { status, stdout, stderr } = spawnSync(node ?? "", [tool ?? "", ...args], {
    encoding: "utf8",
    env: { PATH: process.env.PATH, NO_COLOR: "1" },
  });
  return { status, output: stdout + stderr };
}

const tracked = () => execFileSync("git", ["ls-files", "-z"], { encoding: "utf8" }).split("\0").slice(0, -1);

it.skipIf(!checks.knip)(
  "no file, export or dependency is unused, and none is used that is not declared",
  () => {
    const found = run(process.execPath, checks.knip, [
      "--config",
      ".ci/knip.json",
      "--treat-config-hints-as-errors",
    ]);
    expect(found).toMatchObject({ status: 0, output: "" });
  },
);

describe.skipIf(!checks.secretlint)("secrets", () => {
  const scan = (files: string[]) =>
    run(newerNode, checks.secretlint, ["--secretlintrc", ".ci/secretlint.json", "--no-glob", ...files]);

  it("stand in no file of the repository", () => {
    expect(scan(tracked())).toEqual({ status: 0, output: "" });
  });

  it("would be found", () => {
    const folder = mkdtempSync(join(tmpdir(), "secret-"));
    // Put together here, so that this file holds none.
    const token = ["ghp", "wWPw5k4aXcaT4fNP0UcnZwJUVFk6LO0pINUx"].join("_");
    writeFileSync(join(folder, "leak.ts"), `const token = "${token}";\n`);
    expect(scan([join(folder, "leak.ts")])).toMatchObject({ status: 1 });
    rmSync(folder, { recursive: true });
  });
});
