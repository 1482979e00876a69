import type { Target } from "../client/http-client.ts";
import type { Access, AccessFlags, GivenKey } from "../config/access.ts";
import type { FoundLogs } from "../config/found-logs.ts";
import type { Environment } from "../config/variables.ts";
import { AnalyticsError, type ErrorCode } from "../errors.ts";
import type { LocalSource } from "../sources/source-types.ts";
import type { ServiceTrial } from "./service-trial.ts";

/** What a check found. The texts never contain a key. */
export interface Finding {
  status: "ok" | "warning" | "failed" | "skipped";
  detail: string;
  /** The next step. */
  fix?: string | undefined;
  /** The code of the AnalyticsError behind a failure. */
  code?: ErrorCode;
}

/** What the checks get from the process that runs them. */
export interface DoctorContext {
  flags: AccessFlags;
  environment: Environment;
  /** Milliseconds since 1970. */
  clock: () => number;
  version: string;
  nodeVersion: string;
  findLogs: () => Promise<readonly FoundLogs[]>;
  readGivenKey: () => Promise<GivenKey | undefined>;
  openTarget: (access: Access) => Promise<Target>;
  /** The source in this process that answers in place of a service. */
  local?: Pick<LocalSource, "about" | "call" | "local"> | undefined;
}

/** What the checks of a connection need. */
export type ConnectionFacts = Pick<Facts, "environment" | "clock" | "readBaseUrl">;

/** Facts that several checks need, each read once. A rejection is an AnalyticsError. */
export interface Facts extends DoctorContext {
  readAccess: () => Promise<Access>;
  /** Needs a valid address but no key. */
  readBaseUrl: () => Promise<string>;
  readTrial: () => Promise<ServiceTrial>;
}

export interface Check<Known = Facts> {
  name: string;
  /** This check is skipped if one of these failed. */
  needs?: readonly string[];
  /** An AnalyticsError that it throws becomes its failure. */
  run(facts: Known): Finding | Promise<Finding>;
}

export const isAboutAddress = (error: unknown): boolean =>
  error instanceof AnalyticsError && /^(no|invalid)_base_url$/.test(error.code);

export const ok = (detail: string): Finding => ({ status: "ok", detail });
export const skip = (detail: string): Finding => ({ status: "skipped", detail });
export const warn = (detail: string, fix: string): Finding => ({ status: "warning", detail, fix });
export const fail = ({ code, message, hint }: AnalyticsError): Finding => ({
  status: "failed",
  detail: message,
  fix: hint,
  code,
});

export type Diagnosis = (Finding & { name: string })[];

/** Runs checks in order. One that needs what failed is skipped. */
export async function runChecks<Facts>(checks: readonly Check<Facts>[], facts: Facts): Promise<Diagnosis> {
  const report: Diagnosis = [];
  const blocked = new Set<string>();
  for (const check of checks) {
    const { name, needs = [] } = check;
    const missing = needs.find((need) => blocked.has(need));
    const finding = missing === undefined ? await run(check, facts) : skip(`needs: ${missing}`);
    if (missing !== undefined || finding.status === "failed") blocked.add(name);
    report.push({ name, ...finding });
  }
  return report;
}

async function run<Facts>(check: Check<Facts>, facts: Facts): Promise<Finding> {
  try {
    return await check.run(facts);
  } catch (error) {
    if (error instanceof AnalyticsError) return fail(error);
    throw error;
  }
}
