import { AnalyticsError, quote } from "../errors.ts";
import { BASE_PATH } from "../operations/contract.ts";
import { isPlaceholder } from "./api-key.ts";
import type { ServiceName } from "./services.ts";
import { type Environment, readList } from "./variables.ts";

/**
 * Turns an address as people write it into one that ends in `/api/v1`, or in no slash for a service with an API of its
 * own. Throws AnalyticsError `invalid_base_url`.
 *
 * @param source Where the address was given, as the subject of a message: `--base-url`.
 */
export function readBaseUrl(
  text: string,
  environment: Environment,
  source = "The base URL",
  service?: ServiceName,
): string {
  const createError = (
    reason: string,
    hint = service === undefined
      ? "Example: https://stats.example.com, with or without /api/v1."
      : "Example: https://stats.example.com",
  ) => new AnalyticsError("invalid_base_url", `${source} ${reason}.`, { hint });
  if (text.trim() === "") throw createError("is empty");
  if (!/^https?:\/\//i.test(text.trim()) || !URL.canParse(text))
    throw createError(...explainForm(text.trim(), source));
  const url = new URL(text);
  if (url.username !== "" || url.password !== "")
    throw createError("must not contain a user name or password");
  if (url.search !== "" || url.hash !== "") throw createError("must not contain a query or a fragment");
  if (!maySendSecrets(url, environment)) {
    throw createError(
      `would send the key over plain http to ${url.hostname}, and anyone on the network could read it`,
      `Use https, or allow this host: ANALYTICS_ALLOW_HTTP=${url.hostname}`,
    );
  }
  const path = url.pathname.replace(/\/+$/, "");
  if (service !== undefined) return `${url.origin}${path.replace(/\/index\.php$/, "")}`;
  const base = path.replace(CALLED, "");
  return `${url.origin}${base.endsWith(BASE_PATH) ? base : `${base}${BASE_PATH}`}`;
}

/** What follows in the address of a call that works, which people copy: the paths of the operations. */
const CALLED =
  /(?<=\/api\/v1)\/(?:sites|stats|timeseries|breakdown|crawlers|not-found|realtime|openapi\.json)$/;

/** Whether an address may be sent a key or a password: over plain http only this machine, and hosts that were allowed by name. */
export function maySendSecrets({ protocol, hostname }: URL, environment: Environment): boolean {
  if (protocol !== "http:" || isLoopback(hostname)) return true;
  return readList(environment.ANALYTICS_ALLOW_HTTP).includes(hostname);
}

/** Puts `https://` before a host without a scheme, `http://` for this machine. Returns other text as it is. */
export function completeAddress(text: string): string {
  const trimmed = text.trim();
  const host = findHost(trimmed);
  return host === undefined ? trimmed : `${chooseScheme(host)}://${trimmed}`;
}

/** A host, or a name with a port. Anything else may be a key in the wrong place, so no message repeats it. */
const HOST =
  /^(?:(?:[a-z0-9-]{1,63}\.)+[a-z0-9-]{1,24}(?::\d{1,5})?|[a-z0-9-]{1,63}:\d{1,5}|localhost|\[::1\](?::\d{1,5})?)(?=\/|$)/i;
const MAX_HOST_LENGTH = 60;

function findHost(text: string): string | undefined {
  const [host = ""] = HOST.exec(text) ?? [];
  return host !== "" && host.length <= MAX_HOST_LENGTH ? host : undefined;
}

const chooseScheme = (host: string) => (isLoopback(host.replace(/:\d+$/, "")) ? "http" : "https");

/** What is wrong with a text that is no address with a scheme, and what to do. */
function explainForm(text: string, source: string): [reason: string, hint?: string] {
  const host = findHost(text);
  if (host !== undefined) {
    const option = source.startsWith("--") ? `${source} ` : "";
    return [
      `${quote(host)} must start with https:// or http://`,
      `Write ${option}${chooseScheme(host)}://${host}`,
    ];
  }
  if (isPlaceholder(text) || /<[^<>]*>/.test(text)) return ["is a placeholder, not an address"];
  return [text.includes("://") ? "must start with https://" : "is not an address"];
}

export const isLoopback = (hostname: string): boolean =>
  hostname === "localhost" || hostname === "[::1]" || /^127(\.\d{1,3}){3}$/.test(hostname);
