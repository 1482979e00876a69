import type { Warning } from "../../../operations/warning.ts";
import type { LogCalendar } from "../day-span.ts";
import { hashText } from "../hashing.ts";
import { createComparedDays, findPlace, type KeptMarks, type NewMarks } from "./compared-days.ts";
import { fingerprintLine, type LogContent } from "./log-content.ts";

export interface RepeatCheck {
  /** Compares a line with those that were read before, before its time becomes the content's latest. */
  check(line: string, time: number, content: LogContent): void;
  /**
   * What a later process needs to compare its lines with those of the days that are still open. It refers to contents by their
   * index.
   *
   * @param now Seconds since 1970.
   */
  keep(now: number): NewMarks[];
}

/** Only the lines of one second in this many are compared. */
const ONE_IN = 16;
/** Two servers may write a few equal lines by chance, but not more than these. */
const LEAST = { lines: 5, share: 0.02 };
/** In seconds: servers write lines this late. What is in a file a second time comes later than that. */
const LATE = 60;

/**
 * Creates a check for lines that are in two logs: files may overlap, such as two backups of one log, and such lines count
 * twice. It compares a sample that is chosen by time, and so is the same in every file. Lines of closed days that an earlier
 * process read need no check: they are only counted when all their files are read again.
 */
export function createRepeatCheck(
  contents: ReadonlyMap<string, LogContent>,
  calendar: LogCalendar,
  kept: readonly KeptMarks[] = [],
): RepeatCheck {
  const days = createComparedDays(calendar, kept);

  /** Contents by index, which never changes. */
  let inOrder: LogContent[] = [];
  const places = new Map<LogContent, number>();
  const placeOf = (content: LogContent): number => {
    if (!places.has(content)) {
      inOrder = [...contents.values()];
      inOrder.forEach((content, place) => {
        places.set(content, place);
      });
    }
    return places.get(content) ?? 0;
  };

  return {
    check: (line, time, content) => {
      const isBack = time < content.latest - LATE;
      if (isBack && fingerprintLine(line) === content.fingerprint) {
        content.repeats.isTwice = true;
        content.repeats.path ||= content.path;
      }
      if (!isChosen(time)) return;
      const hash = hashText(line);
      const day = days.find(time);
      const place = placeOf(content);
      const first = findPlace(day, hash);
      content.repeats.compared++;
      if (first === undefined) days.add(day, hash, place);
      else if (first !== place || isBack) {
        content.repeats.repeated++;
        content.repeats.path = inOrder[first]?.path ?? "";
      }
    },
    keep: days.keep,
  };
}

/** Mixes the bits of a time in seconds (Knuth's multiplicative hash), since requests may come at regular intervals. */
const isChosen = (time: number): boolean => Math.imul(time, 2_654_435_761) >>> 0 < 2 ** 32 / ONE_IN;

/** The contents that overlap with another one, or have their own lines twice. */
export const listRepeated = (contents: Iterable<LogContent>): LogContent[] =>
  [...contents].filter(
    ({ repeats: { repeated, compared, isTwice } }) =>
      isTwice || (repeated >= LEAST.lines && repeated >= LEAST.share * compared),
  );

/** Takes over what was found when the same files were read again. */
export function takeRepeats(contents: Iterable<LogContent>, again: readonly LogContent[]): void {
  for (const content of contents) {
    const found = again.find(
      ({ fingerprint, path }) => fingerprint === content.fingerprint && path === content.path,
    );
    if (found !== undefined && (found.repeats.isTwice || found.repeats.repeated > content.repeats.repeated))
      content.repeats = found.repeats;
  }
}

/** Which lines count twice, and how they count once. @param path What `listRepeated` found of the file. */
export function describeRepeat(file: string, path: string): { detail: string; fix: string } {
  return path === file
    ? { detail: `${file} has lines twice, which count twice.`, fix: "Remove the second ones." }
    : {
        detail: `${file} has lines of ${path || "a file that is gone"}, which count twice.`,
        fix: "Give each log once.",
      };
}

/** The warning that lines of a site count twice. Only the dry run and doctor name files. */
export function warnOfRepeats(contents: Iterable<LogContent>, domain: string): Warning[] {
  const repeated = listRepeated(contents).filter(({ site }) => site === undefined || site === domain);
  if (repeated.length === 0) return [];
  const detail =
    "Some lines are in the log files twice, and count twice. On the server, analytics-mcp logs shows which files: give each log once.";
  return [{ code: "repeated_lines", detail }];
}
