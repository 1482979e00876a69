import { AnalyticsError, readErrorCode } from "../../errors.ts";
import { IncompleteAnswer } from "./answer.ts";

/**
 * Explains a failed query without SQL, host names and addresses: the message may reach an assistant, or the users
 * of a server.
 */
export function explainFailure(error: unknown): AnalyticsError {
  const number = readErrorNumber(error);
  if (number !== undefined) return explainErrorNumber(number, error);
  if (error instanceof IncompleteAnswer) {
    return createUnavailableError("ClickHouse's answer broke off.", error, "Ask again.");
  }
  const system = readErrorCode(error) ?? "";
  if (/^(?:ERR_TLS|CERT|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO)|ERR_SSL/.test(system)) {
    return new AnalyticsError("usage", "ClickHouse's certificate is not trusted.", {
      hint: "Name your own authority's certificate with NODE_EXTRA_CA_CERTS.",
      cause: error,
    });
  }
  if (/^E[A-Z]|^UND_|timeout/i.test(system) || /timeout|socket hang up/i.test(messageOf(error))) {
    return createUnavailableError("ClickHouse cannot be reached.", error, CHECK_ADDRESS);
  }
  return createUnavailableError(
    "ClickHouse's answer cannot be read.",
    error,
    "Is it ClickHouse's HTTP port (8123, 8443)?",
  );
}

/** Explains a server that accepts a short query and does not answer. */
export const explainNoAnswer = (error: unknown) =>
  createUnavailableError("ClickHouse accepts the connection but does not answer.", error, CHECK_ADDRESS);

const CHECK_ADDRESS = "Check the address and port in --clickhouse.";

/**
 * ClickHouse's own number of an error. `ClickHouseError` has it; servers before version 20 write it in a form that
 * the client does not know.
 */
function readErrorNumber(error: unknown): number | undefined {
  const { code } = Object(error);
  if (/^\d+$/.test(String(code))) return Number(code);
  const [, inText] = /^Code: (\d+)/.exec(messageOf(error)) ?? [];
  return inText === undefined ? undefined : Number(inText);
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : "");

const createUnavailableError = (message: string, cause: unknown, hint?: string) =>
  new AnalyticsError("unavailable", message, { status: 503, hint, cause });

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
    numbers: [60, 81],
    message: "ClickHouse has no such table, or the user may not read it.",
    hint: "Name it with --table, its database in --clickhouse (https://reader@host:8443/web). docs/clickhouse.md has the statement that creates it.",
  },
  {
    numbers: [16, 43, 47, 53],
    message: "The table lacks a column, or a column has another type.",
    hint: "docs/clickhouse.md has the statement that creates the table.",
  },
  {
    numbers: [181],
    message: "The table's engine keeps hits twice if they are loaded twice.",
    hint: "It must be a ReplacingMergeTree. docs/clickhouse.md has the statement that creates it.",
  },
  {
    numbers: [164, 291, 497],
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

function explainErrorNumber(number: number, cause: unknown): AnalyticsError {
  const isMeant = ({ numbers }: Explanation) => numbers.includes(number);
  const usage = USAGE.find(isMeant);
  if (usage !== undefined) {
    return new AnalyticsError("usage", usage.message, { hint: usage.hint, cause });
  }
  const { message, hint } = UNAVAILABLE.find(isMeant) ?? {
    message: `ClickHouse refused the query with its error ${number}.`,
    hint: undefined,
  };
  return createUnavailableError(message, cause, hint);
}
