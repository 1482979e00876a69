import { readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { isPlaceholder } from "../config/api-key.ts";
import { isReadableByOthers } from "../config/file-permissions.ts";
import { listProfiles } from "../config/profiles.ts";
import { type Environment, readVariable } from "../config/variables.ts";
import { quoteForShell } from "../operations/shell-command.ts";
import { localKinds } from "../sources/local-kinds.ts";
import { clients } from "./clients/index.ts";
import { type Check, type Finding, ok, skip, warn } from "./doctor-check.ts";
import { readServers, type Servers } from "./documents/servers.ts";
import { type Machine, readMachine } from "./machine.ts";
import type { McpClient } from "./mcp-client.ts";
import { findFile } from "./setup-instructions.ts";

const KEY_VALUE = /["']?ANALYTICS_API_KEY["']?\s*[:=]\s*["']?([^"'\r\n]*)/g;
/** The name alone, in a list of variables to pass on. */
const KEY_NAME = /\bANALYTICS_API_KEY\b(?!["']?\s*[:=])/;
const REFERENCE = /^(?:\$\{?[\w:.-]+\}?|\{env:\w+\}|\$\{\{[^{}]*\}\})$/;

/** Options with which an entry needs no key. */
const NO_KEY_NEEDED = [...localKinds.map(({ option }) => option.flag), "--api-key-file"];

// No fix puts a key into a file: files are committed, synchronized and shown to others.
const USE_PROFILE = "run analytics-mcp login and remove env from the entry: the server finds the saved key.";

const NO_ENTRY =
  "no client has an entry that starts this program; analytics-mcp config shows how to add one. The address of a remote connector is checked by analytics-mcp doctor --connector https://mcp.example.com/mcp";

/**
 * A check for each MCP client of this machine whose file has an entry that starts this program, or is broken: the entry may be
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
      const found = findEntries(client, text);
      if ("servers" in found && found.servers.length === 0) return [];
      const name = `client ${client.title}${isProject ? " (project)" : ""}`;
      return [{ name, run: () => checkFile(client, path, found, environment) }];
    }),
  );
  return checks.length > 0 ? checks : [{ name: "clients", run: () => skip(NO_ENTRY) }];
}

function findFiles(client: McpClient, machine: Machine): { path: string; isProject: boolean }[] {
  const own = findFile(client, machine);
  const place = client.file?.[machine.platform] ?? "";
  return [
    ...(own === undefined ? [] : [{ path: own, isProject: !/^[~%]/.test(place) }]),
    ...(client.otherFiles ?? []).map((path) =>
      path.startsWith("~")
        ? { path: join(machine.home, path.slice(1)), isProject: false }
        : { path, isProject: true },
    ),
  ];
}

/** The entries that start this program. One whose own name or whose address contains the program's does not count. */
function findEntries(client: McpClient, text: string): Servers {
  const found = readServers(client, text);
  if ("fault" in found) return found;
  const withoutAddresses = (entry: string) => entry.replace(/https?:\/\/[^\s"',\]]*/g, "");
  return { servers: found.servers.filter((entry) => withoutAddresses(entry).includes("analytics-mcp")) };
}

function checkFile(client: McpClient, path: string, found: Servers, environment: Environment): Finding {
  if ("fault" in found) {
    return warn(`${path} is ${found.fault}`, `Fix the file: ${client.title} ignores it.`);
  }
  const findings = found.servers.map((entry) => checkEntry(client, path, entry, environment));
  return findings.find(({ status }) => status === "warning") ?? ok(path);
}

function checkEntry(client: McpClient, path: string, entry: string, environment: Environment): Finding {
  const keys = [...entry.matchAll(KEY_VALUE)].map(([, value = ""]) => value.trim());
  if (keys.length === 0) return checkPassedOn(client, path, entry, environment);
  const references = keys.filter((key) => REFERENCE.test(key));
  const { refer } = client.key ?? {};
  if (references.length > 0 && typeof refer !== "function") {
    return warn(
      `${path}: ${client.title} does not fill in the variable in ANALYTICS_API_KEY`,
      refer === "by name"
        ? `Use the entry that analytics-mcp config ${client.id} prints.`
        : `Instead, ${USE_PROFILE}`,
    );
  }
  const missing = references.find((key) => isMissing(key, environment));
  if (missing !== undefined) {
    return warn(
      `${path}: ANALYTICS_API_KEY refers to ${missing}, which is not set here`,
      `Set it where you start ${client.title}, or ${USE_PROFILE}`,
    );
  }
  const literals = keys.filter((key) => !REFERENCE.test(key));
  if (literals.some((key) => key === "" || isPlaceholder(key))) {
    return warn(`${path}: ANALYTICS_API_KEY is a placeholder`, `To replace it, ${USE_PROFILE}`);
  }
  if (literals.length > 0 && isReadableByOthers(path)) {
    return warn(`${path} contains a key, and other users can read it`, `chmod 600 ${quoteForShell(path)}`);
  }
  return ok(path);
}

/** An entry without a value for the key: the client passes the variable on by its name, or the entry needs no key. */
function checkPassedOn(client: McpClient, path: string, entry: string, environment: Environment): Finding {
  const hasProfile = listProfiles(environment).length > 0;
  if (KEY_NAME.test(entry)) {
    const isSet = readVariable(environment, "ANALYTICS_API_KEY") !== undefined;
    if (isSet || hasProfile || client.key?.from !== "its environment") return ok(path);
    return warn(
      `${path}: ${client.title} passes on ANALYTICS_API_KEY, which is not set here`,
      `Set it where you start ${client.title}, or run analytics-mcp login.`,
    );
  }
  const needsNone = NO_KEY_NEEDED.some((word) => entry.includes(word));
  if (needsNone || hasProfile) return ok(path);
  return warn(`${path}: the entry has no key`, "Save one with analytics-mcp login.");
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
