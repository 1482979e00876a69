import { AnalyticsError, type ErrorCode } from "../errors.ts";

/** The process's environment variables, or a test's. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** A variable's value, trimmed. Undefined if it is empty, or a `${NAME}` that an MCP client left unexpanded. */
export function readVariable(environment: Environment, name: string): string | undefined {
  const value = environment[name]?.trim();
  return value === undefined || value === "" || isUnexpanded(value) ? undefined : value;
}

/** For variables that must not silently count as unset. Throws AnalyticsError with the given code. */
export function assertExpanded(environment: Environment, name: string, code: ErrorCode): void {
  if (!isUnexpanded(environment[name] ?? "")) return;
  throw new AnalyticsError(code, `${name} contains an unexpanded variable name, not a value.`, {
    hint: `${hintOnUnexpanded([name])} To try without a service, use --demo.`,
  });
}

/** The next step for a key that an MCP client's entry should have, but lacks. */
export const SAVE_INSTEAD = "run analytics-mcp login and remove env from the client's entry";

/** The next step for variables that an MCP client left unexpanded. A key does not belong in the client's settings. */
export const hintOnUnexpanded = (names: readonly string[]): string =>
  names.includes("ANALYTICS_API_KEY")
    ? `The MCP client did not expand it: ${SAVE_INSTEAD}, or use the entry that analytics-mcp config prints.`
    : "The MCP client did not expand it: write the value itself.";

/** Whether a value is still `${NAME}`. */
export const isUnexpanded = (value: string): boolean => /^\s*\$\{[^{}]*\}\s*$/.test(value);

/** Splits a comma-separated list into trimmed, lower-case parts. */
export const readList = (text: string | undefined): string[] =>
  (text ?? "").split(",").map((part) => part.trim().toLowerCase());
