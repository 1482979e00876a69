import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";

/** These run before each test file. */
const SETUP = ["support/private-home.ts", "support/shared-process.ts"];

it("what tests share registers hooks in functions, because it is imported only once for all files of a process", () => {
  const modules = readdirSync("test", { recursive: true, encoding: "utf8" }).filter(
    (file) => /(?<!\.test)\.[jt]s$/.test(file) && !SETUP.includes(file),
  );
  const HOOK = /^(?:await )?(?:before|after)(?:All|Each)\(/m;
  expect(modules.length).toBeGreaterThan(100);
  expect(modules.filter((file) => HOOK.test(readFileSync(`test/${file}`, "utf8")))).toEqual([]);
});
