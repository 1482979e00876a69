import { readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { isPlaceholder } from "../config/api-key.ts";
import { isExposed } from "../config/file-permissions.ts";
import { listProfiles } from "../config/profiles.ts";
import { type Environment, readVariable } from "../config/variables.ts";
import { localKinds } from "../sources/local-kinds.ts";
import { clients } from "./clients/index.ts";
import { type Check, type Finding, ok, skip, warn } from "./doctor-check.ts";
import { findFault } from "./documents/json-editor.ts";
import { type Machine, readMachine } from "./machine.ts";
import type { McpClient } from "./mcp-client.ts";
import { findFile } from "./setup-instructions.ts";

const KEY_ENTRY = /["']?ANALYTICS_API_KEY["']?\s*[:=]\s*["']([^"'\r\n]*)["']/g;
const REFERENCE = /^(?:\$\{?[\w:.-]+\}?|\{env:\w+\})$/;

/** Words in an entry that gets its key elsewhere (from a file or a web page) or needs none. */
const NO_KEY_NEEDED = [...localKinds.map(({ option }) => option.flag), "--api-key-file", '"url"', 'Url"'];

/**
 * A check for each MCP client of this machine whose file has an entry for this program, or is broken: the entry may be
 * in the broken part. Findings never show a key.
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
  return checks.length > 0
    ? checks
    : [{ name: "clients", run: () => skip("no client has an entry for this program") }];
}

function findFiles(client: McpClient, machine: Machine): { path: string; isProject: boolean }[] {
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

function findFaultIn({ format }: McpClient, text: string): string | undefined {
  return format === "json" ? findFault(text.replace(/^\ufeff/, "")) : undefined;
}

function checkEntry(client: McpClient, path: string, text: string, environment: Environment): Finding {
  const fault = findFaultIn(client, text);
  if (fault !== undefined) {
    return warn(`${path} is not valid JSON: ${fault}`, `Fix the file: ${client.title} ignores it.`);
  }
  const keys = [...text.matchAll(KEY_ENTRY)].map(([, value = ""]) => value.trim());
  const references = keys.filter((key) => REFERENCE.test(key));
  // Clients that read the key from elsewhere fill in variables only in JSON.
  const fillsIn = client.format === "json" && client.keyFrom !== undefined;
  if (references.length > 0 && !fillsIn) {
    return warn(
      `${path}: ${client.title} does not fill in the variable in ANALYTICS_API_KEY`,
      "Write the key itself, or remove it and run analytics-mcp login.",
    );
  }
  const missing = references.find((key) => isMissing(key, environment));
  if (missing !== undefined) {
    return warn(
      `${path}: ANALYTICS_API_KEY refers to ${missing}, which is not set here`,
      `Set it where you start ${client.title}, or remove the key from the entry and run analytics-mcp login.`,
    );
  }
  const literals = keys.filter((key) => !REFERENCE.test(key));
  if (literals.some((key) => key === "" || isPlaceholder(key))) {
    return warn(
      `${path}: ANALYTICS_API_KEY is a placeholder`,
      "Put your key there, or remove it and run analytics-mcp login.",
    );
  }
  if (literals.length > 0 && isExposed(path)) {
    return warn(`${path} contains a key, and other users can read it`, `chmod 600 ${JSON.stringify(path)}`);
  }
  if (
    keys.length === 0 &&
    !NO_KEY_NEEDED.some((word) => text.includes(word)) &&
    listProfiles(environment).length === 0
  ) {
    return warn(
      `${path}: the entry has no key`,
      "Save one with analytics-mcp login, or set ANALYTICS_API_KEY in the entry's env.",
    );
  }
  return ok(path);
}

/** Ignores references that the client resolves itself, such as `${input:key}`. */
function isMissing(reference: string, environment: Environment): boolean {
  const [, name] = /^\$?\{?(?:env:)?([A-Za-z_]\w*)\}?$/.exec(reference) ?? [];
  return name !== undefined && readVariable(environment, name) === undefined;
}

function readText(path: string): string | undefined {
  try {
    // A project may contain a link to a device or a pipe, which never ends.
    return statSync(path).isFile() ? readFileSync(path, "utf8") : undefined;
  } catch {
    return undefined;
  }
}
