import { homedir, platform } from "node:os";
import { posix, win32 } from "node:path";
import type { Environment } from "../config/variables.ts";
import { AnalyticsError } from "../errors.ts";

export const platforms = ["macos", "windows", "linux"] as const;
export type Platform = (typeof platforms)[number];

export interface Machine {
  platform: Platform;
  /** Whether this program runs on it. The folders and variables of another machine are unknown. */
  isHere: boolean;
  home: string;
  environment: Environment;
}

/** The path of a client's file, as people write it: `~` and `%USERPROFILE%` are the home folder. */
export type PlatformPaths = Record<Platform, string>;

function readPlatform(nodePlatform: string): Platform {
  if (nodePlatform === "win32") return "windows";
  return nodePlatform === "darwin" ? "macos" : "linux";
}

/** This machine, or one of the wanted platform. Throws AnalyticsError `usage` if this user has no home folder. */
export function readMachine(environment: Environment, wanted?: Platform): Machine {
  const here = readPlatform(platform());
  const home = (here === "windows" ? environment.USERPROFILE : environment.HOME) || findHome();
  return { platform: wanted ?? here, isHere: (wanted ?? here) === here, home, environment };
}

/** In a container, a user may have neither HOME nor a name, which makes Node throw. */
function findHome(): string {
  try {
    return homedir();
  } catch (cause) {
    throw new AnalyticsError("usage", "This user has no home folder, where clients keep their settings.", {
      hint: "Set HOME.",
      cause,
    });
  }
}

/** Expands `~/…`, `~/.config/…` (XDG_CONFIG_HOME on Linux), `%USERPROFILE%\…` and `%APPDATA%\…`. */
export function expandPath(paths: PlatformPaths, { platform, home, environment }: Machine): string {
  const path = paths[platform];
  const { join } = platform === "windows" ? win32 : posix;
  const configHome = environment.XDG_CONFIG_HOME ?? "";
  if (platform === "linux" && path.startsWith("~/.config/") && posix.isAbsolute(configHome)) {
    return join(configHome, path.slice("~/.config/".length));
  }
  if (path.startsWith("%USERPROFILE%")) return join(home, path.slice("%USERPROFILE%".length));
  if (path.startsWith("%APPDATA%")) {
    return join(environment.APPDATA ?? join(home, "AppData", "Roaming"), path.slice("%APPDATA%".length));
  }
  return path.startsWith("~") ? join(home, path.slice(1)) : path;
}

/** The same path in the home folder of every platform. */
export const underHome = (path: string): PlatformPaths => ({
  macos: `~/${path}`,
  windows: `%USERPROFILE%\\${path.replaceAll("/", "\\")}`,
  linux: `~/${path}`,
});
