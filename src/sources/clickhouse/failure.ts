import { AnalyticsError, readErrorCode } from "../../errors.ts";
import { CutAnswer } from "./answer.ts";

/**
 * Explains a failed query without SQL, host names and addresses: the message may reach an assistant, or the users
 * of a server.
 */
export function explainFailure(error: unknown): AnalyticsError {
  const code = readCode(error);
  const known = EXPLANATIONS[code ?? -1];
  if (known !== undefined) return new AnalyticsError(known.code, known.message, { ...known, cause: error });
  if (code !== undefined) {
    return unavailable(`ClickHouse refused the query with its error ${code}.`, error);
  }
  if (error instanceof CutAnswer) {
    return unavailable("ClickHouse's answer broke off.", error, "Ask again.");
  }
  const system = readErrorCode(error) ?? "";
  if (/^(?:ERR_TLS|CERT|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO)|ERR_SSL/.test(system)) {
    return new AnalyticsError("usage", "ClickHouse's certificate is not trusted.", {
      hint: "Name your own authority's certificate with NODE_EXTRA_CA_CERTS.",
      cause: error,
    });
  }
  if (/^E[A-Z]|^UND_|timeout/i.test(system) || /timeout|socket hang up/i.test(messageOf(error))) {
    return unavailable("ClickHouse cannot be reached.", error, CHECK_ADDRESS);
  }
  return unavailable(
    "ClickHouse's answer cannot be read.",
    error,
    "Is it ClickHouse's HTTP port (8123, 8443)?",
  );
}

/** Explains a server that accepts a short query and does not answer. */
export const explainSilence = (error: unknown) =>
  unavailable("ClickHouse accepts the connection but does not answer.", error, CHECK_ADDRESS);

const CHECK_ADDRESS = "Check the address and port in --clickhouse.";

/**
 * ClickHouse's own number of an error. `ClickHouseError` has it; servers before version 20 write it in a form that
 * the client does not know.
 */
function readCode(error: unknown): number | undefined {
  const { code } = Object(error);
  if (/^\d+$/.test(String(code))) return Number(code);
  const [, inText] = /^Code: (\d+)/.exec(messageOf(error)) ?? [];
  return inText === undefined ? undefined : Number(inText);
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : "");

const unavailable = (message: string, cause: unknown, hint?: string) =>
  new AnalyticsError("unavailable", message, { status: 503, hint, cause });

interface Explanation {
  code: "usage" | "unavailable";
  message: string;
  hint?: string;
  status?: number;
}

const SIGN_IN: Explanation = {
  code: "usage",
  message: "ClickHouse does not accept the user or the password.",
  hint: "The user is in --clickhouse (https://reader@…), the password in ANALYTICS_CLICKHOUSE_PASSWORD or --clickhouse-password-file.",
};
const NO_TABLE: Explanation = {
  code: "usage",
  message: "ClickHouse has no such table, or the user may not read it.",
  hint: "Name it with --table, its database in --clickhouse (https://reader@host:8443/web). docs/clickhouse.md has the statement that creates it.",
};
const NO_COLUMN: Explanation = {
  code: "usage",
  message: "The table lacks a column, or a column has another type.",
  hint: "docs/clickhouse.md has the statement that creates the table.",
};
const NO_FINAL: Explanation = {
  code: "usage",
  message: "The table's engine keeps hits twice if they are loaded twice.",
  hint: "It must be a ReplacingMergeTree. docs/clickhouse.md has the statement that creates it.",
};
const NO_RIGHT: Explanation = {
  code: "usage",
  message: "The ClickHouse user has no right to do this.",
  hint: "It needs SELECT on the table. docs/clickhouse.md has the statements that create such a user.",
};
const busy = (message: string, hint = "Ask for fewer days."): Explanation => ({
  code: "unavailable",
  message,
  hint,
  status: 503,
});
const TOO_SLOW = busy("ClickHouse stopped the query: it took longer than its profile allows.");
const TOO_LARGE = busy("ClickHouse stopped the query: it needs more memory or rows than its profile allows.");
const SHARD_DOWN = busy(
  "A part of the ClickHouse cluster does not answer, and without it the numbers would be too small.",
  "Ask again when all shards are back.",
);

/** By ClickHouse's error number (src/Common/ErrorCodes.cpp). */
const EXPLANATIONS: Readonly<Record<number, Explanation>> = {
  16: NO_COLUMN,
  43: NO_COLUMN,
  47: NO_COLUMN,
  53: NO_COLUMN,
  60: NO_TABLE,
  81: NO_TABLE,
  158: TOO_LARGE,
  159: TOO_SLOW,
  160: TOO_SLOW,
  164: NO_RIGHT,
  181: NO_FINAL,
  191: TOO_LARGE,
  192: SIGN_IN,
  193: SIGN_IN,
  194: SIGN_IN,
  201: busy("The ClickHouse user has used up its quota.", "Ask again later."),
  202: busy("ClickHouse runs too many queries at once.", "Ask again in a moment."),
  209: SHARD_DOWN,
  210: SHARD_DOWN,
  241: TOO_LARGE,
  279: SHARD_DOWN,
  291: NO_RIGHT,
  307: TOO_LARGE,
  394: busy("The query was cancelled in ClickHouse.", "Ask again."),
  396: TOO_LARGE,
  425: SHARD_DOWN,
  497: NO_RIGHT,
  516: SIGN_IN,
};
