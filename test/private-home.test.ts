import { homedir } from "node:os";
import { expect, it } from "vitest";
import { readProfile } from "../src/config/profiles.ts";
import { execFileSync } from "./support/child-process.js";

const PRINT = 'JSON.stringify({ ...process.env, files: require("node:fs").readdirSync(process.env.HOME) })';

it("a test that reads the developer's home finds an unusable profile", () => {
  expect(homedir()).toBe(process.env.HOME);
  expect(readProfile(process.env, "default")).toEqual({
    baseUrl: "http://127.0.0.1:9/api/v1",
    apiKey: "private-key",
    site: undefined,
  });
});

it("a program that a test starts gets an empty home and nothing else but what the test names", () => {
  const print = () =>
    JSON.parse(execFileSync(process.execPath, ["-p", PRINT], { encoding: "utf8", env: { GIVEN: "x" } }));
  const [first, second] = [print(), print()];
  const names = Object.keys(first).filter((name) => name !== "NODE_COMPILE_CACHE");
  expect(names.sort()).toEqual(["GIVEN", "HOME", "LANG", "PATH", "files"]);
  expect(first.files).toEqual([]);
  expect(new Set([first.HOME, second.HOME, process.env.HOME]).size).toBe(3);
});
