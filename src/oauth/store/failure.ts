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
