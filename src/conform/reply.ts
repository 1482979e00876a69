import { findExcess } from "../client/result-parser.ts";

/** A key as it is sent, and as a shell would write it: reports never hold the key itself. */
export interface Key {
  value: string;
  shown: string;
  /** The scheme that it is sent with: Bearer, unless another spelling is tried. */
  scheme?: string;
}

export interface Sent {
  method: string;
  url: string;
  headers: Record<string, string>;
  /** The key in the Authorization header; a scheme of its own stands in `headers`. */
  key: Key | undefined;
  body: string | undefined;
}

/** What a request brought, whatever it is. */
export interface Reply {
  sent: Sent;
  status: number;
  headers: Headers;
  text: string;
  /** The body where it is JSON of a sane depth and size, else undefined. */
  json: unknown;
}

export function readJson(text: string): unknown {
  try {
    return findExcess(text) === undefined ? JSON.parse(text) : undefined;
  } catch {
    return undefined;
  }
}

/** A member of a JSON object; undefined for whatever has none. */
export function member(value: unknown, ...path: (string | number)[]): unknown {
  return path.reduce<unknown>(
    (each, key) =>
      typeof each === "object" && each !== null && Object.hasOwn(each, key)
        ? Reflect.get(each, key)
        : undefined,
    value,
  );
}

/** The members of a JSON array; none for whatever is no array. */
export function items(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The body as text without when it was read: what must be the same when nothing has changed. */
export function withoutAsOf(reply: Reply): string {
  return JSON.stringify(reply.json, (key, value) => (key === "as_of" ? undefined : value)) ?? reply.text;
}

/** A value from the service, in one line; the report makes it short, after it looked for keys. */
export function quote(value: unknown): string {
  return JSON.stringify(value) ?? "nothing";
}

/** What came, in a few words: the status with the problem's code, the redirect's target or the kind of body. */
export function describeReply({ status, headers, json, sent }: Reply): string {
  const code = member(json, "code");
  if (typeof code === "string") return `status ${status} with the code ${quote(code)}`;
  const location = headers.get("location");
  if (status >= 300 && status < 400 && location !== null) return `status ${status} to ${quote(location)}`;
  const type = headers.get("content-type");
  if (json !== undefined || sent.method === "HEAD") return `status ${status}`;
  return `status ${status}, ${type === null ? "of no stated type" : quote(type)}`;
}

/** The request for a shell, with the keys by their variables' names. */
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

function quoteForShell(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
