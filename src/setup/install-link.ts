import type { Members } from "./server-spec.ts";

/** A configuration as install links carry it: base64 of its JSON, safe in a query. */
export function encodeBase64(entry: Members): string {
  return encodeURIComponent(Buffer.from(JSON.stringify(entry)).toString("base64"));
}
