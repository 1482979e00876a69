import type { AnalyticsError, ErrorCode } from "../errors.ts";
import { type Problem, type ProblemStatus, problemCodes } from "../operations/problem.ts";

const statusByCode = new Map<ErrorCode, ProblemStatus>(
  ([400, 401, 404, 405, 429, 500, 503] as const).flatMap((status) =>
    problemCodes[status].map((code) => [code, status] as const),
  ),
);

/** Reason phrases of RFC 9110, section 15. Not from node:http, which is slow to load. */
const titles: Record<ProblemStatus, string> = {
  400: "Bad Request",
  401: "Unauthorized",
  404: "Not Found",
  405: "Method Not Allowed",
  429: "Too Many Requests",
  500: "Internal Server Error",
  503: "Service Unavailable",
};

/** Builds the contract's error body (RFC 9457). A code that the contract does not have becomes a 500. */
export function buildProblem(error: AnalyticsError, requestId: string): Problem {
  const status = statusByCode.get(error.code) ?? 500;
  return {
    type: "about:blank",
    title: titles[status],
    status,
    detail: error.message,
    code: error.code,
    request_id: requestId,
    ...(error.parameters.length > 0 && { errors: error.parameters }),
  };
}
