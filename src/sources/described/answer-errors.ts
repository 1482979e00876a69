import { ForeignAnswerError } from "../../client/foreign-answer.ts";
import { findSentence, quoteSaid } from "../../client/problem-parser.ts";
import { AnalyticsError, type ErrorCode } from "../../errors.ts";
import { isRecord } from "./answer-tables.ts";

/** The refusal of a site that the service may know by another place of its list. */
export class UnknownSiteError extends ForeignAnswerError {
  /** What is known, without the mapping. */
  readonly about: string;
  readonly proposal: { readonly sites: { readonly id: string }; readonly site: "id" };

  constructor({ code, message, text, status }: ForeignAnswerError, about: string, place: string) {
    const proposal = { sites: { id: place }, site: "id" as const };
    const hint = `${about} If it knows sites by ${place}, a mapping file says so: ${JSON.stringify(proposal)}`;
    super(code, message, text, { status, hint });
    this.about = about;
    this.proposal = proposal;
  }
}

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
