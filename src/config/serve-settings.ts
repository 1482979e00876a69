import { join } from "node:path";
import { AnalyticsError, quoteWord } from "../errors.ts";
import { isLoopback } from "./base-url.ts";
import { findStateFolder } from "./folders.ts";
import type { Environment } from "./variables.ts";

/** How much `serve` logs: each level includes those after it. */
export const logLevels = ["debug", "info", "warn", "error"] as const;
export type LogLevel = (typeof logLevels)[number];

/** Each option's environment variable. */
export const serveVariables = {
  host: "ANALYTICS_SERVE_HOST",
  port: "ANALYTICS_SERVE_PORT",
  publicUrl: "ANALYTICS_SERVE_PUBLIC_URL",
  dashboardUrl: "ANALYTICS_SERVE_DASHBOARD_URL",
  store: "ANALYTICS_SERVE_STORE",
  secretFile: "ANALYTICS_SERVE_SECRET_FILE",
  trustProxy: "ANALYTICS_SERVE_TRUST_PROXY",
  allowedOrigins: "ANALYTICS_SERVE_ALLOWED_ORIGINS",
  registration: "ANALYTICS_SERVE_REGISTRATION",
  clientDocuments: "ANALYTICS_SERVE_CLIENT_DOCUMENTS",
  adminListen: "ANALYTICS_SERVE_ADMIN_LISTEN",
  drainDelay: "ANALYTICS_SERVE_DRAIN_DELAY",
  logLevel: "ANALYTICS_SERVE_LOG_LEVEL",
} as const;

/** The option of a setting on the command line. */
export const nameOption = (setting: string) =>
  `--${setting.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

type Setting = keyof typeof serveVariables;
type TextSetting = Exclude<Setting, "trustProxy">;

/** The options of `serve` on the command line. An absent one is read from the environment. */
export type ServeFlags = { [name in TextSetting]?: string | undefined } & {
  trustProxy?: boolean | undefined;
};

const DEFAULT_PORT = 8788;
const MAX_SECONDS = 300;

/**
 * Reads the settings of `serve`. Throws AnalyticsError `usage`, which names the option.
 *
 * @param isTrial Whether the source is for trying it out. If so, sign-ins are kept in memory unless a store is named.
 */
export function readServeSettings(flags: ServeFlags, environment: Environment, isTrial: boolean) {
  const reader = createReader(flags, environment);
  const { find, nameOf, read } = reader;
  const place = (name: string) => join(readStateFolder(environment), name);

  const host = find("host") ?? "127.0.0.1";
  const publicUrl = read("publicUrl", readPublicUrl);
  if (publicUrl === undefined && !isLoopback(host.includes(":") ? `[${host}]` : host)) {
    throw createOptionError(
      `${nameOf("host")} ${quoteWord(host)}`,
      "makes the server reachable from other machines, so it needs --public-url, with https",
    );
  }
  const store = find("store") ?? (isTrial ? "memory" : place("connector.db"));
  return {
    host,
    port: read("port", readPort) ?? DEFAULT_PORT,
    /** An origin without a trailing slash; undefined if the server is only for this machine. */
    publicUrl,
    /** The web page where people create their keys. */
    dashboardUrl: read("dashboardUrl", readDashboardUrl),
    store,
    /** A store in memory needs no secret that outlives the process, so not even a folder is created. */
    secretFile: find("secretFile") ?? (store === "memory" ? undefined : place("secret")),
    trustProxy:
      flags.trustProxy ?? readSwitch(environment[serveVariables.trustProxy] ?? "off", nameOf("trustProxy")),
    allowedOrigins: (find("allowedOrigins") ?? "")
      .split(",")
      .map(readHostname)
      .filter((name) => name !== ""),
    ...readApplications(reader, isTrial && publicUrl === undefined),
    adminListen: read("adminListen", readListen),
    /** Milliseconds for which a stopping server still answers, while `/readyz` reports that it is going. */
    drainDelay: (read("drainDelay", readSeconds) ?? 0) * 1000,
    logLevel: read("logLevel", readLevel) ?? "info",
  };
}

type Reader = ReturnType<typeof createReader>;

/** Finds settings among the options, else in the environment. */
function createReader(flags: ServeFlags, environment: Environment) {
  const find = (name: TextSetting) => {
    const value = flags[name] ?? environment[serveVariables[name]]?.trim();
    return value === "" ? undefined : value;
  };
  /** The option, or the variable that was given in its place. */
  const nameOf = (name: Setting) =>
    flags[name] === undefined && environment[serveVariables[name]] ? serveVariables[name] : nameOption(name);
  const read = <T>(name: TextSetting, parse: (text: string, option: string) => T): T | undefined => {
    const text = find(name);
    return text === undefined ? undefined : parse(text, nameOf(name));
  };
  return { find, nameOf, read };
}

/** How applications may introduce themselves: by registering, or by a document that this server fetches. */
function readApplications({ read }: Reader, isLocalTrial: boolean) {
  const registration = read("registration", readSwitch) ?? true;
  // The demo needs no internet access to fetch such documents: applications can register instead.
  const clientDocuments = read("clientDocuments", readSwitch) ?? !(isLocalTrial && registration);
  if (!registration && !clientDocuments) {
    throw createOptionError(
      "--client-documents",
      "cannot be off together with --registration: no application could sign in",
    );
  }
  return { registration, clientDocuments };
}

const createOptionError = (option: string, reason: string): AnalyticsError =>
  new AnalyticsError("usage", `${option} ${reason}.`, { hint: "See analytics-mcp serve --help." });

function readPublicUrl(text: string, option: string): string {
  if (!URL.canParse(text)) throw createOptionError(option, "must be a URL such as https://mcp.example.com");
  const { protocol, origin, hostname, pathname, search, hash, username, password } = new URL(text);
  const isBare = pathname === "/" && `${search}${hash}${username}${password}` === "";
  if (!isBare) throw createOptionError(option, "must be an origin: only scheme, host and port");
  const isSafe = protocol === "https:" || (protocol === "http:" && isLoopback(hostname));
  if (!isSafe)
    throw createOptionError(option, "must start with https://, because tokens and keys are sent there");
  return origin;
}

/** Pages link to it, where `javascript:` would be run, and anyone can read it. */
function readDashboardUrl(text: string, option: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isSafe = url?.protocol === "https:" || (url?.protocol === "http:" && isLoopback(url.hostname));
  if (!url || !isSafe) throw createOptionError(option, "must be an address that starts with https://");
  if (`${url.username}${url.password}` !== "") {
    throw createOptionError(option, "must have no user name or password: everyone can see it");
  }
  return url.href;
}

function readPort(text: string, option: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw createOptionError(option, `must be a whole number from 0 to 65535, not ${quoteWord(text)}`);
}

function readSeconds(text: string, option: string): number {
  if (/^\d{1,3}$/.test(text) && Number(text) <= MAX_SECONDS) return Number(text);
  throw createOptionError(
    option,
    `must be a whole number of seconds, at most ${MAX_SECONDS}, not ${quoteWord(text)}`,
  );
}

function readSwitch(text: string, option: string): boolean {
  if (text === "on" || text === "off") return text === "on";
  throw createOptionError(option, `must be on or off, not ${quoteWord(text)}`);
}

function readLevel(text: string, option: string): LogLevel {
  const level = logLevels.find((name) => name === text);
  if (level === undefined)
    throw createOptionError(option, `must be one of ${logLevels.join(", ")}, not ${quoteWord(text)}`);
  return level;
}

function readListen(text: string, option: string): { host: string; port: number } {
  const [, host, port = ""] = /^(.+):(\d+)$/.exec(text) ?? [];
  if (host === undefined)
    throw createOptionError(option, `must look like 127.0.0.1:9090, not ${quoteWord(text)}`);
  return { host: host.replace(/^\[|\]$/g, ""), port: readPort(port, option) };
}

/** The host name of an origin, or the text itself if it is not an origin. */
function readHostname(text: string): string {
  const trimmed = text.trim();
  return URL.canParse(trimmed) && trimmed.includes("://") ? new URL(trimmed).hostname : trimmed;
}

function readStateFolder(environment: Environment): string {
  const folder = findStateFolder(environment);
  if (folder !== undefined) return folder;
  throw new AnalyticsError(
    "usage",
    "There is no folder for sign-ins: neither HOME nor XDG_STATE_HOME is set to a full path.",
    { hint: "Set one of them, or name files with --store and --secret-file." },
  );
}
