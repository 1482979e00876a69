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

export function isAboutAddress(error: unknown): boolean {
  return error instanceof AnalyticsError && /^(no|invalid)_base_url$/.test(error.code);
}

export const ok = (detail: string): Finding => ({ status: "ok", detail });
export const skip = (detail: string): Finding => ({ status: "skipped", detail });
export const warn = (detail: string, fix: string): Finding => ({ status: "warning", detail, fix });
export const fail = ({ code, message, hint }: AnalyticsError): Finding => ({
  status: "failed",
  detail: message,
  fix: hint,
  code,
});
