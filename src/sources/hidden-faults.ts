import { AnalyticsError, type ErrorCode } from "../errors.ts";
import type { DataSource } from "./data-source.ts";

/** Failures to reach what a source reads from. Callers are asked to try again. */
const NETWORK_CODES: ReadonlySet<ErrorCode> = new Set(["unreachable", "timeout", "tls", "too_large"]);
/** What only the operator can mend. The key of these errors is the operator's, not the caller's. */
const OPERATOR_CODES: ReadonlySet<ErrorCode> = new Set([
  "usage",
  "no_api_key",
  "invalid_api_key",
  "no_base_url",
  "invalid_base_url",
  "redirected",
  "proxy",
  "bad_answer",
]);

/**
 * A source for callers elsewhere. What only its operator can fix, such as a missing file, is reported to the operator,
 * and the callers do not see paths of this machine.
 */
export function hideFaults(source: DataSource, report: (message: string) => void): DataSource {
  /** What the callers get in place of an error. */
  const hide = (error: AnalyticsError): AnalyticsError => {
    const isPassing = NETWORK_CODES.has(error.code);
    if (!OPERATOR_CODES.has(error.code) && !isPassing) return error;
    report([error.message, error.hint].join(" ").trim());
    if (isPassing) return new AnalyticsError("unavailable", error.message, { status: 503, cause: error });
    return new AnalyticsError(
      "internal_error",
      "The service cannot read its data. Its operator finds the cause in its log.",
      { status: 500, cause: error },
    );
  };
  const guard =
    <A extends unknown[], R>(method: (...args: A) => Promise<R>) =>
    async (...args: A): Promise<R> => {
      try {
        return await method(...args);
      } catch (error) {
        throw error instanceof AnalyticsError ? hide(error) : error;
      }
    };
  const {
    site,
    unlisted,
    hours,
    crawlers,
    notFound,
    warnings,
    dimensions,
    missingOption,
    filters,
    answersFilter,
    events,
    spans,
    lacks,
  } = source;
  const guarded = {
    filters,
    answersFilter,
    daysKept: source.daysKept,
    sites: guard(source.sites),
    site: site && guard(site),
    unlisted:
      unlisted &&
      guard(async (signal?: AbortSignal) =>
        (await unlisted(signal)).map(({ domain, reason }) => ({ domain, reason: hide(reason) })),
      ),
    days: guard(source.days),
    events: events && guard(events),
    spans,
    lacks,
    hours: hours && guard(hours),
    breakdown: guard(source.breakdown),
    active: guard(source.active),
    crawlers: crawlers && guard(crawlers),
    notFound: notFound && guard(notFound),
    warnings: warnings && guard(warnings),
    dimensions: dimensions && guard(dimensions),
    missingOption,
    // So that a method of the port cannot be forgotten here.
  } satisfies Record<keyof DataSource, unknown>;
  // What a source does not have is absent, which the compiler cannot see through the filter.
  return Object.fromEntries(
    Object.entries(guarded).filter(([, member]) => member !== undefined),
  ) as unknown as DataSource;
}
