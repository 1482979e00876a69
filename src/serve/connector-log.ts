import { type LogLevel, logLevels } from "../config/connector.ts";
import type { AuditEvent } from "../oauth/audit.ts";
import { formatJson } from "../render/clean.ts";
import { hideSecrets } from "./log-redaction.ts";

export type LogEvent = AuditEvent | "request" | "upstream" | "store" | "fault";

/** How loud each event is: said once, so that a line's level is known by its event. */
export const eventLevels: Record<LogEvent, LogLevel> = {
  request: "debug",
  upstream: "debug",
  client_registered: "info",
  consent_refused: "info",
  grant_made: "info",
  tokens_issued: "info",
  tokens_refreshed: "info",
  grant_ended: "info",
  key_refused: "warn",
  store: "warn",
  fault: "error",
};

export type Facts = Record<string, string | number | undefined>;

/** One line for the operator, of facts that are no secrets. */
export type Log = (event: LogEvent, facts?: Facts) => void;

export interface LogOptions {
  /** What is less loud is not written. */
  level: LogLevel;
  /** Milliseconds since 1970. */
  clock: () => number;
  write: (line: string) => void;
}

/** Writes an event as one line of JSON: time, level and event first, and what is absent left out. */
export function createLog({ level: least, clock, write }: LogOptions): Log {
  return (event, facts = {}) => {
    const level = eventLevels[event];
    if (logLevels.indexOf(level) < logLevels.indexOf(least)) return;
    const time = new Date(clock()).toISOString();
    write(formatJson({ time, level, event, ...hideSecrets(facts) }));
  };
}
