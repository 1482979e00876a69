import { AnalyticsError } from "../../errors.ts";
import type { Answer } from "./answer.ts";

/**
 * Settings with which ClickHouse may answer from a part of the data, and the values that prevent it. A user's profile can have
 * other values.
 */
const REQUIRED: Readonly<Record<string, string>> = {
  // Answers only from the shards that are up.
  skip_unavailable_shards: "0",
  // A row for each shard instead of one for all.
  distributed_group_by_no_merge: "0",
  // The first rows only.
  limit: "0",
  offset: "0",
  // Answers from what was read until a limit was reached.
  read_overflow_mode: "throw",
  read_overflow_mode_leaf: "throw",
  group_by_overflow_mode: "throw",
  sort_overflow_mode: "throw",
  result_overflow_mode: "throw",
  set_overflow_mode: "throw",
  distinct_overflow_mode: "throw",
  timeout_overflow_mode: "throw",
  timeout_overflow_mode_leaf: "throw",
  // Answers from what was read until somebody stopped the query.
  partial_result_on_first_cancel: "0",
  // Gives the row of sums a null for its name, so that it comes last instead of first.
  group_by_use_nulls: "0",
};

/** Settings that help but do not change an answer. */
const WANTED: Readonly<Record<string, string>> = {
  // Cancelling a request also cancels its query, if that only reads.
  cancel_http_readonly_queries_on_client_close: "1",
  // Rows of one day, and so their duplicates, are in one partition.
  do_not_merge_across_partitions_select_final: "1",
};

/** The value of `readonly` with which a query may read and change settings. */
const READ_ONLY = "2";

const NAMES = [...Object.keys(REQUIRED), ...Object.keys(WANTED), "readonly"];

/**
 * Reads the settings of the user's profile, and returns those to send with each query. They are sent even if they are right:
 * a shard uses its own profile for what a query does not name. With `readonly = 1` a query cannot name any, so that the
 * profile must be right. Throws AnalyticsError `usage` if it is not.
 */
export async function checkProfile(
  ask: (query: string) => Promise<Answer>,
): Promise<Readonly<Record<string, string>>> {
  const { rows } = await ask(
    `SELECT name, value FROM system.settings WHERE name IN (${NAMES.map((name) => `'${name}'`).join(", ")})`,
  );
  const current = new Map(rows.map(({ name, value }) => [String(name), String(value)]));
  const isFixed = current.get("readonly") === "1";
  if (isFixed) {
    const wrong = Object.entries(REQUIRED).find(
      ([name, value]) => current.has(name) && current.get(name) !== value,
    );
    if (wrong !== undefined) throw createProfileError(wrong, current.get(wrong[0]));
    return {};
  }
  // A version without a setting does not need it.
  const known = Object.entries({ ...REQUIRED, ...WANTED }).filter(([name]) => current.has(name));
  const mayWrite = current.get("readonly") === "0";
  return { ...Object.fromEntries(known), ...(mayWrite && { readonly: READ_ONLY }) };
}

const createProfileError = ([name, value]: readonly [string, string], current: string | undefined) =>
  new AnalyticsError(
    "usage",
    `The profile of the ClickHouse user has ${name} = ${current}, with which answers can lack a part of the data.`,
    { hint: `Set ${name} = ${value} in the profile. docs/clickhouse.md has a profile that fits.` },
  );
