import { existsSync, mkdirSync, readFileSync, renameSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { inject } from "vitest";
import { installPackage } from "./package.js";

type Installed = ReturnType<typeof installPackage>;

/** The built project, packed and installed for all tests that use it as a stranger would, by the first of them. */
export const installed = installOnce(inject("packed"));

function installOnce(folder: string): Installed {
  if (!existsSync("dist/main.js")) throw new Error("There is no build: run npm run build first.");
  const record = join(folder, "installed.json");
  const turn = join(folder, "turn");
  while (!existsSync(record)) {
    if (takeTurn(turn)) {
      try {
        writeFileSync(`${record}.part`, JSON.stringify(installPackage(folder)));
        renameSync(`${record}.part`, record);
      } finally {
        rmdirSync(turn);
      }
    } else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);
  }
  return JSON.parse(readFileSync(record, "utf8"));
}

/** Whether it is this process that installs now. */
function takeTurn(turn: string) {
  try {
    mkdirSync(turn);
    return true;
  } catch {
    return false;
  }
}
