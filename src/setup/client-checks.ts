import { readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { isPlaceholder } from "../config/api-key.ts";
import { isExposed } from "../config/file-permissions.ts";
import { listProfiles } from "../config/profiles.ts";
import { type Environment, readVariable } from "../config/variables.ts";
import { localKinds } from "../sources/local-kinds.ts";
import { type Check, type Finding, ok, skip, warn } from "./check.ts";
import type { Client } from "./client.ts";
import { clients } from "./clients/index.ts";
import { findFile } from "./description.ts";
import { findFault } from "./documents/json.ts";
import { type Machine, readMachine } from "./machine.ts";

const KEY_ENTRY = /["']?ANALYTICS_API_KEY["']?\s*[:=]\s*["']([^"'\r\n]*)["']/g;
const REFERENCE = /^(?:\$\{?[\w:.-]+\}?|\{env:\w+\})$/;

/** What an entry says that takes its key from elsewhere: a file, a page, or a source that needs none. */
const NO_KEY_NEEDED = [...localKinds.map(({ option }) => option.flag), "--api-key-file", '"url"', 'Url"'];

/**
 * A check for each client of this machine that has an entry for this program, or a broken file: the entry may be what
 * is broken. No key of an entry is shown.
 */
export function findClientChecks(environment: Environment): Check[] {
  const machine = readMachine(environment);
  // The project's folder may be the home folder.
  const seen = new Set<string>();
  const checks = clients.flatMap((client) =>
    findFiles(client, machine).flatMap(({ path, isProject }): Check[] => {
      const text = seen.has(resolve(path)) ? undefined : readText(path);
      seen.add(resolve(path));
      if (text === undefined) return [];
      if (!text.includes("analytics-mcp") && findFaultIn(client, text) === undefined) return [];
      const name = `client ${client.title}${isProject ? " (project)" : ""}`;
      return [{ name, run: () => checkEntry(client, path, text, environment) }];
    }),
  );
  return checks.length > 0 ? checks : [{ name: "clients", run: () => skip("none found with an entry") }];
}

function findFiles(client: Client, machine: Machine): { path: string; isProject: boolean }[] {
  const own = findFile(client, machine);
  const places = client.places?.[machine.platform] ?? "";
  return [
    ...(own === undefined ? [] : [{ path: own, isProject: !/^[~%]/.test(places) }]),
    ...(client.alsoIn ?? []).map((path) =>
      path.startsWith("~")
        ? { path: join(machine.home, path.slice(1)), isProject: false }
        : { path, isProject: true },
    ),
  ];
}

function findFaultIn({ format }: Client, text: string): string | undefined {
  return format === "json" ? findFault(text.replace(/^\ufeff/, "")) : undefined;
}

function checkEntry(client: Client, path: string, text: string, environment: Environment): Finding {
  const fault = findFaultIn(client, text);
  if (fault !== undefined) {
    return warn(`${path} is no valid JSON: ${fault}`, `Mend it there: ${client.title} ignores the file.`);
  }
  const keys = [...text.matchAll(KEY_ENTRY)].map(([, value = ""]) => value.trim());
  const references = keys.filter((key) => REFERENCE.test(key));
  // In JSON, who can get at a key at all fills in its variables.
  const fillsIn = client.format === "json" && client.keyFrom !== undefined;
  if (references.length > 0 && !fillsIn) {
    return warn(
      `${path}: ${client.title} does not fill in the variable in ANALYTICS_API_KEY`,
      "Write the key itself, or leave it out and use analytics-mcp login.",
    );
  }
  const missing = references.find((key) => isMissing(key, environment));
  if (missing !== undefined) {
    return warn(
      `${path}: ANALYTICS_API_KEY is ${missing} there, and that is not set here`,
      `Set it where ${client.title} is started; or take the key out of the entry, and use analytics-mcp login.`,
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
    !NO_KEY_NEEDED.some((word) => text.includes(word)) &&
    listProfiles(environment).length === 0
  ) {
    return warn(
      `${path}: its entry has no key`,
      "Save one with analytics-mcp login, or set ANALYTICS_API_KEY in its env.",
    );
  }
  return ok(path);
}

/** Whether a variable of the environment is meant, and not one that the client asks for, such as `${input:key}`. */
function isMissing(reference: string, environment: Environment): boolean {
  const [, name] = /^\$?\{?(?:env:)?([A-Za-z_]\w*)\}?$/.exec(reference) ?? [];
  return name !== undefined && readVariable(environment, name) === undefined;
}

function readText(path: string): string | undefined {
  try {
    // A project may bring a link to a device or a pipe, whose end never comes.
    return statSync(path).isFile() ? readFileSync(path, "utf8") : undefined;
  } catch {
    return undefined;
  }
}
