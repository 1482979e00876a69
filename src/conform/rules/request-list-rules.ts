import { quote } from "../../errors.ts";
import type { crawlers, notFound } from "../../operations/index.ts";
import type { ResultOf } from "../../operations/operation.ts";
import { compareValues } from "../../operations/row-order.ts";
import type { Reply } from "../reply.ts";
import { checkCut, checkDefault, ofAnswers } from "../reply-checks.ts";
import { demandOnce, demandOrder, demandTruncated } from "../row-checks.ts";
import type { Rule, Rules } from "../rule.ts";
import { read, type Subject } from "../subject.ts";
import { Breach, demand, Skip } from "../verdict.ts";

/** The optional operations that rank by requests. */
export type RequestList = typeof crawlers | typeof notFound;
type List<O extends RequestList> = ResultOf<O> & { rows: ResultOf<O>["rows"][number][] };
type Row<O extends RequestList> = ResultOf<O>["rows"][number];

/** How the rules of such an operation speak of it. */
export interface ListWords {
  /** What each row is. */
  row: string;
  /** What there is not, of a site without rows in the last 30 days. */
  none: string;
  /** How to avoid a value twice. */
  group: string;
}

/** Checks the rows of 30 days. Skips if there are none. */
function ofList<O extends RequestList>(
  operation: O,
  { none }: ListWords,
  check: (list: List<O>, reply: Reply, subject: Subject) => void,
): Rule["check"] {
  return async (subject) => {
    const { reply, answer } = await read(subject, operation);
    if (answer.rows.length === 0) throw new Skip(none);
    check(answer as List<O>, reply, subject);
  };
}

/** Checks each row. `findExpected` returns what was expected of a wrong one. */
export const ofEachRow = <O extends RequestList>(
  operation: O,
  words: ListWords,
  findExpected: (row: Row<O>, list: List<O>, subject: Subject) => string | undefined,
): Rule["check"] =>
  ofList(operation, words, (list, reply, subject) => {
    for (const row of list.rows) {
      const expected = findExpected(row, list, subject);
      if (expected !== undefined) throw new Breach(reply.sent, expected, quote(row));
    }
  });

/** Rules on the rows of an operation, and on how a limit cuts them. */
export function listRules(operation: RequestList, words: ListWords): Rules {
  const { path } = operation;
  const { section } = operation.conform;
  const inOrder = (isWrong: (before: Row<RequestList>, row: Row<RequestList>) => boolean) =>
    ofList(operation, words, ({ rows }, reply) => demandOrder(rows, reply, isWrong));
  return {
    [`${section}.days-default`]: {
      must: `Without days, ${path} covers 30 days.`,
      fix: "Let days default to 30.",
      check: checkDefault(operation, {}, ["period", "days"], 30),
    },
    [`${section}.limit-default`]: {
      must: `Without limit, ${path} returns at most 10 rows and limit: 10.`,
      fix: "Let limit default to 10.",
      check: checkDefault(operation, {}, ["limit"], 10),
    },
    [`${section}.limit-kept`]: {
      must: `limit repeats the requested limit, and the rows fill it, or there is a row for every ${words.row}.`,
      fix: "Cut the rows at the limit, and count total_rows without it.",
      check: ofAnswers(
        [operation],
        ({ reply, answer }, _, { limit }) => {
          const { rows, total_rows } = answer;
          const isKept = answer.limit === limit && rows.length === Math.min(limit, total_rows);
          const seen = `limit: ${answer.limit} and ${rows.length} of ${total_rows} rows`;
          demand(isKept, reply, `limit: ${limit} and ${Math.min(limit, total_rows)} rows`, seen);
        },
        [{ limit: 2 }, { limit: 3 }],
      ),
    },
    [`${section}.truncated`]: {
      must: "truncated is true exactly when total_rows is greater than the number of rows.",
      fix: "Send truncated: true exactly when the limit cut off rows.",
      check: async (subject) => {
        const { answer: whole } = await read(subject, operation);
        for (const limit of [2, 1000, whole.total_rows]) {
          if (limit < 1 || limit > 1000) continue;
          demandTruncated(await read(subject, operation, { limit }));
        }
      },
    },
    [`${section}.limit-cuts-the-end`]: {
      must: "A limit changes neither total_rows, nor totals, nor the first rows.",
      fix: "Rank all rows first, and cut them last.",
      check: checkCut(operation, ({ total_rows, totals, rows }) =>
        quote([total_rows, totals.requests, ...rows.slice(0, 3).map(({ value }) => value)]),
      ),
    },
    [`${section}.order`]: {
      must: "Rows are ordered by requests, highest first.",
      fix: "Sort by requests in descending order.",
      check: inOrder((before, row) => before.requests < row.requests),
    },
    [`${section}.tie-order`]: {
      must: "Rows with equal requests are ordered by value, by code point, with null last.",
      fix: "Sort values as UTF-8 bytes (C collation), so that the order is always the same.",
      check: inOrder(
        (before, row) => before.requests === row.requests && compareValues(before.value, row.value) > 0,
      ),
    },
    [`${section}.values-once`]: {
      must: "No value has two rows.",
      fix: words.group,
      check: ofList(operation, words, ({ rows }, reply) =>
        demandOnce(
          rows.map(({ value }) => value),
          reply,
        ),
      ),
    },
    [`${section}.adds-up`]: {
      must: "All rows add up to totals.requests, and the rows of a limit to no more than that.",
      fix: `Count each request of a ${words.row} in exactly one row, and count totals without the limit.`,
      check: ofList(operation, words, ({ rows, totals, total_rows }, reply) => {
        const sum = rows.reduce((all, { requests }) => all + requests, 0);
        const isWhole = rows.length === total_rows;
        const holds = isWhole ? sum === totals.requests : sum <= totals.requests;
        const expected = `${isWhole ? "" : "at most "}${totals.requests} requests`;
        demand(holds, reply, expected, `${sum} in ${rows.length} of ${total_rows} rows`);
      }),
    },
  };
}
