import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { execFile } from "../support/child-process.js";
import { conformanceSuite, newerNode } from "../support/tools.ts";

export interface Check {
  id: string;
  status: "SUCCESS" | "FAILURE" | "WARNING" | "SKIPPED" | "INFO";
  errorMessage?: string;
}

const folders: string[] = [];

/** A folder for the suite's results, until they are removed. */
export function createResults(): string {
  const folder = mkdtempSync(join(tmpdir(), "conformance-"));
  folders.push(folder);
  return folder;
}

export function removeResults(): void {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
}

export function readChecks(folder: string): Check[] {
  return JSON.parse(readFileSync(join(folder, "checks.json"), "utf8"));
}

/** Runs the suite on a server; gives the checks of each scenario that the revision scores. */
export async function runSuite(revision: string, url: string) {
  const suite = conformanceSuite ?? "";
  const folder = createResults();
  const args = [suite, "server", "--url", url, "--requirements", revision, "--output-dir", folder];
  // It fails where any scored check fails: what failed is read from its files.
  const code = await execFile(newerNode ?? "", args).then(
    () => 0,
    (error: { code: number }) => error.code,
  );
  const requirements = readFileSync(join(dirname(suite), "..", "requirements", `${revision}.yaml`), "utf8");
  const [, list = ""] = /^server:\n((?: {2}- .+\n)+)/m.exec(requirements) ?? [];
  const scored = [...list.matchAll(/- (.+)/g)].map(([, name = ""]) => name);
  const results = readdirSync(folder);
  const scenarios = scored.map((name) => {
    const own = results.find((each) => each.startsWith(`server-${name}-20`));
    return { name, checks: own === undefined ? [] : readChecks(join(folder, own)) };
  });
  return { code, scenarios };
}

export const failuresOf = ({ name, checks }: { name: string; checks: Check[] }) =>
  checks
    .filter((check) => check.status === "FAILURE")
    .map((check) => `${name}: ${check.id}: ${check.errorMessage}`);

/** Scenarios that call what the suite's own fixtures offer, or what this server does not: logs, subscriptions. */
export const NEEDS_FIXTURES =
  /^(tools-call-|resources-read-|resources-templates-|resources-(un)?subscribe|prompts-get-|elicitation-|input-required-|completion-|logging-)/;

/** The revisions of the specification, and how many scenarios each scores. */
export const revisions = [
  { revision: "2026-07-28", scored: 37 },
  { revision: "2025-11-25", scored: 30 },
];
