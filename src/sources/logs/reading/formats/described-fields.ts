import { readMember } from "../../../../member.ts";
import type { LogLine } from "../log-line.ts";
import { readTime } from "./timestamp.ts";

/** A field of a line that a description can name; `ignored` for everything else that servers write. */
export type Field = keyof LogLine | "request" | "query" | "ignored";

/** What stands in one place of a line. */
export interface Variable {
  /** As the description writes it. */
  name: string;
  field: Field;
  /** Of several variables for one field, the one with the least counts. */
  rank: number;
  /** For a time: an example, whose spaces and colons do not end it. */
  example?: string;
  /** What the text begins with, where nothing stands before it. */
  start?: "/" | "?";
}

const HEADERS: Readonly<Record<string, Field>> = {
  host: "host",
  referer: "referrer",
  "user-agent": "agent",
  "accept-language": "language",
  "x-forwarded-for": "forwarded",
  "sec-purpose": "purpose",
  purpose: "purpose",
  "x-real-ip": "address",
  "cf-connecting-ip": "address",
  "true-client-ip": "address",
};

const CLF_TIME = "21/Nov/2026:05:05:10 +0100";

/** nginx's variables (nginx.org, "Alphabetical index of variables"), in order of preference for each field. */
const NGINX: Readonly<Record<string, Omit<Variable, "name" | "rank">>> = {
  remote_addr: { field: "address" },
  msec: { field: "time", example: "1795233910.000" },
  time_iso8601: { field: "time", example: "2026-11-21T05:05:10+01:00" },
  time_local: { field: "time", example: CLF_TIME },
  request: { field: "request" },
  request_method: { field: "method" },
  request_uri: { field: "target", start: "/" },
  uri: { field: "target", start: "/" },
  document_uri: { field: "target", start: "/" },
  args: { field: "query" },
  query_string: { field: "query" },
  status: { field: "status" },
  http_host: { field: "host" },
  host: { field: "host" },
  server_name: { field: "host" },
  proxy_add_x_forwarded_for: { field: "forwarded" },
  sent_http_content_type: { field: "contentType" },
  upstream_http_content_type: { field: "contentType" },
};
const NGINX_NAMES = Object.keys(NGINX);

/** The variable of nginx by its name, without the dollar sign. */
export function readNginxVariable(name: string): Variable {
  const known = readMember(NGINX, name);
  if (known !== undefined) return { name: `$${name}`, rank: NGINX_NAMES.indexOf(name), ...known };
  const header = /^http_(.*)$/.exec(name)?.[1]?.replaceAll("_", "-") ?? "";
  return { name: `$${name}`, field: readHeader(header), rank: NGINX_NAMES.length };
}

/** The path and the query together: `?a=b`, or nothing. */
export const nginxQuery: Variable = { name: "$is_args$args", field: "query", rank: 0, start: "?" };

const readHeader = (name: string): Field => {
  const known = name.toLowerCase();
  return readMember(HEADERS, known) ?? "ignored";
};

/** The directives of Apache (httpd.apache.org, mod_log_config). */
const APACHE: Readonly<Record<string, Omit<Variable, "name" | "rank">>> = {
  a: { field: "address" },
  h: { field: "address" },
  r: { field: "request" },
  m: { field: "method" },
  U: { field: "target", start: "/" },
  q: { field: "query", start: "?" },
  s: { field: "status" },
  t: { field: "time", example: `[${CLF_TIME}]` },
  v: { field: "host" },
  V: { field: "host" },
};
const APACHE_NAMES = Object.keys(APACHE);

/**
 * The directive of Apache by its letter and what stands in braces. Undefined for a time that cannot be read: without an offset, it
 * depends on the server's timezone.
 */
export function readApacheDirective(name: string, letter: string, argument?: string): Variable | undefined {
  if (letter === "i") return { name, field: readHeader(argument ?? ""), rank: APACHE_NAMES.length };
  if (letter === "o" && argument?.toLowerCase() === "content-type")
    return { name, field: "contentType", rank: 0 };
  if (letter === "t" && argument !== undefined) {
    const example = formatTime(argument);
    return example === undefined ? undefined : { name, field: "time", rank: 0, example };
  }
  const known = readMember(APACHE, letter);
  // %{c}a is the peer, which %a is not behind a proxy.
  if (known === undefined) return { name, field: "ignored", rank: 0 };
  return { name, rank: APACHE_NAMES.indexOf(letter), ...known };
}

/** What strftime writes for each letter, where `readTime` can read the result. */
const STRFTIME: Readonly<Record<string, string>> = {
  ...{
    Y: "2026",
    m: "11",
    d: "21",
    H: "05",
    M: "05",
    S: "10",
    z: "+0100",
    b: "Nov",
    F: "2026-11-21",
    T: "05:05:10",
  },
  "%": "%",
};

/** An example of a time in a format of strftime, or in one of Apache's own words; undefined if it cannot be read. */
function formatTime(format: string): string | undefined {
  const words = format.replace(/^(?:begin|end):/, "");
  if (words === "sec") return "1795233910";
  if (words === "msec") return "1795233910000";
  if (words === "usec") return "1795233910000000";
  if (!words.includes("%z")) return undefined;
  let isKnown = true;
  const text = words.replaceAll(/%(.)/g, (_, letter: string) => {
    isKnown &&= Object.hasOwn(STRFTIME, letter);
    return readMember(STRFTIME, letter) ?? "";
  });
  return isKnown && !Number.isNaN(readTime(text)) ? text : undefined;
}

/** What a description of a line must have: the names of what is missing, for people. */
export function listMissing(fields: ReadonlySet<Field>): string[] {
  const hasRequest = fields.has("request") || (fields.has("method") && fields.has("target"));
  return [
    ...(fields.has("address") ? [] : ["the address ($remote_addr, %h)"]),
    ...(fields.has("time") ? [] : ["the time ($time_local, $time_iso8601, %t)"]),
    ...(hasRequest ? [] : ["the request ($request, %r)"]),
    ...(fields.has("status") ? [] : ["the status ($status, %>s)"]),
  ];
}

/** Texts by the fields that they are of. */
export type Texts = Partial<Record<Field, string>>;
