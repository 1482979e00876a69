import { AnalyticsError, quote } from "../../errors.ts";
import type { Members } from "../server-spec.ts";

/** A server's entry in a client's file. */
export interface Entry {
  /** The member that holds all servers. */
  serversKey: string;
  name: string;
  value: Members;
  /** What VS Code asks the user for. An input with the same id in the file stays as it is. */
  inputs: Members[];
}

/**
 * Adds the entry to a document and keeps every other character. Returns the same text if it already has the entry.
 * Throws AnalyticsError `usage` if the document cannot be read or edited, or has another entry of that name and `force`
 * is not set.
 */
export type Edit = (text: string, entry: Entry, force: boolean) => string;

const createEditError = (reason: string, hint: string, cause?: unknown): AnalyticsError =>
  new AnalyticsError("usage", reason, { hint, cause });

export const createOtherEntryError = ({ name }: Entry) =>
  createEditError(
    `It already has another server named ${quote(name)}.`,
    "--force replaces only that server (preview with --dry-run --force); --name adds this one under another name.",
  );

export const createUnreadableError = (reason: string, cause?: unknown) =>
  createEditError(`It cannot be read: ${reason}.`, "Nothing was written. Fix the file first.", cause);

export const createShapeError = (reason: string) =>
  createEditError(reason, "Nothing was written. Run the command without --write and paste what it prints.");

export const createRepeatedError = (name: string, place: string) =>
  createEditError(
    `It has ${quote(name)} twice in one object, again at ${place}.`,
    "Nothing was written. Remove one of the two first: programs differ in which one they read.",
  );

export const TOO_DEEP = "its lists and objects are nested too deeply";

/** Refuses a document too deeply nested for the stack: parsers and comparisons are recursive. */
export const limitDepth =
  (edit: Edit): Edit =>
  (text, entry, force) => {
    try {
      return edit(text, entry, force);
    } catch (cause) {
      throw cause instanceof RangeError ? createUnreadableError(TOO_DEEP, cause) : cause;
    }
  };

/** The most frequent line ending of a text. */
export function findLineEnd(text: string): "\n" | "\r\n" {
  const windows = text.split("\r\n").length - 1;
  return 2 * windows > text.split("\n").length - 1 ? "\r\n" : "\n";
}

/** The line and column of an offset, counted from 1. */
export function locate(text: string, offset: number): string {
  const before = text.slice(0, offset).split("\n");
  return `line ${before.length}, column ${(before.at(-1) ?? "").length + 1}`;
}
