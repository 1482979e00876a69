import { isAbsolute, join } from "node:path";
import type { Environment } from "./variables.ts";

/**
 * The folder of what this program keeps between runs, which need not exist. Undefined if the environment names no home, as for
 * a process that was started with an empty one.
 */
export function findStateFolder({ XDG_STATE_HOME, LOCALAPPDATA, HOME }: Environment): string | undefined {
  // The XDG Base Directory Specification says to ignore a relative path.
  const folder = [XDG_STATE_HOME, LOCALAPPDATA, HOME && join(HOME, ".local", "state")].find(
    (each) => each && isAbsolute(each),
  );
  return folder && join(folder, "analytics-mcp");
}
