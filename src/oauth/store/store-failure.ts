import { AnalyticsError } from "../../errors.ts";

/**
 * A failure of the store's medium. What the driver threw is not kept as its cause: it may hold a path, an
 * address, or the arguments of a command, a password among them. Its code is enough to look it up.
 */
export function describeFailure(reason: string, code: string | undefined): AnalyticsError {
  return new AnalyticsError("unavailable", `The store of sign-ins cannot be used at the moment: ${reason}.`, {
    hint: "Try again later. Whoever runs this server finds more at /readyz and in its log.",
    cause: code === undefined ? undefined : new Error(code),
  });
}

/** Whether this is what every method of a store throws where its medium fails. */
export function isUnavailable(error: unknown): error is AnalyticsError {
  return error instanceof AnalyticsError && error.code === "unavailable";
}

/** Milliseconds between two lines that say the same. */
const REPEATED = 60_000;

/**
 * Tells the log why the store fails: when that begins or its reason changes, and again each minute while requests
 * meet it. Every one of them would say the same.
 */
export function createFailureLog(report: (line: string) => void, clock: () => number) {
  let last = { message: "", at: 0 };
  return ({ message }: AnalyticsError): void => {
    const now = clock();
    if (message === last.message && now - last.at < REPEATED) return;
    last = { message, at: now };
    report(message);
  };
}
