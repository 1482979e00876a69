import { explainConnection } from "../../client/network-failure.ts";
import { AnalyticsError, type ErrorCode, readErrorCode } from "../../errors.ts";
import { IncompleteAnswer, OversizedAnswer } from "./answer.ts";

/** An HTTP answer in place of rows. */
export class RefusedQuery extends Error {
  readonly status: number | undefined;
  /** ClickHouse's number of the error; undefined if the answer is not ClickHouse's. */
  readonly number: number | undefined;

  /** @param header Servers before version 20 have the number only in the message. */
  constructor(status: number | undefined, header: unknown, message: string) {
    super(message);
    this.status = status;
    this.number = /^\d{1,9}$/.test(String(header)) ? Number(header) : readErrorNumber(message);
  }
}

/**
 * Explains a failed query without SQL, host names, addresses and texts of the server: the message may reach an assistant, or
 * the users of a server.
 */
export function explainFailure(error: unknown): AnalyticsError {
  if (error instanceof RefusedQuery) return explainRefusal(error);
  if (error instanceof IncompleteAnswer) {
    return createError("unavailable", "ClickHouse's answer broke off.", error, "Ask again.");
  }
  if (error instanceof OversizedAnswer) {
    return createError(
      "too_large",
      "ClickHouse's answer is longer than the query allows.",
      error,
      CHECK_ADDRESS,
    );
  }
  const number = readErrorNumber(messageOf(error));
  if (number !== undefined) return explainErrorNumber(number, error);
  const system = readErrorCode(error) ?? "";
  if (/^(?:ERR_TLS|CERT|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO)|ERR_SSL/.test(system)) {
    return createError(
      "tls",
      "ClickHouse's certificate is not trusted.",
      error,
      "Name your own authority's certificate with NODE_EXTRA_CA_CERTS.",
    );
  }
  if (/^E[A-Z]|^UND_|timeout/i.test(system) || /timeout|socket hang up/i.test(messageOf(error))) {
    const message = `ClickHouse cannot be reached: ${explainConnection(error)}.`;
    return createError("unreachable", message, error, CHECK_ADDRESS);
  }
  return createUnreadableError(error);
}

/** Explains a server that takes too long. */
export const explainTimeout = (milliseconds: number, cause: unknown) =>
  createError(
    "timeout",
    `ClickHouse did not answer within ${milliseconds / 1000} seconds.`,
    cause,
    CHECK_ADDRESS,
  );

const CHECK_ADDRESS = "Check that ClickHouse runs, and the address and port in --clickhouse.";
/** What a proxy answers if it cannot reach the server behind it. */
const GATEWAY_STATUSES: readonly unknown[] = [502, 503, 504];

function explainRefusal(refusal: RefusedQuery): AnalyticsError {
  const { number, status } = refusal;
  if (number !== undefined) return explainErrorNumber(number, refusal);
  if (!GATEWAY_STATUSES.includes(status)) return createUnreadableError(refusal);
  return createError(
    "unreachable",
    `A proxy answers for ClickHouse, with the status ${status}: it cannot reach the server.`,
    refusal,
    CHECK_ADDRESS,
  );
}

function readErrorNumber(message: string): number | undefined {
  const [, number] = /^Code: (\d{1,9})\b/.exec(message) ?? [];
  return number === undefined ? undefined : Number(number);
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message.slice(0, 1_000) : "");

const createError = (code: ErrorCode, message: string, cause: unknown, hint?: string) =>
  new AnalyticsError(code, message, { hint, cause });

const createUnreadableError = (cause: unknown) =>
  createError(
    "unavailable",
    "ClickHouse's answer cannot be read.",
    cause,
    "Is it ClickHouse's HTTP port (8123, 8443)?",
  );

export const UNKNOWN_TABLE = 60;

interface Explanation {
  /** ClickHouse's numbers of errors with the same meaning (src/Common/ErrorCodes.cpp). */
  numbers: readonly number[];
  message: string;
  hint: string;
}

/** What people fix in their settings or their table. */
const USAGE: readonly Explanation[] = [
  {
    numbers: [192, 193, 194, 516],
    message: "ClickHouse does not accept the user or the password.",
    hint: "The user is in --clickhouse (https://reader@…), the password in ANALYTICS_CLICKHOUSE_PASSWORD or --clickhouse-password-file.",
  },
  {
    numbers: [UNKNOWN_TABLE, 81],
    message: "ClickHouse has no such table, or the user may not read it.",
    hint: "Name it with --table, its database in --clickhouse (https://reader@host:8443/web). docs/clickhouse.md has the statement that creates it.",
  },
  {
    numbers: [6, 10, 16, 38, 41, 43, 47, 53, 386],
    message: "The table lacks a column, or a column has another type.",
    hint: "docs/clickhouse.md says what columns a table needs. analytics-mcp doctor shows those that it has.",
  },
  {
    numbers: [46, 62, 115],
    message: "This version of ClickHouse is too old for the query.",
    hint: "Use a version of 2021 or later.",
  },
  {
    // Old versions take the parameters for settings, which a user with readonly = 1 may not set.
    numbers: [164],
    message: "ClickHouse refused the query's parameters: its version is too old, or the profile has changed.",
    hint: "Use a version of 2021 or later. A changed profile is read again after five minutes.",
  },
  {
    numbers: [181],
    message: "The table's engine keeps hits twice if they are loaded twice.",
    hint: "It must be a ReplacingMergeTree. docs/clickhouse.md has the statement that creates it.",
  },
  {
    numbers: [291, 497],
    message: "The ClickHouse user has no right to do this.",
    hint: "It needs SELECT on the table. docs/clickhouse.md has the statements that create such a user.",
  },
];

/** What may be over at the next try, or with a smaller question. */
const UNAVAILABLE: readonly Explanation[] = [
  {
    numbers: [159, 160],
    message: "ClickHouse stopped the query: it took longer than its profile allows.",
    hint: "Ask for fewer days.",
  },
  {
    numbers: [158, 191, 241, 307, 396],
    message: "ClickHouse stopped the query: it needs more memory or rows than its profile allows.",
    hint: "Ask for fewer days.",
  },
  {
    numbers: [201],
    message: "The ClickHouse user has used up its quota.",
    hint: "Ask again later.",
  },
  {
    numbers: [202],
    message: "ClickHouse runs too many queries at once.",
    hint: "Ask again in a moment.",
  },
  {
    numbers: [209, 210, 279, 425],
    message:
      "A part of the ClickHouse cluster does not answer, and without it the numbers would be too small.",
    hint: "Ask again when all shards are back.",
  },
  {
    numbers: [394],
    message: "The query was cancelled in ClickHouse.",
    hint: "Ask again.",
  },
];

export function explainErrorNumber(number: number, cause?: unknown): AnalyticsError {
  const isMeant = ({ numbers }: Explanation) => numbers.includes(number);
  const usage = USAGE.find(isMeant);
  if (usage !== undefined) {
    return new AnalyticsError("usage", usage.message, { hint: usage.hint, cause });
  }
  const { message, hint } = UNAVAILABLE.find(isMeant) ?? {
    message: `ClickHouse refused the query with its error ${number}.`,
    hint: undefined,
  };
  return createError("unavailable", message, cause, hint);
}
