import { type LogLevel, logLevels } from "../config/serve-settings.ts";
import { quoteIfNeeded } from "../errors.ts";
import type { AuditEvent } from "../oauth/audit.ts";
import { cleanText, formatJson } from "../render/clean-text.ts";

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
  /** Whether a person reads along, so that the lines are words in place of JSON. */
  isRead?: boolean;
  write: (line: string) => void;
}

/** Writes each event as one line: in JSON, time, level and event first. Undefined facts are left out. */
export const createLog =
  ({ level: minimum, clock, isRead = false, write }: LogOptions): Log =>
  (event, facts = {}) => {
    const level = eventLevels[event];
    if (logLevels.indexOf(level) < logLevels.indexOf(minimum)) return;
    const time = new Date(clock());
    const shown = hideSecrets(facts);
    if (isRead) write(`${time.toTimeString().slice(0, 8)} ${formatEvent(level, event, shown)}`);
    else write(formatJson({ time: time.toISOString(), level, event, ...shown }));
  };

const MARKS: Partial<Record<LogLevel, string>> = { warn: "warning: ", error: "error: " };

/** An event in words, without what only ties lines together. */
function formatEvent(level: LogLevel, event: LogEvent, { message, request, ...facts }: Facts): string {
  const told = Object.entries(facts).flatMap(([name, value]) =>
    value === undefined ? [] : `${name.replaceAll("_", " ")} ${quoteIfNeeded(String(value))}`,
  );
  const about = told.length === 0 ? "" : ` (${told.join(", ")})`;
  const said = message === undefined ? "" : `: ${cleanText(String(message))}`;
  return `${MARKS[level] ?? ""}${event.replaceAll("_", " ")}${about}${said}`;
}

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
const hideSecrets = (facts: Facts): Facts =>
  Object.fromEntries(
    Object.entries(facts).map(([name, value]) => {
      if (typeof value !== "string") return [name, value];
      return [name, SECRET_NAMES.test(name) ? HIDDEN : hideWithin(value)];
    }),
  );

const hideWithin = (text: string): string =>
  SECRET_PATTERNS.reduce((hidden, [pattern, instead]) => hidden.replace(pattern, instead), text);
