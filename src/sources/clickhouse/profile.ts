import { AnalyticsError } from "../../errors.ts";
import type { Answer, Query } from "./answer.ts";
import { type SettingRow, settingRow } from "./rows.ts";

/**
 * The values that settings must have so that ClickHouse never answers from a part of the data. A user's profile can set
 * other values.
 */
const REQUIRED: Readonly<Record<string, string>> = {
  // 1 answers without the shards that are down.
  skip_unavailable_shards: "0",
  // 1 gives a row for each shard instead of one for all.
  distributed_group_by_no_merge: "0",
  // Others give only some of the rows.
  limit: "0",
  offset: "0",
  // `break` and `any` answer from what was read before a limit was reached.
  read_overflow_mode: "throw",
  read_overflow_mode_leaf: "throw",
  group_by_overflow_mode: "throw",
  sort_overflow_mode: "throw",
  result_overflow_mode: "throw",
  set_overflow_mode: "throw",
  distinct_overflow_mode: "throw",
  timeout_overflow_mode: "throw",
  timeout_overflow_mode_leaf: "throw",
  // 1 answers from what was read before the query was cancelled.
  partial_result_on_first_cancel: "0",
  // 1 groups by a column of the table that is called like a result.
  prefer_column_name_to_alias: "0",
  // 1 names the row of totals null, so that it comes last instead of first.
  group_by_use_nulls: "0",
};

/** Settings that save work but do not change an answer. */
const PREFERRED: Readonly<Record<string, string>> = {
  // Cancelling a request cancels its query, if the query only reads.
  cancel_http_readonly_queries_on_client_close: "1",
  // A day, and so the duplicates of its rows, is in one partition.
  do_not_merge_across_partitions_select_final: "1",
};

/** The value of `readonly` with which a query may read and change settings. */
const READ_ONLY = "2";

const NAMES = [...Object.keys(REQUIRED), ...Object.keys(PREFERRED), "readonly"];

/**
 * Reads the user's profile and returns the settings to send with each query, even those that the profile already has: a
 * shard takes what a query does not set from its own profile. With `readonly = 1` a query cannot set anything, so the
 * profile itself must be right. Throws AnalyticsError `usage` if it is not.
 */
export async function checkProfile(
  ask: (query: Query<SettingRow>) => Promise<Answer<SettingRow>>,
): Promise<Readonly<Record<string, string>>> {
  const { rows } = await ask({
    sql: `SELECT name, value FROM system.settings WHERE name IN (${NAMES.map((name) => `'${name}'`).join(", ")})`,
    row: settingRow,
    maxRows: NAMES.length,
  });
  const current = new Map(rows.map(({ name, value }) => [name, value]));
  const isFixed = current.get("readonly") === "1";
  if (isFixed) {
    const wrong = Object.entries(REQUIRED).find(
      ([name, value]) => current.has(name) && current.get(name) !== value,
    );
    if (wrong !== undefined) throw createProfileError(wrong, current.get(wrong[0]));
    return {};
  }
  // A version without a setting does not need it.
  const known = Object.entries({ ...REQUIRED, ...PREFERRED }).filter(([name]) => current.has(name));
  const mayWrite = current.get("readonly") === "0";
  return { ...Object.fromEntries(known), ...(mayWrite && { readonly: READ_ONLY }) };
}

function createProfileError([name, value]: readonly [string, string], current = ""): AnalyticsError {
  // The server can write anything here.
  const shown = /^\w{1,20}$/.test(current) ? `${name} = ${current}` : `another ${name} than ${value}`;
  return new AnalyticsError(
    "usage",
    `The profile of the ClickHouse user has ${shown}, with which a part of the data can be missing from answers.`,
    { hint: `Set ${name} = ${value} in the profile. docs/clickhouse.md has such a profile.` },
  );
}
