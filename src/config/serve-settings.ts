import { join } from "node:path";
import { AnalyticsError, quoteWord } from "../errors.ts";
import { isLoopback } from "./base-url.ts";
import { findStateFolder } from "./folders.ts";
import type { Environment } from "./variables.ts";

/** How much `serve` logs: each level includes those after it. */
export const logLevels = ["debug", "info", "warn", "error"] as const;
export type LogLevel = (typeof logLevels)[number];

/** The options of `serve` on the command line. An absent one is read from the environment. */
export interface ServeFlags {
  host?: string | undefined;
  port?: string | undefined;
  publicUrl?: string | undefined;
  dashboardUrl?: string | undefined;
  store?: string | undefined;
  secretFile?: string | undefined;
  trustProxy?: boolean | undefined;
  allowedOrigins?: string | undefined;
  registration?: string | undefined;
  clientDocuments?: string | undefined;
  adminListen?: string | undefined;
  drainDelay?: string | undefined;
  logLevel?: string | undefined;
}

export interface ServeSettings {
  host: string;
  port: number;
  /** An origin without a trailing slash; undefined if the server is only for this machine. */
  publicUrl: string | undefined;
  /** The web page where people create their keys. */
  dashboardUrl: string | undefined;
  store: string;
  /** Undefined if nothing that the secret protects outlives the process. */
  secretFile: string | undefined;
  trustProxy: boolean;
  allowedOrigins: string[];
  registration: boolean;
  /** Whether applications may be known by a client ID metadata document, which this server fetches. */
  clientDocuments: boolean;
  adminListen: { host: string; port: number } | undefined;
  /** Milliseconds for which a stopping server still answers, while `/readyz` reports that it is going. */
  drainDelay: number;
  logLevel: LogLevel;
}

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
} as const satisfies Record<keyof ServeFlags, string>;

type ReadSetting = (name: Exclude<keyof ServeFlags, "trustProxy">) => string | undefined;
/** The option, or the variable that was given in its place. */
type NameSetting = (option: string, name: keyof ServeFlags) => string;

const DEFAULT_PORT = "8788";
const MAX_SECONDS = 300;

/**
 * Reads the settings of `serve`. Throws AnalyticsError `usage`, which names the option.
 *
 * @param isTrial Whether the source is for trying it out. If so, sign-ins are kept in memory unless a store is named.
 */
export function readServeSettings(
  flags: ServeFlags,
  environment: Environment,
  isTrial: boolean,
): ServeSettings {
  const read: ReadSetting = (name) => {
    const value = flags[name] ?? environment[serveVariables[name]]?.trim();
    return value === "" ? undefined : value;
  };
  const nameOf: NameSetting = (option, name) =>
    flags[name] === undefined && environment[serveVariables[name]] ? serveVariables[name] : option;
  const host = read("host") ?? "127.0.0.1";
  const publicUrl = readPublicUrl(nameOf("--public-url", "publicUrl"), read("publicUrl"));
  if (publicUrl === undefined && !isLoopback(host.includes(":") ? `[${host}]` : host)) {
    throw createOptionError(
      `${nameOf("--host", "host")} ${quoteWord(host)}`,
      "makes the server reachable from other machines, so it needs --public-url, with https",
    );
  }
  const trust = environment[serveVariables.trustProxy];
  return {
    host,
    port: readPort(nameOf("--port", "port"), read("port") ?? DEFAULT_PORT),
    publicUrl,
    dashboardUrl: readDashboardUrl(read("dashboardUrl")),
    ...chooseStorage(read("store"), read("secretFile"), environment, isTrial),
    trustProxy: flags.trustProxy ?? readSwitch(serveVariables.trustProxy, trust ?? "off"),
    allowedOrigins: (read("allowedOrigins") ?? "")
      .split(",")
      .map(readHostname)
      .filter((name) => name !== ""),
    ...readApplications(read, nameOf, isTrial && publicUrl === undefined),
    adminListen: readListen(nameOf("--admin-listen", "adminListen"), read("adminListen")),
    drainDelay: readSeconds(nameOf("--drain-delay", "drainDelay"), read("drainDelay") ?? "0") * 1000,
    logLevel: readLevel(nameOf("--log-level", "logLevel"), read("logLevel") ?? "info"),
  };
}

/** How applications may introduce themselves. */
function readApplications(read: ReadSetting, nameOf: NameSetting, isLocalTrial: boolean) {
  const registration = readSwitch(nameOf("--registration", "registration"), read("registration") ?? "on");
  const clientDocuments = readSwitch(
    nameOf("--client-documents", "clientDocuments"),
    // The demo needs no internet access to fetch such documents: applications can register instead.
    read("clientDocuments") ?? (isLocalTrial && registration ? "off" : "on"),
  );
  if (registration || clientDocuments) return { registration, clientDocuments };
  throw createOptionError(
    "--client-documents",
    "cannot be off together with --registration: no application could sign in",
  );
}

/** A store in memory needs no secret that outlives the process, so not even a folder is created. */
function chooseStorage(
  namedStore: string | undefined,
  namedSecret: string | undefined,
  environment: Environment,
  isTrial: boolean,
): Pick<ServeSettings, "store" | "secretFile"> {
  const place = (name: string) => join(readStateFolder(environment), name);
  const store = namedStore ?? (isTrial ? "memory" : place("connector.db"));
  return { store, secretFile: namedSecret ?? (store === "memory" ? undefined : place("secret")) };
}

function createOptionError(option: string, reason: string): AnalyticsError {
  return new AnalyticsError("usage", `${option} ${reason}.`, { hint: "See analytics-mcp serve --help." });
}

function readPublicUrl(option: string, text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
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
function readDashboardUrl(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isSafe = url?.protocol === "https:" || (url?.protocol === "http:" && isLoopback(url.hostname));
  if (!url || !isSafe)
    throw createOptionError("--dashboard-url", "must be an address that starts with https://");
  if (`${url.username}${url.password}` !== "") {
    throw createOptionError("--dashboard-url", "must have no user name or password: everyone can see it");
  }
  return url.href;
}

function readPort(option: string, text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw createOptionError(option, `must be a whole number from 0 to 65535, not ${quoteWord(text)}`);
}

function readSeconds(option: string, text: string): number {
  if (/^\d{1,3}$/.test(text) && Number(text) <= MAX_SECONDS) return Number(text);
  throw createOptionError(
    option,
    `must be a whole number of seconds, at most ${MAX_SECONDS}, not ${quoteWord(text)}`,
  );
}

function readSwitch(option: string, text: string): boolean {
  if (text === "on" || text === "off") return text === "on";
  throw createOptionError(option, `must be on or off, not ${quoteWord(text)}`);
}

function readLevel(option: string, text: string): LogLevel {
  const level = logLevels.find((name) => name === text);
  if (level === undefined)
    throw createOptionError(option, `must be one of ${logLevels.join(", ")}, not ${quoteWord(text)}`);
  return level;
}

function readListen(option: string, text: string | undefined): ServeSettings["adminListen"] {
  if (text === undefined) return undefined;
  const [, host, port = ""] = /^(.+):(\d+)$/.exec(text) ?? [];
  if (host === undefined)
    throw createOptionError(option, `must look like 127.0.0.1:9090, not ${quoteWord(text)}`);
  return { host: host.replace(/^\[|\]$/g, ""), port: readPort(option, port) };
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
