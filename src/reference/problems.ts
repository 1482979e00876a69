import { STATUS_CODES } from "node:http";
import type { AnalyticsError, ErrorCode } from "../errors.ts";
import { type Problem, type ProblemStatus, problemCodes } from "../operations/problem.ts";

const statusByCode = new Map<ErrorCode, ProblemStatus>(
  ([400, 401, 404, 405, 429, 500, 503] as const).flatMap((status) =>
    problemCodes[status].map((code) => [code, status] as const),
  ),
);

/** An expected failure as the contract's error body (RFC 9457). */
export function buildProblem(error: AnalyticsError, requestId: string): Problem {
  const status = statusByCode.get(error.code) ?? 500;
  return {
    type: "about:blank",
    title: STATUS_CODES[status] ?? "Error",
    status,
    detail: error.message,
    code: error.code,
    request_id: requestId,
    ...(error.parameters.length > 0 && { errors: error.parameters }),
  };
}
