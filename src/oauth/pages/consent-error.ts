import { formatCount } from "../../render/plural.ts";

export interface ConsentError {
  code:
    | "wrong_key"
    | "empty_key"
    | "malformed_key"
    | "tries_used_up"
    | "rate_limited"
    | "unavailable"
    | "expired";
  /** In seconds. */
  retryAfter?: number | undefined;
}

/** Whether another key would help. */
export const blamesKey = ({ code }: ConsentError): boolean =>
  code === "wrong_key" || code === "empty_key" || code === "malformed_key";

/** What went wrong and what to do; shown beside the field. */
export function formatConsentError({ code, retryAfter }: ConsentError, service: string): string {
  switch (code) {
    case "wrong_key":
      return "This key is not valid. Check that you copied all of it, or get a new one.";
    case "empty_key":
      return "The key is missing. Paste your API key, or choose Cancel.";
    case "malformed_key":
      return "This is not an API key: it is too long, or has spaces or characters that no key has. Copy it again.";
    case "tries_used_up":
      return "Too many keys were tried in this sign-in. Go back to your application and sign in again.";
    case "rate_limited":
      return `Too many attempts. Try again in ${formatWait(retryAfter)}.`;
    case "unavailable":
      return `${service} is not responding, so the key could not be checked. Try again in ${formatWait(retryAfter)}.`;
    case "expired":
      return "This page was open for too long, so access was not allowed. Enter the key again.";
  }
}

const MINUTE = 60;
const HOUR = 60 * MINUTE;

function formatWait(seconds: number | undefined): string {
  if (seconds === undefined || !Number.isFinite(seconds) || seconds <= 0) return "a minute";
  if (seconds < 2 * MINUTE) return formatCount(Math.ceil(seconds), "second");
  if (seconds < 2 * HOUR) return formatCount(Math.ceil(seconds / MINUTE), "minute");
  return formatCount(Math.ceil(seconds / HOUR), "hour");
}
