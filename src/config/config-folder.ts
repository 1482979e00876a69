import { isAbsolute, join } from "node:path";
import type { Environment } from "./variables.ts";

/**
 * The folder of this program's settings, which need not exist. Undefined if the environment names no home, as for a
 * process that was started with an empty one.
 */
export function findConfigFolder(environment: Environment): string | undefined {
  const { XDG_CONFIG_HOME, APPDATA, HOME, USERPROFILE } = environment;
  const home = HOME || USERPROFILE;
  // The XDG Base Directory Specification says to ignore a relative path: a key would be saved wherever this process runs.
  const folder = [XDG_CONFIG_HOME, APPDATA, home && join(home, ".config")].find(
    (path) => path && isAbsolute(path),
  );
  return folder && join(folder, "analytics-mcp");
}
