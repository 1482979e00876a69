import { spawn } from "node:child_process";

/**
 * Shows text in a program at the terminal. Resolves when it ends, with false if it could not be started. Quitting before the
 * end of the text is no failure.
 */
export function runPager(
  [program = "", ...args]: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
  text: string,
): Promise<boolean> {
  return new Promise<boolean>((resolve) => {
    const child = spawn(program, args, { env: environment, stdio: ["pipe", "inherit", "inherit"] });
    child.once("error", () => resolve(false));
    child.once("close", () => resolve(true));
    child.stdin.on("error", () => {});
    child.stdin.end(`${text}\n`);
  });
}
