import type { ErrorCode } from "../errors.ts";

export const exitCodes = {
  ok: 0,
  failure: 1,
  usage: 2,
  incomplete: 3,
  auth: 4,
  network: 5,
  notFound: 6,
  found: 7,
  cancelled: 130,
} as const;

export const exitCodeMeanings = {
  [exitCodes.ok]: "Success.",
  [exitCodes.failure]: "The service or this program failed.",
  [exitCodes.usage]: "The command line or the settings are wrong.",
  [exitCodes.incomplete]:
    "conform or check found nothing, but could check too little; or login saved a service that cannot answer everything yet.",
  [exitCodes.auth]: "The key is missing, or the service does not accept it.",
  [exitCodes.network]: "The service could not be reached.",
  [exitCodes.notFound]: "The key has no such site.",
  [exitCodes.found]: "check found what it looked for.",
  [exitCodes.cancelled]: "You stopped it with Ctrl-C. (Servers, view and --watch then end with 0.)",
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** Thrown by a command that has printed everything itself: the program exits with the code and prints nothing. */
export class SilentExit extends Error {
  override readonly name = "SilentExit";
  readonly exitCode: ExitCode;
  constructor(exitCode: ExitCode) {
    super(`exit code ${exitCode}`);
    this.exitCode = exitCode;
  }
}

/** Maps a failure to its exit code, by which scripts can tell a wrong key from a missing network. */
export function exitCodeOf(code: ErrorCode): ExitCode {
  switch (code) {
    case "usage":
    case "missing_parameter":
    case "invalid_parameter":
    case "unknown_parameter":
    case "no_base_url":
    case "invalid_base_url":
    case "not_found":
      return exitCodes.usage;
    case "no_api_key":
    case "missing_api_key":
    case "invalid_api_key":
      return exitCodes.auth;
    case "unreachable":
    case "timeout":
    case "tls":
    case "proxy":
      return exitCodes.network;
    case "site_not_found":
      return exitCodes.notFound;
    case "cancelled":
      return exitCodes.cancelled;
    case "method_not_allowed":
    case "rate_limited":
    case "internal_error":
    case "unavailable":
    case "redirected":
    case "bad_answer":
    case "too_large":
    case "unhealthy":
      return exitCodes.failure;
  }
}
