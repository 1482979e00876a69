import { isAbsolute, join } from "node:path";
import type { Environment } from "./variables.ts";

/**
 * The folder of this program's settings, which need not exist. Undefined if the environment names no home, as for a
 * process that was started with an empty one.
 */
export function findConfigFolder(environment: Environment): string | undefined {
  const { XDG_CONFIG_HOME = "", APPDATA, HOME, USERPROFILE } = environment;
  const home = HOME || USERPROFILE;
  // The XDG Base Directory Specification says to ignore a relative path.
  const xdg = isAbsolute(XDG_CONFIG_HOME) ? XDG_CONFIG_HOME : undefined;
  const folder = xdg ?? (APPDATA || (home ? join(home, ".config") : undefined));
  return folder === undefined ? undefined : join(folder, "analytics-mcp");
}
