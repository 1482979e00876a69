import { readdirSync } from "node:fs";
import { expect, it } from "vitest";
import { operations } from "../../src/operations/index.ts";

const isOperation = (value: unknown): value is { path: string } =>
  typeof value === "object" && value !== null && "path" in value && "conform" in value;

it("lists every operation that a file of its folder exports, and each path once", async () => {
  const names = readdirSync("src/operations").map((file) => file.replace(/\.ts$/, ""));
  const modules = await Promise.all(names.map((name) => import(`../../src/operations/${name}.ts`)));
  const declared = new Set(modules.flatMap((module) => Object.values(module).filter(isOperation)));
  // The hours of a series have its path.
  const paths = new Set([...declared].map(({ path }) => path));
  expect([...paths].sort()).toEqual(operations.map(({ path }) => path).sort());
});
