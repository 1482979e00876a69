import { statSync } from "node:fs";
import { platform } from "node:os";
import * as system from "node:process";
import { quoteForShell } from "../operations/shell-command.ts";

/** Whether other users of this machine can read a file. Always false on Windows, where a mode does not say so. */
export function isReadableByOthers(file: string): boolean {
  if (platform() === "win32") return false;
  const { mode } = statSync(file);
  return (mode & 0o077) !== 0;
}

export const describeExposure = (file: string): string =>
  `${file} can be read by other users of this machine: chmod 600 ${quoteForShell(file)}`;

/** Whether users other than this one and root can change a file or a folder. Always false on Windows. */
export function isWritableByOthers(file: string): boolean {
  if (platform() === "win32") return false;
  const { mode, uid } = statSync(file);
  return (mode & 0o022) !== 0 || (uid !== 0 && uid !== readUserId());
}

/** This user's number; undefined on Windows. Unlike `userInfo`, it works for a user without a name, as containers have. */
export const readUserId = (): number | undefined => system.geteuid?.();
