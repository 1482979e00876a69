import { existsSync, rmSync } from "node:fs";
import type { TestProject } from "vitest/node";
import { installPackage } from "./package.js";

declare module "vitest" {
  export interface ProvidedContext {
    installed: ReturnType<typeof installPackage>;
  }
}

/** Packs and installs the built project once for all tests that use it as a stranger would. */
export function setup(project: TestProject) {
  if (!existsSync("dist/main.js")) throw new Error("There is no build: run npm run build first.");
  const installed = installPackage();
  project.provide("installed", installed);
  return () => rmSync(installed.folder, { recursive: true, force: true });
}
