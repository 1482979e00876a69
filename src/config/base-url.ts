import { AnalyticsError } from "../errors.ts";
import { BASE_PATH } from "../operations/index.ts";
import { type Environment, readList } from "./variables.ts";

/** An address as people give it, as one that ends in `/api/v1`. Throws AnalyticsError `invalid_base_url`. */
export function readBaseUrl(text: string, environment: Environment): string {
  const refuse = (reason: string) =>
    new AnalyticsError("invalid_base_url", `The base URL ${reason}.`, {
      hint: "It looks like https://stats.example.com, with or without /api/v1.",
    });
  if (text.trim() === "") throw refuse("is empty");
  if (!/^https?:\/\//i.test(text.trim()) || !URL.canParse(text)) {
    throw refuse("is not an http or https address: it starts with https://");
  }
  const url = new URL(text);
  if (url.username !== "" || url.password !== "") throw refuse("must not hold a user name or password");
  if (url.search !== "" || url.hash !== "") throw refuse("must not hold a query or a fragment");
  const plainHosts = readList(environment.ANALYTICS_ALLOW_HTTP);
  if (url.protocol === "http:" && !isLoopback(url.hostname) && !plainHosts.includes(url.hostname)) {
    throw new AnalyticsError(
      "invalid_base_url",
      `The base URL sends the key over plain http to ${url.hostname}, where anybody on the way can read it.`,
      { hint: `Use https, or allow it by name: ANALYTICS_ALLOW_HTTP=${url.hostname}` },
    );
  }
  const path = url.pathname.replace(/\/+$/, "");
  return `${url.origin}${path.endsWith(BASE_PATH) ? path : `${path}${BASE_PATH}`}`;
}

export function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127(\.\d{1,3}){3}$/.test(hostname);
}
