import { spawn } from "node:child_process";
import { platform } from "node:os";
import type { Environment } from "../../config/variables.ts";

/** What opens a file in the program that its user chose for it. */
const OPENERS: Readonly<Record<string, readonly [string, ...string[]]>> = {
  darwin: ["open"],
  // What `start` does, without the shell that would read signs in the path as commands.
  win32: ["rundll32", "url.dll,FileProtocolHandler"],
};

/** Opens a file by its absolute path. Returns whether the machine has an opener; what that does later is not known. */
export function openFile(path: string, environment: Environment): Promise<boolean> {
  const [opener, ...words] = OPENERS[platform()] ?? ["xdg-open"];
  return new Promise((resolve) => {
    const child = spawn(opener, [...words, path], { env: environment, stdio: "ignore", detached: true });
    child.once("error", () => resolve(false));
    child.once("spawn", () => {
      child.unref();
      resolve(true);
    });
  });
}
