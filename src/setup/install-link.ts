import type { Members } from "./server-spec.ts";

/** Encodes an entry for an install link: base64 of its JSON, escaped for a query. */
export function encodeBase64(entry: Members): string {
  return encodeURIComponent(Buffer.from(JSON.stringify(entry)).toString("base64"));
}
