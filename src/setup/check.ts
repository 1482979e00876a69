import type { Target } from "../client/http-client.ts";
import type { Access, AccessFlags, GivenKey } from "../config/access.ts";
import type { Environment } from "../config/variables.ts";
import { AnalyticsError, type ErrorCode } from "../errors.ts";
import type { LocalSource } from "../sources/source-types.ts";
import type { Probe } from "./probe.ts";

/** What a check found. Neither text ever holds a key. */
export interface Finding {
  status: "ok" | "warning" | "failed" | "skipped";
  detail: string;
  /** The next step. */
  fix?: string | undefined;
  /** Of a failure, the code that the same failure has elsewhere. */
  code?: ErrorCode;
}

/** What the checks are told of the process that runs them. */
export interface Surroundings {
  flags: AccessFlags;
  environment: Environment;
  /** Milliseconds since 1970. */
  clock: () => number;
  version: string;
  nodeVersion: string;
  readGivenKey: () => Promise<GivenKey | undefined>;
  openTarget: (access: Access) => Promise<Target>;
  /** What is asked in this process, in place of a service. */
  local?: Pick<LocalSource, "about" | "call"> | undefined;
}

/** What several checks look at, each found out once. A rejection is an AnalyticsError. */
export interface Facts extends Surroundings {
  readAccess: () => Promise<Access>;
  /** Known where the address is in order, whatever the key. */
  readBaseUrl: () => Promise<string>;
  readProbe: () => Promise<Probe>;
}

export interface Check {
  name: string;
  /** Checks whose failure leaves nothing to look at. */
  needs?: readonly string[];
  run(facts: Facts): Finding | Promise<Finding>;
}

export function isAboutAddress(error: unknown): boolean {
  return error instanceof AnalyticsError && /^(no|invalid)_base_url$/.test(error.code);
}

export const ok = (detail: string): Finding => ({ status: "ok", detail });
export const skip = (detail: string): Finding => ({ status: "skipped", detail });
export const warn = (detail: string, fix: string): Finding => ({ status: "warning", detail, fix });
export const fail = ({ code, message, hint }: AnalyticsError): Finding => ({
  ...{ status: "failed", detail: message, fix: hint, code },
});
