import * as z from "zod";
import { once } from "./schemas.ts";

/** The statuses of the contract, each with its codes. */
export const problemCodes = {
  400: ["missing_parameter", "invalid_parameter", "unknown_parameter"],
  401: ["missing_api_key", "invalid_api_key"],
  404: ["site_not_found", "not_found"],
  405: ["method_not_allowed"],
  429: ["rate_limited"],
  500: ["internal_error"],
  503: ["unavailable"],
} as const;

export type ProblemStatus = keyof typeof problemCodes;
export type ProblemCode = (typeof problemCodes)[ProblemStatus][number];

/** An error's body: `application/problem+json` (RFC 9457) with the contract's members. */
export const problem = once(() =>
  z.object({
    type: z
      .string()
      .describe("URI reference for the kind of problem; `about:blank` adds nothing to the status."),
    title: z.string().describe("The problem in a few words, the same each time."),
    status: z.int().min(400).max(599).describe("The HTTP status, repeated."),
    detail: z.string().describe("What went wrong this time and what to do."),
    code: z.string().describe("Stable name of the problem, for programs."),
    request_id: z.string().describe("The X-Request-Id of this answer: quote it to the service's operator."),
    errors: z
      .array(
        z.object({
          parameter: z.string().describe("Name of the query parameter."),
          detail: z.string().describe("Why it was refused."),
          allowed: z.array(z.string()).optional().describe("The allowed values."),
          minimum: z.number().optional().describe("The minimum value, or the minimum length of a string."),
          maximum: z.number().optional().describe("The maximum value, or the maximum length of a string."),
        }),
      )
      .optional()
      .describe("The refused parameters, for status 400."),
  }),
);

export type Problem = z.output<ReturnType<typeof problem>>;
