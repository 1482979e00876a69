import { accessSync, constants, existsSync } from "node:fs";
import { join } from "node:path";
import { createNothingError } from "../config/access.ts";
import { describeKey } from "../config/api-key.ts";
import { describeExposure, isReadableByOthers } from "../config/file-permissions.ts";
import { findStateFolder } from "../config/folders.ts";
import { proposeLogs } from "../config/found-logs.ts";
import {
  findProfileFile,
  findProfileFolder,
  listProfiles,
  readProfile,
  readProfileOptions,
} from "../config/profiles.ts";
import { serveVariables } from "../config/serve-settings.ts";
import { hintOnUnexpanded, isUnexpanded } from "../config/variables.ts";
import { environment as documented } from "../documents/environment.ts";
import { AnalyticsError } from "../errors.ts";
import { quoteForShell } from "../operations/shell-command.ts";
import type { HistoryRow } from "../sources/logs/histories.ts";
import { type Check, type Facts, type Finding, isAboutAddress, ok, skip, warn } from "./doctor-check.ts";

const KNOWN_VARIABLES = new Set<string>([...Object.keys(documented), ...Object.values(serveVariables)]);

/** Checks of this machine and its settings. They send nothing. */
export const machineChecks: readonly Check[] = [
  { name: "node", run: ({ nodeVersion }) => checkNode(nodeVersion) },
  { name: "analytics-mcp", run: ({ version }) => ok(`version ${version}`) },
  { name: "environment", run: checkEnvironment },
  { name: "profiles", run: checkProfiles },
];

/** The check of what answers, if nothing was ever set up. */
export const nothingSetUp: Check = {
  name: "source",
  run: async ({ findLogs }) => {
    const { code, message, hint } = createNothingError();
    throw new AnalyticsError(code, message, {
      hint: `${hint} ${proposeLogs(await findLogs()) ?? ""}`.trim(),
    });
  },
};

/** Checks of the key and the address. They send nothing. */
export const accessChecks: readonly Check[] = [
  { name: "key", run: checkKey },
  { name: "base URL", run: checkBaseUrl },
];

/** The histories of access logs, of all logs that were ever asked about. */
const historiesCheck: Check = {
  name: "histories",
  run: async ({ environment }) => {
    const { describeHistories, listHistoryRows, nameUser } = await import("../sources/logs/histories.ts");
    const rows = listHistoryRows(environment);
    const user = `of the user ${nameUser()}; other users have their own`;
    if (rows.length === 0) return ok(`none ${user}`);
    const text = `${rows.length === 1 ? "1 history" : `${rows.length} histories`} ${user}: ${describeHistories(rows).join(". ")}`;
    const broken = rows.find(({ damaged, set_aside }) => damaged.length + set_aside.length > 0);
    return broken === undefined ? ok(text) : warn(text, adviseOnDamage(broken));
  },
};

const adviseOnDamage = ({ logs }: HistoryRow): string =>
  `Restore damaged files from a backup, and remove what was set aside once it is not needed. To remove a history: analytics-mcp logs --forget ${logs?.map(quoteForShell).join(" ") ?? "FILES"}`;

/** The check of histories, if there are any. */
export function findHistoriesCheck(environment: Facts["environment"]): Check[] {
  const folder = findStateFolder(environment);
  return folder !== undefined && existsSync(join(folder, "logs")) ? [historiesCheck] : [];
}

function checkNode(nodeVersion: string): Finding {
  const [major = 0, minor = 0] = nodeVersion.split(".").map(Number);
  if (major > 22 || (major === 22 && minor >= 13)) return ok(`version ${nodeVersion}`);
  if (major > 20 || (major === 20 && minor >= 19)) {
    return ok(
      `version ${nodeVersion}; only for serve: sign-ins in a file need Node.js 22.13 or newer, libsql, or Redis`,
    );
  }
  throw new AnalyticsError("usage", `Node.js ${nodeVersion} is too old.`, {
    hint: "Install Node.js 20.19 or newer.",
  });
}

function checkEnvironment({ environment }: Facts): Finding {
  const names = Object.keys(environment).filter((name) => name.startsWith("ANALYTICS_"));
  const unexpanded = names.filter((name) => isUnexpanded(environment[name] ?? ""));
  if (unexpanded.length > 0) {
    return warn(
      `${unexpanded.join(", ")}: contains an unexpanded variable name`,
      hintOnUnexpanded(unexpanded),
    );
  }
  const unknown = names.filter((name) => !KNOWN_VARIABLES.has(name));
  if (unknown.length > 0) {
    return warn(
      `${unknown.join(", ")}: this program does not read it`,
      "Check the spelling: analytics-mcp help environment lists the variables.",
    );
  }
  if (environment.NODE_TLS_REJECT_UNAUTHORIZED === "0") {
    return warn(
      "NODE_TLS_REJECT_UNAUTHORIZED=0: any server can impersonate the service and read the key",
      "Unset it, and set NODE_EXTRA_CA_CERTS to the file of your certificate authority.",
    );
  }
  const authorities = environment.NODE_EXTRA_CA_CERTS;
  if (authorities && !isReadable(authorities)) {
    return warn(
      "NODE_EXTRA_CA_CERTS names a file that cannot be read",
      "Check the path: Node.js continues without the file.",
    );
  }
  if (environment.ANALYTICS_API_KEY && environment.ANALYTICS_PROFILE) {
    return warn(
      "ANALYTICS_API_KEY takes precedence over ANALYTICS_PROFILE",
      "Unset one of them, or use --profile, which takes precedence over both.",
    );
  }
  return ok(names.length === 0 ? "no ANALYTICS_ variable is set" : names.join(", "));
}

function checkProfiles({ environment }: Facts): Finding {
  const names = listProfiles(environment);
  if (names.length === 0) return skip("none saved");
  for (const name of names) {
    try {
      if (readProfileOptions(environment, name) === undefined) readProfile(environment, name);
    } catch (error) {
      if (error instanceof AnalyticsError) return warn(error.message, error.hint ?? "");
      throw error;
    }
    const file = findProfileFile(environment, name);
    if (isReadableByOthers(file))
      return warn(`other users of this machine can read ${name}`, describeExposure(file));
  }
  const folder = findProfileFolder(environment) ?? "";
  if (isReadableByOthers(folder))
    return warn("other users can open the folder of the profiles", `chmod 700 ${quoteForShell(folder)}`);
  return ok(names.join(", "));
}

async function checkKey({ readAccess }: Facts): Promise<Finding> {
  try {
    const { apiKey, sources, warnings } = await readAccess();
    const [warning] = warnings;
    if (warning !== undefined) return warn(`from ${sources.apiKey}`, warning);
    return ok(`from ${sources.apiKey}, ${describeKey(apiKey)}`);
  } catch (error) {
    if (isAboutAddress(error)) return skip("see the base URL check");
    throw error;
  }
}

async function checkBaseUrl({ readAccess, readBaseUrl }: Facts): Promise<Finding> {
  const source = await readAccess().then(
    ({ sources }) => `, from ${sources.baseUrl}`,
    () => "",
  );
  return ok(`${await readBaseUrl()}${source}`);
}

function isReadable(file: string): boolean {
  try {
    accessSync(file, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}
