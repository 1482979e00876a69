import { AnalyticsError } from "../../errors.ts";
import type { Members } from "../wish.ts";

/** A server as it is to stand in a client's file. */
export interface Entry {
  /** The member that holds the servers. */
  at: string;
  name: string;
  value: Members;
  /** What VS Code asks for; one that is there under the same id stays as it is. */
  inputs: Members[];
}

/**
 * Gives the document with the entry in it, every other character as it was; the very same text where it is
 * there already. Throws AnalyticsError `usage` for what cannot be read or added to, and, unless `force`, for
 * another entry of that name.
 */
export type Edit = (text: string, entry: Entry, force: boolean) => string;

function refuse(reason: string, hint: string, cause?: unknown): AnalyticsError {
  return new AnalyticsError("usage", reason, { hint, cause });
}

export const refuseOther = ({ name }: Entry) =>
  refuse(
    `It has a server "${name}" already, and that is another one.`,
    "--force replaces it and nothing else (look first with --dry-run --force); --name adds this one beside it.",
  );

export const refuseUnreadable = (reason: string, cause?: unknown) =>
  refuse(`It cannot be read: ${reason}.`, "Mend it first: nothing was written.", cause);

export const refuseShape = (reason: string) =>
  refuse(reason, "Leave out --write, and paste what is printed by hand: nothing was written.");

export const TOO_DEEP = "its lists and objects stand in each other too deep";

/** Parsers and comparisons go as deep as a document does, and the stack ends somewhere: nothing is edited then. */
export const refuseDepth =
  (edit: Edit): Edit =>
  (text, entry, force) => {
    try {
      return edit(text, entry, force);
    } catch (cause) {
      throw cause instanceof RangeError ? refuseUnreadable(TOO_DEEP, cause) : cause;
    }
  };

/** What ends lines in a text, by majority. */
export function findLineEnd(text: string): "\n" | "\r\n" {
  const windows = text.split("\r\n").length - 1;
  return 2 * windows > text.split("\n").length - 1 ? "\r\n" : "\n";
}

/** Where an offset is, as editors count. */
export function locate(text: string, offset: number): string {
  const before = text.slice(0, offset).split("\n");
  return `line ${before.length}, column ${(before.at(-1) ?? "").length + 1}`;
}
