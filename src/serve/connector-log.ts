import { type LogLevel, logLevels } from "../config/serve-settings.ts";
import type { AuditEvent } from "../oauth/audit.ts";
import { formatJson } from "../render/clean-text.ts";

export type LogEvent =
  | AuditEvent
  | "request"
  | "upstream"
  | "host_refused"
  | "proxy_not_read"
  | "store"
  | "source"
  | "fault";

/** The level of each event. An event always has the same level. */
export const eventLevels: Record<LogEvent, LogLevel> = {
  request: "debug",
  upstream: "debug",
  client_registered: "info",
  consent_refused: "info",
  grant_made: "info",
  tokens_issued: "info",
  tokens_refreshed: "info",
  grant_ended: "info",
  host_refused: "info",
  key_refused: "warn",
  document_unavailable: "warn",
  proxy_not_read: "warn",
  store: "warn",
  source: "warn",
  fault: "error",
};

export type Facts = Record<string, string | number | undefined>;

/** Writes one line for the operator. Facts must not be secrets. */
export type Log = (event: LogEvent, facts?: Facts) => void;

export interface LogOptions {
  /** Events below this level are not written. */
  level: LogLevel;
  /** Milliseconds since 1970. */
  clock: () => number;
  write: (line: string) => void;
}

/** Writes each event as one line of JSON: time, level and event first; undefined facts are left out. */
export const createLog =
  ({ level: minimum, clock, write }: LogOptions): Log =>
  (event, facts = {}) => {
    const level = eventLevels[event];
    if (logLevels.indexOf(level) < logLevels.indexOf(minimum)) return;
    const time = new Date(clock()).toISOString();
    write(formatJson({ time, level, event, ...hideSecrets(facts) }));
  };

const HIDDEN = "[hidden]";

/** Names of facts whose value could only be a secret. */
const SECRET_NAMES = /(key|token|code|verifier|secret|password|cookie|csrf|authorization)$/i;
const SECRET_PATTERNS: [RegExp, string][] = [
  [/\b(Bearer|Basic)\s+[^\s"',]+/gi, `$1 ${HIDDEN}`],
  [/\bamcp_[\w-]+/g, HIDDEN],
  [/\?[^\s"']+/g, `?${HIDDEN}`],
  [
    /([\w-]*(?:key|token|code|verifier|secret|password|cookie|csrf)["']?\s*[=:]\s*["']?)[^\s"'&;,]+/gi,
    `$1${HIDDEN}`,
  ],
];

/**
 * A last guard for the log, in case a secret ever gets into its facts. Secrets are recognized by their name or by the
 * text before them, not by their look, because ids of grants look like tokens.
 */
const hideSecrets = (facts: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(facts).map(([name, value]) => {
      if (typeof value !== "string") return [name, value];
      return [name, SECRET_NAMES.test(name) ? HIDDEN : hideWithin(value)];
    }),
  );

const hideWithin = (text: string): string =>
  SECRET_PATTERNS.reduce((hidden, [pattern, instead]) => hidden.replace(pattern, instead), text);
