import { AnalyticsError } from "../errors.ts";
import type { Operation } from "../operations/operation.ts";

/** Explains the error of a service that does not offer an optional operation; returns any other error unchanged. */
export function explainUnoffered({ isOptional, name, path }: Operation, error: unknown): unknown {
  if (!isOptional || !(error instanceof AnalyticsError) || error.code !== "not_found") return error;
  return new AnalyticsError("not_found", `This service does not offer ${name}: it has no GET ${path}.`, {
    hint: "It is optional; everything else works without it. If other queries fail too, check the base URL.",
    status: error.status,
    cause: error,
  });
}
