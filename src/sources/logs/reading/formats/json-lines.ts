import { readMember } from "../../../../member.ts";
import type { KnownFormat, LineParser, LogLine, WholeLine } from "../log-line.ts";
import type { Field } from "./described-fields.ts";
import { readTime } from "./timestamp.ts";

/**
 * One JSON object per line: Caddy's, Traefik's, and those that people define for nginx, whose names for fields are usually
 * nginx's own variables.
 */
export const jsonLines: KnownFormat = {
  name: "json",
  title: "JSON lines (Caddy, nginx, Traefik)",
  createParser: () => parseJsonLine,
};

type Fields = Record<string, unknown>;

const parseJsonLine: LineParser = (line) => {
  if (!line.startsWith("{")) return undefined;
  let entry: Fields;
  try {
    entry = JSON.parse(line);
  } catch {
    return undefined;
  }
  return isObject(entry.request) ? readCaddy(entry, entry.request) : readFlat(entry);
};

/** Caddy's access log (caddyserver.com/docs/logging). Its other lines are about the server itself. */
function readCaddy(entry: Fields, request: Fields): LogLine | "comment" | undefined {
  if (entry.status === undefined) return "comment";
  const headers = isObject(request.headers) ? request.headers : {};
  const answer = isObject(entry.resp_headers) ? entry.resp_headers : {};
  return complete({
    time: readTime(entry.ts),
    // The client's address as Caddy determined it, else the peer's.
    address: readText(request.client_ip) ?? readText(request.remote_ip) ?? readText(request.remote_addr),
    forwarded: readHeader(headers, "X-Forwarded-For"),
    host: readText(request.host),
    method: readText(request.method),
    target: readText(request.uri),
    status: Number(entry.status),
    referrer: readHeader(headers, "Referer") ?? "",
    agent: readHeader(headers, "User-Agent") ?? "",
    language: readHeader(headers, "Accept-Language"),
    contentType: readHeader(answer, "Content-Type"),
    purpose: readHeader(headers, "Sec-Purpose") ?? readHeader(headers, "Purpose"),
  });
}

/** The names of each field, the most exact first. */
const NAMES: Readonly<Record<Exclude<Field, "ignored">, readonly string[]>> = {
  time: ["msec", "time_iso8601", "StartUTC", "@timestamp", "timestamp", "time_local", "time", "ts", "date"],
  address: ["remote_addr", "ClientHost", "client_ip", "remote_ip", "clientip", "client", "ip", "ClientAddr"],
  forwarded: ["http_x_forwarded_for", "x_forwarded_for", "xff", "request_X-Forwarded-For", "forwarded_for"],
  host: ["host", "http_host", "RequestHost", "vhost", "server_name", "hostname", "domain", "request_host"],
  method: ["request_method", "RequestMethod", "method", "verb"],
  target: ["request_uri", "RequestPath", "uri", "path", "url"],
  query: ["args", "query_string", "query"],
  status: ["status", "DownstreamStatus", "response_status", "status_code", "code", "OriginStatus"],
  request: ["request"],
  referrer: ["http_referer", "http_referrer", "request_Referer", "referer", "referrer"],
  agent: ["http_user_agent", "request_User-Agent", "user_agent", "userAgent", "agent", "useragent"],
  language: ["http_accept_language", "accept_language", "request_Accept-Language"],
  contentType: ["sent_http_content_type", "content_type", "downstream_Content-Type", "origin_Content-Type"],
  purpose: ["http_sec_purpose", "http_purpose", "request_Sec-Purpose"],
};

function readFlat(entry: Fields): LogLine | "comment" | undefined {
  const find = (field: keyof typeof NAMES) => {
    for (const name of NAMES[field]) {
      const value = readMember(entry, name);
      if (value !== undefined && value !== null) return value;
    }
    return undefined;
  };
  const text = (field: keyof typeof NAMES) => readText(find(field));
  const status = find("status");
  if (status === undefined) return undefined;
  const request = text("request")?.slice(0, MAX_REQUEST_LENGTH);
  const [, method, target] = /^(\S+) (.*?)(?: HTTP\/\S*)?$/.exec(request ?? "") ?? [];
  const path = text("target") ?? target;
  const query = text("query");
  return complete({
    time: readTime(find("time")),
    address: text("address"),
    forwarded: dropDash(text("forwarded")),
    host: dropDash(text("host")),
    method: text("method") ?? method ?? (request === undefined ? undefined : ""),
    // nginx's `uri` has no query: that is in `args`.
    target: path !== undefined && query && !path.includes("?") ? `${path}?${query}` : (path ?? request),
    status: Number(status),
    referrer: readOptional(text("referrer")),
    agent: readOptional(text("agent")),
    language: text("language"),
    contentType: dropDash(text("contentType")),
    purpose: dropDash(text("purpose")),
  });
}

/** Method, target and protocol: longer than `boundLine` leaves a target. */
const MAX_REQUEST_LENGTH = 9_000;

const dropDash = (text: string | undefined) => (text === "-" || text === "" ? undefined : text);
const readOptional = (text: string | undefined) => (text === "-" ? "" : text);

/** A line needs a time, an address, a request and a status. */
function complete(found: WholeLine): LogLine | undefined {
  const { time, address, method, target, status } = found;
  if (time === undefined || Number.isNaN(time) || address === undefined) return undefined;
  if (method === undefined || target === undefined) return undefined;
  if (status === undefined || !Number.isInteger(status)) return undefined;
  return { ...found, time, address, method, target, status };
}

function readText(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  return typeof value === "number" ? String(value) : undefined;
}

/** The first value of a header. Caddy writes names as HTTP/1.1 usually does. */
function readHeader(headers: Fields, name: string): string | undefined {
  const value = readMember(headers, name);
  return readText(Array.isArray(value) ? value[0] : value);
}

function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
