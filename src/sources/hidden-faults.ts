import { AnalyticsError } from "../errors.ts";
import type { DataSource } from "./data-source.ts";

/**
 * A source for callers elsewhere. What only its operator can fix, such as a missing file, is reported to the operator,
 * and the callers do not see paths of this machine.
 */
export function hideFaults(source: DataSource, report: (message: string) => void): DataSource {
  const guard =
    <A extends unknown[], R>(method: (...args: A) => Promise<R>) =>
    async (...args: A): Promise<R> => {
      try {
        return await method(...args);
      } catch (error) {
        if (!(error instanceof AnalyticsError) || error.code !== "usage") throw error;
        report([error.message, error.hint].join(" ").trim());
        throw new AnalyticsError(
          "internal_error",
          "The service cannot read its data. Its log says why to whoever runs it.",
          { status: 500, cause: error },
        );
      }
    };
  return {
    daysKept: source.daysKept,
    sites: guard(source.sites),
    days: guard(source.days),
    breakdown: guard(source.breakdown),
    active: guard(source.active),
    ...(source.warnings && { warnings: guard(source.warnings) }),
    ...(source.dimensions && { dimensions: guard(source.dimensions) }),
  };
}
