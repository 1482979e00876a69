import { AnalyticsError, type AnalyticsErrorOptions, type ErrorCode } from "../errors.ts";

/**
 * The answer of a service that does not keep the contract: a result without its members, or a refusal without its code. It may
 * be that of a service that keeps only the specification, in words of its own.
 */
export class ForeignAnswerError extends AnalyticsError {
  /** The body. */
  readonly text: string;

  constructor(code: ErrorCode, message: string, text: string, options: AnalyticsErrorOptions) {
    super(code, message, options);
    this.text = text;
  }
}
