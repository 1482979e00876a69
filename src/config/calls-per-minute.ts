import { AnalyticsError } from "../errors.ts";
import { type Environment, readVariable } from "./variables.ts";

const DEFAULT_CALLS_PER_MINUTE = 300;

/** Reads how many tool calls are answered per minute. Throws AnalyticsError `usage`. */
export function readCallsPerMinute(environment: Environment): number {
  const text = readVariable(environment, "ANALYTICS_CALLS_PER_MINUTE");
  if (text === undefined) return DEFAULT_CALLS_PER_MINUTE;
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new AnalyticsError("usage", "ANALYTICS_CALLS_PER_MINUTE must be a whole number, at least 1.", {
    hint: `Leave it out for the default, ${DEFAULT_CALLS_PER_MINUTE}.`,
  });
}
