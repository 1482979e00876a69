import { AnalyticsError } from "../../../../errors.ts";
import { readMember } from "../../../../member.ts";
import type { LineParser, LogFormat, LogLine, WholeLine } from "../log-line.ts";
import { findClosingQuote, unescapeLog } from "./clf.ts";
import {
  type Field,
  listMissing,
  nginxQuery,
  readApacheDirective,
  readNginxVariable,
  type Texts,
  type Variable,
} from "./described-fields.ts";
import { readTime } from "./timestamp.ts";

/** What a line consists of: variables, and texts that are in each line. */
type Part = string | Variable;
type Template = readonly Part[];

const MAX_LENGTH = 4_000;

/** Whether a text describes lines, rather than naming a format. */
export const isDescription = (text: string): boolean => /[$%{]/.test(text);

/**
 * A format as a server's configuration describes it: nginx's `log_format`, Apache's `LogFormat`, or a JSON object of nginx's
 * variables. Throws AnalyticsError `usage` for a description by which no request can be read.
 */
export function createDescribedFormat(description: string): LogFormat {
  if (description.length > MAX_LENGTH)
    throw createError(`it has more than ${MAX_LENGTH.toLocaleString("en")} characters`);
  const text = readDescription(description);
  const parse = text.startsWith("{") ? createJsonParser(text) : createTextParser(text);
  return { name: description, createParser: () => parse };
}

const createError = (why: string) =>
  new AnalyticsError("usage", `--log-format: this description cannot be used, because ${why}.`, {
    hint: 'It is what log_format (nginx) or LogFormat (Apache) says, such as \'$remote_addr - [$time_iso8601] "$request" $status "$http_user_agent"\'.',
  });

/** A description without the directive and the quotes that it has in a configuration file. */
export function readDescription(directive: string): string {
  const text = directive.trim();
  const [, nginx] = /^log_format\s+\S+\s+(?:escape=\w+\s+)?(.*?);?$/s.exec(text) ?? [];
  const [, apache] = /^LogFormat\s+("(?:[^"\\]|\\.)*")(?:\s+\S+)?$/is.exec(text) ?? [];
  const value = (nginx ?? apache ?? text).trim();
  const pieces = [...value.matchAll(/'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"/gs)];
  const isQuoted =
    pieces.length > 0 && value.replace(/'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"/gs, "").trim() === "";
  const joined = isQuoted ? pieces.map(([, single, double]) => single ?? double ?? "").join("") : value;
  const isEscaped = isQuoted || apache !== undefined || /\\["'t]/.test(joined);
  return isEscaped ? joined.replaceAll("\\t", "\t").replaceAll(/\\(["'\\])/g, "$1") : joined;
}

const NGINX = /\$is_args\$(?:args|query_string)\b|\$(?:\{(\w+)\}|(\w+))/g;
const APACHE = /%[!\d,]*[<>]?(?:\{([^}]*)\})?\^?([a-zA-Z]{1,2}|%)/g;

/** Splits a description of text into its parts. */
function readTemplate(text: string): Template {
  const isNginx = /\$\w|\$\{/.test(text);
  const parts: Part[] = [];
  let end = 0;
  for (const match of text.matchAll(isNginx ? NGINX : APACHE)) {
    const [name, first, second] = match;
    if (match.index > end) parts.push(text.slice(end, match.index));
    end = match.index + name.length;
    if (name === "%%") {
      parts.push("%");
      continue;
    }
    const variable = isNginx
      ? readNginx(name, first ?? second)
      : readApacheDirective(name, second ?? "", first);
    if (variable === undefined)
      throw createError(`${name} is a time that cannot be read: a date needs its offset (%z)`);
    parts.push(variable);
  }
  if (end < text.length) parts.push(text.slice(end));
  return joinTexts(parts);
}

const readNginx = (text: string, name: string | undefined): Variable =>
  name === undefined ? { ...nginxQuery, name: text } : readNginxVariable(name);

function joinTexts(parts: readonly Part[]): Template {
  const joined: Part[] = [];
  for (const part of parts) {
    const last = joined.at(-1);
    if (typeof part === "string" && typeof last === "string") joined.splice(-1, 1, last + part);
    else joined.push(part);
  }
  return joined;
}

const isVariable = (part: Part | undefined): part is Variable => typeof part === "object";

/** Throws if a line could not be taken apart: two variables of any length, with nothing between them. */
function assertSeparate(template: Template): void {
  for (const [index, part] of template.entries()) {
    const next = template[index + 1];
    if (isVariable(part) && isVariable(next) && next.start === undefined) {
      throw createError(`nothing stands between ${part.name} and ${next.name}`);
    }
  }
}

function assertComplete(variables: readonly Variable[]): void {
  if (variables.every(({ field }) => field === "ignored")) {
    throw createError("it has no variable of nginx ($remote_addr) or Apache (%h)");
  }
  const missing = listMissing(new Set(variables.map(({ field }) => field)));
  if (missing.length > 0) throw createError(`it lacks ${missing.join(", ")}`);
}

function createTextParser(text: string): LineParser {
  const template = readTemplate(text);
  assertSeparate(template);
  const variables = template.filter(isVariable);
  assertComplete(variables);
  const chosen = chooseVariables(variables);
  return (line) => {
    const texts: Texts = {};
    const isRead = matchTemplate(template, line, (variable, found) => {
      if (chosen.has(variable)) texts[variable.field] = unescapeLog(found);
    });
    return isRead ? buildLine(texts) : undefined;
  };
}

/** Of several variables for a field, the most exact. */
function chooseVariables(variables: readonly Variable[]): ReadonlySet<Variable> {
  const best = new Map<Field, Variable>();
  for (const variable of variables) {
    const known = best.get(variable.field);
    if (known === undefined || variable.rank < known.rank) best.set(variable.field, variable);
  }
  return new Set([...best.values()].filter(({ field }) => field !== "ignored"));
}

/** Takes a line apart, in one pass. False if it does not have the template's texts in their order. */
function matchTemplate(
  template: Template,
  line: string,
  keep: (variable: Variable, text: string) => void,
): boolean {
  let at = 0;
  for (const [index, part] of template.entries()) {
    if (!isVariable(part)) {
      if (!line.startsWith(part, at)) return false;
      at += part.length;
      continue;
    }
    const end = findEnd(part, template[index + 1], line, at);
    if (end < 0) return false;
    keep(part, line.slice(at, end));
    at = end;
  }
  return true;
}

/** Where the text of a variable ends: before the next text of the template, or at the end of the line. */
function findEnd({ example }: Variable, next: Part | undefined, line: string, from: number): number {
  if (next === undefined) return line.length;
  // What begins with a slash or a question mark ends what stands before it; a line may go on without a query.
  if (isVariable(next)) return findStart(next, line, from);
  if (next.startsWith('"')) return findQuote(next, line, from);
  let end = line.indexOf(next, from);
  // A time has spaces and colons of its own.
  for (let within = countWithin(example, next); within > 0 && end >= 0; within--)
    end = line.indexOf(next, end + 1);
  return end;
}

function findStart({ start = "/" }: Variable, line: string, from: number): number {
  const at = line.indexOf(start, from);
  if (start === "/") return at;
  const end = line.slice(from).search(/[\s"|;,]/);
  const limit = end < 0 ? line.length : from + end;
  return at >= 0 && at < limit ? at : limit;
}

/** The next text of the template that begins with a quote which no backslash escapes. */
function findQuote(text: string, line: string, from: number): number {
  let at = findClosingQuote(line, from);
  while (at >= 0 && !line.startsWith(text, at)) at = findClosingQuote(line, at + 1);
  return at;
}

const countWithin = (example: string | undefined, text: string): number =>
  example === undefined ? 0 : example.split(text).length - 1;

/** Builds a line from its texts; undefined if its time or status cannot be read. */
function buildLine(texts: Texts): LogLine | undefined {
  const time = readTime(texts.time?.replace(/^\[(.*)\]$/, "$1"));
  const status = Number(texts.status);
  const { address = "" } = texts;
  if (Number.isNaN(time) || !/^\S+$/.test(address) || !/^\d{3}$/.test(texts.status ?? "")) return undefined;
  return {
    ...readRequest(texts),
    time,
    address,
    status,
    host: dropDash(texts.host),
    forwarded: dropDash(texts.forwarded),
    referrer: readHeader(texts.referrer),
    agent: readHeader(texts.agent),
    language: readHeader(texts.language),
    contentType: dropDash(texts.contentType),
    purpose: dropDash(texts.purpose),
  } satisfies WholeLine;
}

/** Method, target and protocol: longer than `boundLine` leaves a target. */
const MAX_REQUEST_LENGTH = 9_000;

function readRequest({ request, method, target, query }: Texts): Pick<LogLine, "method" | "target"> {
  if (request !== undefined) {
    const text = request.slice(0, MAX_REQUEST_LENGTH);
    const [, verb = "", path = text] = /^([A-Z_-]{3,20}) (.*?)(?: HTTP\/\S*)?$/.exec(text) ?? [];
    return { method: verb, target: path };
  }
  const path = target ?? "";
  const parameters = dropDash(query)?.replace(/^\?/, "");
  const isApart = parameters !== undefined && parameters !== "" && !path.includes("?");
  return { method: dropDash(method) ?? "", target: isApart ? `${path}?${parameters}` : path };
}

const dropDash = (text: string | undefined) => (text === "-" || text === "" ? undefined : text);
/** Empty if the request had none. */
const readHeader = (text: string | undefined) => (text === "-" ? "" : text);

/** A value of a JSON object: where it stands, and what its text consists of. */
interface Leaf {
  path: readonly string[];
  template: Template;
}

function createJsonParser(text: string): LineParser {
  const leaves = listLeaves(readJson(text));
  const variables = leaves.flatMap(({ template }) => template.filter(isVariable));
  assertComplete(variables);
  const chosen = chooseVariables(variables);
  const used = leaves.filter(({ template }) => template.some((part) => isVariable(part) && chosen.has(part)));
  for (const { template } of used) assertSeparate(template);
  return (line) => {
    const entry = parseObject(line);
    if (entry === undefined) return undefined;
    const texts: Texts = {};
    for (const { path, template } of used) {
      const value = path.reduce<unknown>(readMember, entry);
      if (typeof value !== "string" && typeof value !== "number") continue;
      matchTemplate(template, String(value), (variable, found) => {
        if (chosen.has(variable)) texts[variable.field] = found;
      });
    }
    return buildLine(texts);
  };
}

/** nginx writes numbers without quotes: `"status":$status`. */
function readJson(text: string): unknown {
  try {
    return JSON.parse(text.replaceAll(/([:[,]\s*)(\$\w+|\$\{\w+\}|%[^\s",}\]]+)/g, '$1"$2"'));
  } catch {
    throw createError("it begins with a brace, but is no JSON object");
  }
}

function listLeaves(value: unknown, path: readonly string[] = []): Leaf[] {
  if (typeof value === "string") return [{ path, template: readTemplate(value) }];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, each]) => listLeaves(each, [...path, key]));
}

/** Reads a line as JSON. Without `escape=json`, nginx writes `\x22` in place of a quote. */
function parseObject(line: string): object | undefined {
  if (!line.startsWith("{")) return undefined;
  try {
    return JSON.parse(line.includes("\\x") ? line.replace(/(?:\\x[\da-f]{2})+/gi, escapeAsJson) : line);
  } catch {
    return undefined;
  }
}

const escapeAsJson = (bytes: string) => JSON.stringify(unescapeLog(bytes)).slice(1, -1);
