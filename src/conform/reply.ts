import { quote } from "../errors.ts";
import { readMember } from "../member.ts";
import { quoteForShell } from "../operations/shell-command.ts";

/** A key as sent, and as a shell expression for reports, which never contain the key itself. */
export interface Key {
  value: string;
  shown: string;
  /** The spelling of the scheme to send; Bearer if omitted. */
  scheme?: string;
}

export interface Sent {
  method: string;
  url: string;
  headers: Record<string, string>;
  /** The key in the Authorization header. Other schemes are in `headers`. */
  key: Key | undefined;
  body: string | undefined;
}

export interface Reply {
  sent: Sent;
  status: number;
  headers: Headers;
  text: string;
  /** The body if it is JSON of a sane depth and size, otherwise undefined. */
  json: unknown;
}

/** A member of a JSON object; undefined for any other value. */
export const member = (value: unknown, ...path: (string | number)[]): unknown =>
  path.reduce<unknown>(readMember, value);

/** The items of a JSON array; empty for any other value. */
export const items = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

/** The body as text without `as_of`: it stays the same as long as the data does. */
export const withoutAsOf = (reply: Reply): string =>
  JSON.stringify(reply.json, (key, value) => (key === "as_of" ? undefined : value)) ?? reply.text;

/** A short description: the status with the problem's code, the redirect's target or the content type. */
export function describeReply({ status, headers, json, sent }: Reply): string {
  const code = member(json, "code");
  if (typeof code === "string") return `status ${status} with the code ${quote(code)}`;
  const location = headers.get("location");
  if (status >= 300 && status < 400 && location !== null) return `status ${status} to ${quote(location)}`;
  const type = headers.get("content-type");
  if (json !== undefined || sent.method === "HEAD") return `status ${status}`;
  return `status ${status}, ${type === null ? "without Content-Type" : quote(type)}`;
}

/** The request as a curl command, with variables in place of keys. */
export function formatCurl({ method, url, headers, key, body }: Sent): string {
  const verb = method === "HEAD" ? ["-I"] : ["-i", ...(method === "GET" ? [] : ["-X", method])];
  const authorization =
    key === undefined ? [] : ["-H", `"Authorization: ${key.scheme ?? "Bearer"} ${key.shown}"`];
  const fields = Object.entries(headers).flatMap(([name, value]) => [
    "-H",
    quoteForShell(`${name}: ${value}`),
  ]);
  const data = body === undefined ? [] : ["-X", "GET", "--data", quoteForShell(body)];
  return ["curl", "-sg", ...verb, ...authorization, ...fields, ...data, quoteForShell(url)].join(" ");
}
