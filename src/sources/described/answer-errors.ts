import { findSentence, quoteSaid } from "../../client/problem-parser.ts";
import { AnalyticsError, type ErrorCode } from "../../errors.ts";
import { isRecord } from "./answer-tables.ts";

/** Errors that say nothing about the next answer. */
const OF_ONE_ANSWER: ReadonlySet<ErrorCode> = new Set([
  "bad_answer",
  "too_large",
  "not_found",
  "invalid_parameter",
  "method_not_allowed",
  "internal_error",
]);

/** Whether an error is only about the answer that was asked for: a refused key or an outage is about all of them. */
export const isOfOneAnswer = (error: unknown): error is AnalyticsError =>
  error instanceof AnalyticsError && OF_ONE_ANSWER.has(error.code);

export const createBrokenError = (path: string, reason: string, cause?: unknown) =>
  new AnalyticsError("bad_answer", `The answer to ${path} cannot be read: ${reason}.`, {
    status: 200,
    hint: "Nothing was shown, because the numbers could be wrong. Report it to the service's operator.",
    cause,
  });

/** The error for a body that says that something went wrong, in spite of its status; undefined if it does not. */
export function explainRefusal(path: string, answer: unknown): AnalyticsError | undefined {
  const isRefusal =
    isRecord(answer) &&
    (Object.hasOwn(answer, "error") || Object.hasOwn(answer, "errors") || answer.success === false);
  const sentence = isRefusal ? findSentence(JSON.stringify(answer)) : undefined;
  if (sentence === undefined) return undefined;
  return new AnalyticsError("bad_answer", `The service refused ${path}: ${quoteSaid(sentence)}.`, {
    status: 200,
  });
}
