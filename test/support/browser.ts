import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";
import { buildEnvironment } from "./child-process.js";

/** The browser's binary, where the machine has one. */
export const CHROMIUM = [process.env.CHROMIUM, "/usr/bin/chromium"].find(
  (path) => path !== undefined && existsSync(path),
);

const ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"];
/** One process for all frames of a page: each more costs a fifth of a second, and what frames may do is the same. */
const FEW_PROCESSES = ["--disable-site-isolation-trials"];
const QUIET = ["--disable-background-networking", "--disable-component-update", "--disable-sync"];

export function launch(): Promise<Browser> {
  return chromium.launch({
    executablePath: CHROMIUM ?? "",
    env: buildEnvironment(),
    args: [...ARGUMENTS, ...QUIET, ...FEW_PROCESSES],
  });
}
