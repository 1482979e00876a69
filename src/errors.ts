/**
 * What can go wrong, in the words of the contract (the first group, RFC 9457 `code` members) and of the
 * client itself (the second). The list is closed so that every surface can translate it exhaustively.
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

/** One parameter that was refused, as the contract's `errors` member lists it. */
export interface ParameterError {
  parameter: string;
  detail: string;
  allowed?: string[];
  minimum?: number;
  maximum?: number;
}

export interface AnalyticsErrorOptions {
  hint?: string | undefined;
  status?: number | undefined;
  parameters?: ParameterError[] | undefined;
  cause?: unknown;
}

/**
 * An expected failure: a stable `code`, a message that says what happened, and a `hint` that says what to do
 * next. `status` is the HTTP status where an answer came. Neither text ever holds a key or a query string.
 */
export class AnalyticsError extends Error {
  override readonly name = "AnalyticsError";
  readonly code: ErrorCode;
  readonly hint: string | undefined;
  readonly status: number | undefined;
  readonly parameters: ParameterError[];

  constructor(code: ErrorCode, message: string, options: AnalyticsErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.hint = options.hint;
    this.status = options.status;
    this.parameters = options.parameters ?? [];
  }
}

/**
 * A word of a command line, as a message may repeat it. What begins like an option is not: given in place of a value
 * (`--profile --api-key=…`) it may hold a key.
 */
export function quoteWord(word: string): string {
  return JSON.stringify(/^-./.test(word) ? "-…" : word);
}
