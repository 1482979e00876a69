import { AnalyticsError } from "../../errors.ts";

/**
 * An error for when the store's medium fails. Its cause has only the code of the driver's error: the error itself may
 * contain a path, an address, or a command's arguments, even a password.
 */
export const createStoreError = (reason: string, code: string | undefined): AnalyticsError =>
  new AnalyticsError("unavailable", `The sign-in store is unavailable: ${reason}.`, {
    hint: "Try again later. If you run this server, check /readyz and its log.",
    cause: code === undefined ? undefined : new Error(code),
  });

/** Whether an error is the one that a store throws when its medium fails. */
export const isUnavailable = (error: unknown): error is AnalyticsError =>
  error instanceof AnalyticsError && error.code === "unavailable";

/** Milliseconds between two equal lines. */
const REPEAT_MS = 60_000;

/**
 * Logs why the store fails: at first, when the reason changes, and then once a minute while requests fail. Otherwise
 * every request would log the same line.
 */
export function createFailureLog(report: (line: string) => void, clock: () => number) {
  let last = { message: "", at: 0 };
  return ({ message }: { message: string }): void => {
    const now = clock();
    if (message === last.message && now - last.at < REPEAT_MS) return;
    last = { message, at: now };
    report(message);
  };
}
