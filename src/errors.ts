/**
 * Every error code: first those of the contract (the `code` member of an RFC 9457 problem document), then those
 * of this program. The list is closed, so that each surface can translate it with an exhaustive switch.
 */
export const errorCodes = [
  "missing_parameter",
  "invalid_parameter",
  "unknown_parameter",
  "missing_api_key",
  "invalid_api_key",
  "site_not_found",
  "not_found",
  "method_not_allowed",
  "rate_limited",
  "internal_error",
  "unavailable",

  "usage",
  "no_api_key",
  "no_base_url",
  "invalid_base_url",
  "unreachable",
  "timeout",
  "tls",
  "proxy",
  "redirected",
  "bad_answer",
  "too_large",
  "cancelled",
  "unhealthy",
] as const;

export type ErrorCode = (typeof errorCodes)[number];

/** A refused parameter, as in the contract's `errors` member. For text, the bounds are lengths. */
export interface ParameterError {
  parameter: string;
  detail: string;
  allowed?: string[] | undefined;
  minimum?: number | undefined;
  maximum?: number | undefined;
}

/** How many requests a service allows in a window of time. */
export interface Quota {
  requests: number;
  /** Length of the window; absent if the service does not say. */
  seconds?: number;
}

/** A query to ask next, and why: "To compare the last 7 days with the 7 before". */
export interface NextQuestion {
  readonly why: string;
  /** Absent if it is the same query. */
  readonly name?: string;
  /** Those that differ from what was asked; of another query, those beside the site and the filter. */
  readonly params: Readonly<Record<string, unknown>>;
}

export interface AnalyticsErrorOptions {
  hint?: string | undefined;
  /** What can be asked instead: each reader gets it as a command, or as the call of a tool. */
  next?: readonly NextQuestion[] | undefined;
  status?: number | undefined;
  quota?: Quota | undefined;
  parameters?: ParameterError[] | undefined;
  cause?: unknown;
}

/**
 * An expected failure: a stable `code`, a message that says what happened, and a hint that says what to do next.
 * `status` is the HTTP status, if a response came. Neither text ever contains a key or a URL's query.
 */
export class AnalyticsError extends Error {
  override readonly name = "AnalyticsError";
  readonly code: ErrorCode;
  readonly hint: string | undefined;
  readonly next: readonly NextQuestion[];
  readonly status: number | undefined;
  /** Of `rate_limited`, if the service says it. */
  readonly quota: Quota | undefined;
  readonly parameters: ParameterError[];

  constructor(code: ErrorCode, message: string, options: AnalyticsErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.hint = options.hint;
    this.next = options.next ?? [];
    this.status = options.status;
    this.quota = options.quota;
    this.parameters = options.parameters ?? [];
  }
}

/**
 * The error on a parameter of a query.
 *
 * @param detail What follows the parameter's name, without a full stop: `is unknown`.
 */
export function createParameterError(
  parameter: string,
  detail: string,
  {
    code = "invalid_parameter",
    allowed,
    range,
    ...options
  }: AnalyticsErrorOptions & {
    code?: ErrorCode;
    allowed?: readonly string[] | undefined;
    range?: { minimum: number; maximum: number };
  } = {},
): AnalyticsError {
  const refused = { parameter, detail, ...(allowed && { allowed: [...allowed] }), ...range };
  return new AnalyticsError(code, `${parameter} ${detail}.`, {
    status: 400,
    parameters: [refused],
    ...options,
  });
}

/**
 * The error on an option that took the next option for its value, as in `--site --days 7`.
 *
 * @param placeholder Of the value, such as `<site>`.
 * @param option The next one. What follows its name, which may be a key, is left out.
 */
export function createSwallowedError(flag: string, placeholder: string, option: string): AnalyticsError {
  const name = option.replace(/[=].*/s, "");
  return new AnalyticsError("usage", `${flag} needs a value, but the option ${name} follows.`, {
    hint: `Write ${flag} ${placeholder} ${name} …`,
  });
}

/** The code of any error, such as `ENOENT` of Node's; undefined if it has none. */
export function readErrorCode(error: unknown): string | undefined {
  const { code }: { code?: unknown } = Object(error);
  return typeof code === "string" ? code : undefined;
}

/** The code of an error or of its cause, else its class, for a log: messages may contain addresses. */
export function nameFailure(error: unknown): string {
  const { cause, name } = Object(error);
  return readErrorCode(cause) ?? readErrorCode(error) ?? String(name);
}

/**
 * Characters that are invisible or change how text is shown: controls (C0, DEL, C1), line and paragraph separators,
 * bidirectional marks, zero-width and other format characters, lone surrogates, and the tag characters that can smuggle
 * text to a model. Variation selectors and the zero-width joiner of emoji are among them: removing them may change a
 * glyph, but not the meaning.
 */
export const INVISIBLE =
  /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\u115f\u1160\u3164\uffa0]|[\ufe00-\ufe0f]|[\u{e0100}-\u{e01ef}]/gu;

/** Escapes every invisible character of JSON but its line breaks. */
export const escapeInvisible = (json: string): string =>
  json.replace(INVISIBLE, (character) =>
    character === "\n" ? character : character.split("").map(escapeUnit).join(""),
  );

const escapeUnit = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;

interface QuoteOptions {
  /** Of a text, between its marks. */
  maxLength?: number;
  /** The single one is for texts that are full of the other, such as lines of logs. */
  mark?: '"' | "'";
}

/**
 * Quotes a value for a sentence, on one line, as JSON. Strangers choose such texts (paths, referrers, names): no invisible
 * character, and no quotation mark but the last, which is the end of the text. */
export function quote(
  value: unknown,
  { maxLength = Number.POSITIVE_INFINITY, mark = '"' }: QuoteOptions = {},
): string {
  if (typeof value !== "string") return escapeInvisible(JSON.stringify(value) ?? "nothing");
  const json = JSON.stringify(value.slice(0, maxLength)).slice(1, -1);
  const shown = json.replaceAll('\\"', '"').replaceAll(mark, escapeUnit(mark));
  const text = escapeInvisible(shown);
  if (value.length <= maxLength && text.length <= maxLength) return mark + text + mark;
  // No part of an escape.
  const [start = ""] = /^(?:\\u.{4}|\\[^u]|[^\\\p{Cs}])*/u.exec(text.slice(0, maxLength - 1)) ?? [];
  return `${mark}${start}…${mark}`;
}

/** A text without spaces, and without marks at its end that a sentence could have behind it. Some of these letters are invisible. */
const WORD = /^[\p{L}\p{N}_/*-](?:[\p{L}\p{M}\p{N}\\_.~%+:/=!*|-]*[\p{L}\p{M}\p{N}\\_/*=-])?$/u;
const MAX_NAME = 200;

/** Quotes a name (of a site, of a filter) for a sentence, unless it is a word, which cannot be taken for more of the sentence. */
export const quoteIfNeeded = (name: string): string =>
  name.length <= MAX_NAME && WORD.test(name) && name.search(INVISIBLE) === -1
    ? name
    : quote(name, { maxLength: MAX_NAME });

/**
 * Quotes a command-line word for a message. A word that looks like an option is left out: given in place of a value
 * (`--profile --api-key=…`), it may contain a key. A negative number does not.
 */
export function quoteWord(word: string, options?: QuoteOptions): string {
  const isHidden = /^-./.test(word) && !/^-\d{1,9}$/.test(word);
  return quote(isHidden ? "-…" : word, options);
}

/** Quotes a path as it was given: the backslashes of Windows are not doubled. */
export const quotePath = (path: string): string => quoteWord(path).replaceAll("\\\\", "\\");
