import { join } from "node:path";
import { AnalyticsError } from "../errors.ts";
import { type Environment, isLoopback } from "./service-url.ts";

/** How much `serve` tells in its log; each level says what those behind it say. */
export const logLevels = ["debug", "info", "warn", "error"] as const;
export type LogLevel = (typeof logLevels)[number];

/** The options of `serve` as the command line gives them; what is absent comes from the environment. */
export interface ServeFlags {
  host?: string | undefined;
  port?: string | undefined;
  publicUrl?: string | undefined;
  store?: string | undefined;
  secretFile?: string | undefined;
  trustProxy?: boolean | undefined;
  allowedOrigins?: string | undefined;
  registration?: string | undefined;
  adminListen?: string | undefined;
  drainDelay?: string | undefined;
  logLevel?: string | undefined;
}

export interface ServeSettings {
  host: string;
  port: number;
  /** An origin, without a slash behind it; absent: this machine's own. */
  publicUrl: string | undefined;
  store: string;
  secretFile: string;
  trustProxy: boolean;
  allowedOrigins: string[];
  registration: boolean;
  adminListen: { host: string; port: number } | undefined;
  /** Milliseconds for which it serves on and says at `/readyz` that it is going, once it is asked to stop. */
  drainDelay: number;
  logLevel: LogLevel;
}

/** Each option's environment variable. */
export const serveVariables = {
  host: "ANALYTICS_SERVE_HOST",
  port: "ANALYTICS_SERVE_PORT",
  publicUrl: "ANALYTICS_SERVE_PUBLIC_URL",
  store: "ANALYTICS_SERVE_STORE",
  secretFile: "ANALYTICS_SERVE_SECRET_FILE",
  trustProxy: "ANALYTICS_SERVE_TRUST_PROXY",
  allowedOrigins: "ANALYTICS_SERVE_ALLOWED_ORIGINS",
  registration: "ANALYTICS_SERVE_REGISTRATION",
  adminListen: "ANALYTICS_SERVE_ADMIN_LISTEN",
  drainDelay: "ANALYTICS_SERVE_DRAIN_DELAY",
  logLevel: "ANALYTICS_SERVE_LOG_LEVEL",
} as const satisfies Record<keyof ServeFlags, string>;

const DEFAULT_PORT = "8788";
const MOST_SECONDS = 300;

/**
 * Throws AnalyticsError `usage`, which names the option.
 *
 * @param isLocal Whether the data is in this process: sign-ins are then kept in memory, unless a store is named.
 */
export function readServeSettings(
  flags: ServeFlags,
  environment: Environment,
  isLocal: boolean,
): ServeSettings {
  const read = (name: Exclude<keyof ServeFlags, "trustProxy">) => {
    const value = flags[name] ?? environment[serveVariables[name]]?.trim();
    return value === "" ? undefined : value;
  };
  const host = read("host") ?? "127.0.0.1";
  const publicUrl = readPublicUrl(read("publicUrl"));
  if (publicUrl === undefined && !isLoopback(host.includes(":") ? `[${host}]` : host)) {
    throw refuse(
      "--host",
      "makes the server reachable from other machines, so it needs --public-url, with https",
    );
  }
  const folder = readStateFolder(environment);
  const trust = environment[serveVariables.trustProxy];
  return {
    host,
    port: readPort("--port", read("port") ?? DEFAULT_PORT),
    publicUrl,
    store: read("store") ?? (isLocal ? "memory" : join(folder, "connector.db")),
    secretFile: read("secretFile") ?? join(folder, "secret"),
    trustProxy: flags.trustProxy ?? readSwitch(serveVariables.trustProxy, trust ?? "off"),
    allowedOrigins: (read("allowedOrigins") ?? "")
      .split(",")
      .map(readHostname)
      .filter((each) => each !== ""),
    registration: readSwitch("--registration", read("registration") ?? "on"),
    adminListen: readListen(read("adminListen")),
    drainDelay: readSeconds("--drain-delay", read("drainDelay") ?? "0") * 1000,
    logLevel: readLevel(read("logLevel") ?? "info"),
  };
}

function refuse(option: string, reason: string): AnalyticsError {
  return new AnalyticsError("usage", `${option} ${reason}.`, { hint: "See analytics-mcp serve --help." });
}

function readPublicUrl(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  if (!URL.canParse(text))
    throw refuse("--public-url", "is no address: it looks like https://mcp.example.com");
  const { protocol, origin, hostname, pathname, search, hash, username, password } = new URL(text);
  const isBare = pathname === "/" && `${search}${hash}${username}${password}` === "";
  if (!isBare) throw refuse("--public-url", "is an origin alone: scheme, host and port");
  const isSafe = protocol === "https:" || (protocol === "http:" && isLoopback(hostname));
  if (!isSafe) throw refuse("--public-url", "starts with https://, since tokens and keys go there");
  return origin;
}

function readPort(option: string, text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw refuse(option, "takes a whole number from 0 to 65535");
}

function readSeconds(option: string, text: string): number {
  if (/^\d{1,3}$/.test(text) && Number(text) <= MOST_SECONDS) return Number(text);
  throw refuse(option, `takes a whole number of seconds, at most ${MOST_SECONDS}`);
}

function readSwitch(option: string, text: string): boolean {
  if (text === "on" || text === "off") return text === "on";
  throw refuse(option, "is on or off");
}

function readLevel(text: string): LogLevel {
  const level = logLevels.find((each) => each === text);
  if (level === undefined) throw refuse("--log-level", `is one of ${logLevels.join(", ")}`);
  return level;
}

function readListen(text: string | undefined): ServeSettings["adminListen"] {
  if (text === undefined) return undefined;
  const [, host, port = ""] = /^(.+):(\d+)$/.exec(text) ?? [];
  if (host === undefined) throw refuse("--admin-listen", "looks like 127.0.0.1:9090");
  return { host: host.replace(/^\[|\]$/g, ""), port: readPort("--admin-listen", port) };
}

/** An origin or a host name; its port does not matter. */
function readHostname(text: string): string {
  const trimmed = text.trim();
  return URL.canParse(trimmed) && trimmed.includes("://") ? new URL(trimmed).hostname : trimmed;
}

function readStateFolder(environment: Environment): string {
  const { XDG_STATE_HOME, LOCALAPPDATA, HOME = "." } = environment;
  return join(XDG_STATE_HOME || LOCALAPPDATA || join(HOME, ".local", "state"), "analytics-mcp");
}
