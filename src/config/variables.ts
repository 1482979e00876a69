import { AnalyticsError, type ErrorCode } from "../errors.ts";

/** The process's environment, or what a test says it is. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** A variable's value; empty, and a `${NAME}` that a client left unexpanded, count as not set. */
export function readVariable(environment: Environment, name: string): string | undefined {
  const value = environment[name]?.trim();
  return value === undefined || value === "" || isUnexpanded(value) ? undefined : value;
}

/** For variables whose absence would silently mean something else than what was written. */
export function refuseUnexpanded(environment: Environment, name: string, code: ErrorCode): void {
  if (!isUnexpanded(environment[name] ?? "")) return;
  throw new AnalyticsError(code, `${name} holds the unexpanded name of a variable in place of a value.`, {
    hint: "The client did not fill it in: write the value itself. To try without a service, use --demo.",
  });
}

export function isUnexpanded(value: string): boolean {
  return /^\s*\$\{[^{}]*\}\s*$/.test(value);
}

export function readList(text: string | undefined): string[] {
  return (text ?? "").split(",").map((each) => each.trim().toLowerCase());
}
