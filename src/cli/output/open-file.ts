import { platform } from "node:os";
import type { Environment } from "../../config/variables.ts";

/** The system's command that opens a file in its default program. */
const OPENERS: Readonly<Record<string, readonly [string, ...string[]]>> = {
  darwin: ["open"],
  // What `start` does, without a shell that would take parts of the path for commands.
  win32: ["rundll32", "url.dll,FileProtocolHandler"],
};

/** Without a display, the command soon fails; with one, it may run for as long as the page is open. In milliseconds. */
const SOON_MS = 1_000;

/** Opens a file by its absolute path. Returns whether the machine has a command for that, and it does not soon fail. */
export async function openFile(path: string, environment: Environment): Promise<boolean> {
  const [opener, ...words] = OPENERS[platform()] ?? ["xdg-open"];
  const { spawn } = await import("node:child_process");
  return new Promise((resolve) => {
    const child = spawn(opener, [...words, path], { env: environment, stdio: "ignore", detached: true });
    child.once("error", () => resolve(false));
    child.once("exit", (code) => resolve(code === 0));
    child.once("spawn", () => {
      child.unref();
      setTimeout(resolve, SOON_MS, true);
    });
  });
}
