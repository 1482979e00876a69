import { AnalyticsError } from "../errors.ts";
import { BASE_PATH } from "../operations/index.ts";

/** The process's environment, or what a test says it is. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** What the command line may say; it goes before the environment. */
export interface Flags {
  baseUrl?: string | undefined;
  demo?: boolean | undefined;
}

export interface Access {
  /** Ends in `/api/v1`. */
  baseUrl: string;
  apiKey: string;
}

/**
 * Where the service is and with which key it is asked. Throws AnalyticsError `no_api_key`, `invalid_api_key`,
 * `no_base_url` or `invalid_base_url`; no message repeats the key.
 */
export function readAccess(flags: Flags, environment: Environment): Access {
  const apiKey = readApiKey(environment);
  return { apiKey, baseUrl: readServiceUrl(flags, environment) };
}

/** Where the service is: ends in `/api/v1`. Throws AnalyticsError `no_base_url` or `invalid_base_url`. */
export function readServiceUrl(flags: Flags, environment: Environment): string {
  const given = flags.baseUrl ?? readSetting(environment, "ANALYTICS_BASE_URL");
  if (given === undefined) {
    refuseUnexpanded(environment, "ANALYTICS_BASE_URL", "no_base_url");
    throw new AnalyticsError("no_base_url", "There is no address of a service to ask.", {
      hint: "Set ANALYTICS_BASE_URL (or --base-url) to your analytics service, such as https://stats.example.com.",
    });
  }
  return readBaseUrl(given, readList(environment.ANALYTICS_ALLOW_HTTP));
}

function readApiKey(environment: Environment): string {
  const apiKey = readSetting(environment, "ANALYTICS_API_KEY");
  if (apiKey === undefined) {
    refuseUnexpanded(environment, "ANALYTICS_API_KEY", "no_api_key");
    throw new AnalyticsError("no_api_key", "There is no API key.", {
      hint: "Create a key in your analytics dashboard under API keys and set it as ANALYTICS_API_KEY where this program is started (in your client's MCP settings: env). To try without a key, add --demo.",
    });
  }
  if (/[^\x21-\x7e]|^["'].*["']$/.test(apiKey)) {
    throw new AnalyticsError("invalid_api_key", "ANALYTICS_API_KEY holds characters that no key has.", {
      hint: "Copy the key again, alone: without quotation marks, spaces and the word Bearer.",
    });
  }
  return apiKey;
}

/** A variable's value; empty, and a `${NAME}` that a client left unexpanded, count as not set. */
function readSetting(environment: Environment, name: string): string | undefined {
  const value = environment[name]?.trim();
  return value === undefined || value === "" || isUnexpanded(value) ? undefined : value;
}

function refuseUnexpanded(environment: Environment, name: string, code: "no_api_key" | "no_base_url"): void {
  if (!isUnexpanded(environment[name] ?? "")) return;
  throw new AnalyticsError(code, `${name} holds the unexpanded name of a variable in place of a value.`, {
    hint: "The client did not fill it in: write the value itself. To try without a service, use --demo.",
  });
}

function isUnexpanded(value: string): boolean {
  return /^\s*\$\{[^{}]*\}\s*$/.test(value);
}

function readList(text: string | undefined): string[] {
  return (text ?? "").split(",").map((each) => each.trim().toLowerCase());
}

function readBaseUrl(text: string, plainHosts: string[]): string {
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

const DEFAULT_CALLS_PER_MINUTE = 300;

/** How many calls of tools are answered in a minute. Throws AnalyticsError `usage` for what is no such number. */
export function readCallsPerMinute(environment: Environment): number {
  const text = readSetting(environment, "ANALYTICS_CALLS_PER_MINUTE");
  if (text === undefined) return DEFAULT_CALLS_PER_MINUTE;
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new AnalyticsError("usage", "ANALYTICS_CALLS_PER_MINUTE is not a whole number from 1 up.", {
    hint: `Leave it out for ${DEFAULT_CALLS_PER_MINUTE}.`,
  });
}

export interface Proxies {
  httpProxy: string | undefined;
  httpsProxy: string | undefined;
  noProxy: string | undefined;
}

/**
 * The proxies for a base URL: the lower-case variable first, as curl has it; none for this machine, since over
 * plain http a proxy would see the key. Throws AnalyticsError `proxy` for what is no address.
 */
export function readProxies(environment: Environment, baseUrl: string): Proxies {
  const read = (name: string) => {
    const value = (environment[name.toLowerCase()] ?? environment[name])?.trim();
    return value === "" ? undefined : value;
  };
  if (isLoopback(new URL(baseUrl).hostname)) {
    return { httpProxy: undefined, httpsProxy: undefined, noProxy: undefined };
  }
  return {
    httpProxy: readProxy("HTTP_PROXY", read("HTTP_PROXY")),
    httpsProxy: readProxy("HTTPS_PROXY", read("HTTPS_PROXY")),
    noProxy: read("NO_PROXY"),
  };
}

/** `proxy.example:3128` without a scheme is as common as with one. */
function readProxy(name: string, value: string | undefined): string | undefined {
  if (value === undefined) return undefined;
  const address = value.includes("://") ? value : `http://${value}`;
  if (/^https?:\/\//i.test(address) && URL.canParse(address)) return address;
  throw new AnalyticsError("proxy", `${name} is not the address of an http proxy.`, {
    hint: "It looks like http://proxy.example:3128.",
  });
}
