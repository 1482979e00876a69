import { AnalyticsError, type ErrorCode } from "../errors.ts";
import type { PartialSource } from "./data-source.ts";

/** Failures to reach what a source reads from. Callers are asked to try again. */
const NETWORK_CODES: ReadonlySet<ErrorCode> = new Set(["unreachable", "timeout", "tls", "too_large"]);
/** The address of what a source reads from, or what answers there, is wrong. */
const ADDRESS_CODES: readonly ErrorCode[] = [
  "no_base_url",
  "invalid_base_url",
  "redirected",
  "proxy",
  "bad_answer",
];
/** What only the operator can mend. The key of these errors is the operator's, not the caller's. */
const OPERATOR_CODES: ReadonlySet<ErrorCode> = new Set([
  "usage",
  "no_api_key",
  "invalid_api_key",
  ...ADDRESS_CODES,
]);
/** What has a hint on the settings of a server: its address, its network, its proxy. */
const SETTING_CODES: ReadonlySet<ErrorCode> = new Set(["unreachable", "tls", ...ADDRESS_CODES]);

/** An error for callers elsewhere, who ask a service with keys of their own but cannot change how it is reached. */
export function hideSettings(error: AnalyticsError): AnalyticsError {
  if (!SETTING_CODES.has(error.code)) return error;
  const { code, message, hint, status } = error;
  const forOperator = `Tell whoever runs this connector.${hint ? ` For them: ${hint}` : ""}`;
  return new AnalyticsError(code, message, { status, hint: forOperator, cause: error });
}

/**
 * A source for callers elsewhere. What only its operator can fix, such as a missing file, is reported to the operator,
 * and the callers do not see paths of this machine.
 */
export function hideFaults(source: PartialSource, report: (message: string) => void): PartialSource {
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
  const rethrow = (error: unknown): never => {
    throw error instanceof AnalyticsError ? hide(error) : error;
  };
  const guard = (member: unknown) => {
    if (typeof member !== "function") return member;
    return (...args: unknown[]): unknown => {
      try {
        const answer: unknown = member(...args);
        return answer instanceof Promise ? answer.catch(rethrow) : answer;
      } catch (error) {
        return rethrow(error);
      }
    };
  };
  const { unlisted } = source;
  const hidden = {
    ...source,
    ...(unlisted && {
      unlisted: async (signal?: AbortSignal) =>
        (await unlisted(signal)).map(({ domain, reason }) => ({ domain, reason: hide(reason) })),
    }),
  };
  // Each member stays what it was; a method that the port gets later is guarded, too.
  return Object.fromEntries(
    Object.entries(hidden).map(([name, member]) => [name, guard(member)]),
  ) as unknown as PartialSource;
}
