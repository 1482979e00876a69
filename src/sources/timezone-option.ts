import { AnalyticsError, quoteWord } from "../errors.ts";

/** Reads `--timezone`; this machine's if it is absent. Throws AnalyticsError `usage`. */
export function readTimezone(name: unknown): string {
  if (name === undefined) return new Intl.DateTimeFormat().resolvedOptions().timeZone;
  try {
    return new Intl.DateTimeFormat("en", { timeZone: String(name) }).resolvedOptions().timeZone;
  } catch {
    throw new AnalyticsError("usage", `--timezone: there is no timezone ${quoteWord(String(name))}.`, {
      hint: "Use an IANA name, such as Europe/Berlin or UTC.",
    });
  }
}
