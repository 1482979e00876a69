import { AnalyticsError } from "../errors.ts";
import { BASE_PATH } from "../operations/contract.ts";
import { isPlaceholder } from "./api-key.ts";
import { type Environment, readList } from "./variables.ts";

/** Turns an address as people write it into one that ends in `/api/v1`. Throws AnalyticsError `invalid_base_url`. */
export function readBaseUrl(text: string, environment: Environment): string {
  if (text.trim() === "") throw refuse("is empty");
  if (!/^https?:\/\//i.test(text.trim()) || !URL.canParse(text)) throw refuseForm(text.trim());
  const url = new URL(text);
  if (url.username !== "" || url.password !== "") throw refuse("must not contain a user name or password");
  if (url.search !== "" || url.hash !== "") throw refuse("must not contain a query or a fragment");
  const plainHosts = readList(environment.ANALYTICS_ALLOW_HTTP);
  if (url.protocol === "http:" && !isLoopback(url.hostname) && !plainHosts.includes(url.hostname)) {
    throw new AnalyticsError(
      "invalid_base_url",
      `The base URL would send the key over plain http to ${url.hostname}, and anyone on the network could read it.`,
      { hint: `Use https, or allow this host: ANALYTICS_ALLOW_HTTP=${url.hostname}` },
    );
  }
  const path = url.pathname.replace(/\/+$/, "");
  return `${url.origin}${path.endsWith(BASE_PATH) ? path : `${path}${BASE_PATH}`}`;
}

const refuse = (reason: string, hint = "Example: https://stats.example.com, with or without /api/v1.") =>
  new AnalyticsError("invalid_base_url", `The base URL ${reason}.`, { hint });

/** A host, or a name with a port. Anything else may be a key in the wrong place, so no message repeats it. */
const HOST =
  /^(?:(?:[a-z0-9-]{1,63}\.)+[a-z0-9-]{1,24}(?::\d{1,5})?|[a-z0-9-]{1,63}:\d{1,5}|localhost)(?=\/|$)/i;
const LONGEST_HOST = 60;

function refuseForm(text: string): AnalyticsError {
  const [host = ""] = HOST.exec(text) ?? [];
  if (host !== "" && host.length <= LONGEST_HOST) {
    const scheme = isLoopback(host.replace(/:\d+$/, "")) ? "http" : "https";
    return refuse(`"${host}" must start with http:// or https://`, `Write ${scheme}://${host}`);
  }
  if (isPlaceholder(text) || /<[^<>]*>/.test(text)) return refuse("is a placeholder, not an address");
  return refuse("is not an http or https address: it must start with https://");
}

export function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127(\.\d{1,3}){3}$/.test(hostname);
}
