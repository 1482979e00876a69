import { readFileSync } from "node:fs";
import { platform } from "node:os";
import { isAbsolute, join } from "node:path";
import { isPlaceholder } from "../config/api-key.ts";
import { isExposed } from "../config/exposure.ts";
import { listProfiles } from "../config/profiles.ts";
import type { Environment } from "../config/variables.ts";
import { type Check, type Finding, ok, skip, warn } from "./check.ts";
import { type ClientFile, clientFiles } from "./client-files.ts";

const KEY_ENTRY = /["']?ANALYTICS_API_KEY["']?\s*[:=]\s*["']([^"'\r\n]*)["']/g;
const REFERENCE = /^\$\{?[\w:.-]+\}?$/;

/** A check for each client of this machine that has an entry for this program. No key of an entry is shown. */
export function findClientChecks(environment: Environment): Check[] {
  const checks = clientFiles.flatMap((file) => {
    const path = resolvePath(file.path, environment);
    const text = path === undefined ? undefined : readText(path);
    if (path === undefined || !text?.includes("analytics-mcp")) return [];
    const name = `client ${file.client}${/^[~{]/.test(file.path) ? "" : " (project)"}`;
    return [{ name, run: () => checkEntry(file, path, text, environment) }];
  });
  return checks.length > 0 ? checks : [{ name: "clients", run: () => skip("none found with an entry") }];
}

function checkEntry(file: ClientFile, path: string, text: string, environment: Environment): Finding {
  if (file.format === "json" && !isJson(text)) {
    return warn(
      `${path} is no valid JSON`,
      `Look for a comma or bracket too few or too many: ${file.client} ignores it.`,
    );
  }
  const keys = [...text.matchAll(KEY_ENTRY)].map(([, value = ""]) => value.trim());
  const references = keys.filter((key) => REFERENCE.test(key));
  if (references.length > 0 && !file.expands) {
    return warn(
      `${path}: ${file.client} does not fill in the variable in ANALYTICS_API_KEY`,
      "Write the key itself, or leave it out and use analytics-mcp login.",
    );
  }
  const literals = keys.filter((key) => !REFERENCE.test(key));
  if (literals.some((key) => key === "" || isPlaceholder(key))) {
    return warn(
      `${path}: ANALYTICS_API_KEY holds a placeholder`,
      "Put a key there, or leave it out and use analytics-mcp login.",
    );
  }
  if (literals.length > 0 && isExposed(path)) {
    return warn(`${path} holds a key, and can be read by other users`, `chmod 600 ${JSON.stringify(path)}`);
  }
  if (
    keys.length === 0 &&
    !/--demo|--api-key-file|"url"|Url"/.test(text) &&
    listProfiles(environment).length === 0
  ) {
    return warn(
      `${path}: its entry has no key`,
      "Save one with analytics-mcp login, or set ANALYTICS_API_KEY in its env.",
    );
  }
  return ok(path);
}

function resolvePath(path: string, environment: Environment): string | undefined {
  const { HOME, USERPROFILE, APPDATA, XDG_CONFIG_HOME = "" } = environment;
  const home = HOME || USERPROFILE;
  if (home === undefined) return undefined;
  const config = isAbsolute(XDG_CONFIG_HOME) ? XDG_CONFIG_HOME : join(home, ".config");
  const library = join(home, "Library", "Application Support");
  const apps = platform() === "darwin" ? library : (APPDATA ?? config);
  return path
    .replace(/^~/, () => home)
    .replace("{apps}", () => apps)
    .replace("{config}", () => config);
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

/** Comments and a comma before a bracket are allowed by most clients. */
function isJson(text: string): boolean {
  const strict = text
    .replace(
      /("(?:[^"\\]|\\.)*")|\/\/[^\n]*|\/\*[\s\S]*?\*\//g,
      (_, string: string | undefined) => string ?? "",
    )
    .replace(/("(?:[^"\\]|\\.)*")|,(?=\s*[}\]])/g, (_, string: string | undefined) => string ?? "");
  try {
    JSON.parse(strict.replace(/^\ufeff/, ""));
    return true;
  } catch {
    return false;
  }
}
