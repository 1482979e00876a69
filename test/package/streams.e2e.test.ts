import { existsSync } from "node:fs";
import { expect, it } from "vitest";
import { spawnSync } from "../support/child-process.js";
import { installed } from "../support/installed-package.ts";

const { bin } = installed;
const FULL = "/dev/full";

const run = (words: string) => {
  const { status, stdout, stderr } = spawnSync("bash", ["--norc", "-c", `"${bin}" ${words}`], {
    encoding: "utf8",
  });
  return { status, stdout, stderr };
};

const STATS = "stats --demo --site example.com";

it.skipIf(!existsSync(FULL)).each([STATS, `${STATS} --json`, "--help", "help stats", "--version"])(
  "%s on a full disk is a failure that says so",
  (words) => {
    expect(run(`${words} >${FULL}`)).toEqual({
      status: 1,
      stdout: "",
      stderr: "error: Standard output cannot be written: the disk is full.\n",
    });
  },
);

it.each([`2>${FULL}`, "2> >(exec true)"])("notes that nobody can read (%s) fail nothing", (redirection) => {
  expect(run(`${STATS} ${redirection}`)).toMatchObject({ status: 0, stdout: /^visitors\t/ });
  expect(run(`statz ${redirection}`).status).toBe(2);
});
