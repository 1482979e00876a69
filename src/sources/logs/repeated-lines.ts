import type { Warning } from "../../operations/period.ts";
import { hashText } from "./hash-text.ts";
import type { LogContent } from "./log-book.ts";

/** How many lines of a content were compared with those of others, and how many were in another. */
export interface Repeats {
  compared: number;
  repeated: number;
  /** Where the last of them was seen first. */
  path: string;
}

/** The lines of one second in so many are compared. */
const ONE_IN = 16;
/** Enough for the newest lines of a large log; those of before were compared when they were read. */
const MOST_KEPT = 200_000;
/** A request may be logged alike by two servers, but not many are. */
const LEAST = { lines: 5, share: 0.02 };

/**
 * Creates a function that looks for lines that another log has, too: files may overlap, such as two backups of one log, and
 * such lines are counted twice. It compares the same lines in every file, chosen by their time, and only with those that
 * this process has read.
 */
export function createRepeatCheck(): (line: string, time: number, content: LogContent) => void {
  const seen = new Map<number, LogContent>();
  return (line, time, content) => {
    if (!isChosen(time)) return;
    const hash = hashText(line);
    const first = seen.get(hash);
    content.repeats.compared++;
    if (first !== undefined && first !== content) {
      content.repeats.repeated++;
      content.repeats.path = first.path;
    } else if (seen.size < MOST_KEPT) seen.set(hash, content);
  };
}

/** Mixes the bits of a time in seconds (Knuth's multiplicative hash), since visits may come every minute. */
const isChosen = (time: number): boolean => Math.imul(time, 2_654_435_761) >>> 0 < 2 ** 32 / ONE_IN;

/** The contents of which a part is in another. */
export const listRepeated = (contents: Iterable<LogContent>): LogContent[] =>
  [...contents].filter(
    ({ repeats: { repeated, compared } }) => repeated >= LEAST.lines && repeated >= LEAST.share * compared,
  );

/** Tells whoever asks about a site that lines may count twice. File names are for the dry run alone. */
export function warnOfRepeats(contents: Iterable<LogContent>, domain: string): Warning[] {
  const repeated = listRepeated(contents).filter(({ site }) => site === undefined || site === domain);
  if (repeated.length === 0) return [];
  const detail =
    "Some lines are in two log files and count twice. On the server, analytics-mcp logs shows in which: give each log once.";
  return [{ code: "repeated_lines", detail }];
}
