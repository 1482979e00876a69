import { isAbsolute, join } from "node:path";
import type { Environment } from "./variables.ts";

// None of these folders need exist, and a process that was started with an empty environment has none of them.

/** The folder of this program's settings. */
export function findConfigFolder(environment: Environment): string | undefined {
  const { XDG_CONFIG_HOME, APPDATA, HOME, USERPROFILE } = environment;
  const home = HOME || USERPROFILE;
  return chooseFolder([XDG_CONFIG_HOME, APPDATA, home && join(home, ".config")]);
}

/** The folder of what this program keeps between runs. */
export const findStateFolder = ({ XDG_STATE_HOME, LOCALAPPDATA, HOME }: Environment): string | undefined =>
  chooseFolder([XDG_STATE_HOME, LOCALAPPDATA, HOME && join(HOME, ".local", "state")]);

/** The folder of what this program can fetch again. */
export const findCacheFolder = ({ XDG_CACHE_HOME, LOCALAPPDATA, HOME }: Environment): string | undefined =>
  chooseFolder([XDG_CACHE_HOME, LOCALAPPDATA, HOME && join(HOME, ".cache")]);

/** The XDG Base Directory Specification says to ignore a relative path: a key would be saved wherever this process runs. */
function chooseFolder(candidates: readonly (string | undefined)[]): string | undefined {
  const folder = candidates.find((path) => path && isAbsolute(path));
  return folder && join(folder, "analytics-mcp");
}
