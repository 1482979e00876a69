import { basename } from "node:path";
import type { Days } from "../../../operations/days.ts";
import type { Warning } from "../../../operations/warning.ts";
import { formatCount } from "../../../render/plural.ts";
import type { LogCalendar } from "../day-span.ts";
import type { FileRegistry } from "./file-registry.ts";
import type { LogContent, UnreadFile, UnreadLines } from "./log-content.ts";

/** What could not be read of some days, enough to be said. */
interface UnreadInput {
  lines: number;
  /** How many of them are dated in the future. */
  future: number;
  bytes: number;
  /** In parts of all bytes of these days. */
  share: number;
  files: readonly UnreadFile[];
  /** The first and the last of the days that it may be of, and whether that is known of all files. */
  days: Days;
  isKnown: boolean;
}

/** In parts of all bytes of the days: less is not said. */
const LEAST_SHARE = 0.01;

type Input = Pick<FileRegistry, "contents" | "unreadFiles">;

/**
 * Finds what could not be read of some days: at least 1% of the bytes, a line that is dated in the future, or a file.
 *
 * @param site Whose lines these may be; those of any if undefined.
 */
export function findUnread(
  { contents, unreadFiles }: Input,
  { site, from, to }: Days & { site: string | undefined },
  calendar: LogCalendar,
): UnreadInput | undefined {
  const [start, end] = [calendar.spanOf(from).start, calendar.spanOf(to).end];
  const isOwn = (file: { site?: string | undefined }) =>
    site === undefined || file.site === undefined || file.site === site;
  const own = [...contents.values()].filter(isOwn);
  const touching = own.flatMap((content) =>
    content.unread.flatMap((lines) => {
      const [first, last] = spanOf(lines, content);
      // Where they are in a long span, nobody knows.
      const part =
        last > first
          ? (Math.min(end, last) - Math.max(start, first)) / (last - first)
          : first >= start && first < end
            ? 1
            : 0;
      return part > 0 ? { ...lines, first, last, part } : [];
    }),
  );
  const sum = (key: "lines" | "bytes" | "future") =>
    Math.ceil(touching.reduce((total, lines) => total + lines.part * (lines[key] ?? 0), 0));
  const read = own.reduce((total, { days }) => total + countBytes(days, { from, to }), 0);
  const [lines, future, bytes] = [sum("lines"), sum("future"), sum("bytes")];
  const share = bytes === 0 ? 0 : bytes / (bytes + read);
  const hasLines = share >= LEAST_SHARE || future > 0;
  const files = [...unreadFiles.values()].filter(
    (file) => isOwn(file) && (file.from ?? start) < end && file.until >= start,
  );
  if (!hasLines && files.length === 0) return undefined;
  const spans = [
    ...(hasLines ? touching : []),
    ...files.map((file) => ({ first: file.from ?? start, last: file.until })),
  ];
  const dateOf = (time: number) => calendar.find(Math.max(start, Math.min(end - 1, time))).date;
  return {
    ...(hasLines ? { lines, future, bytes, share } : { lines: 0, future: 0, bytes: 0, share: 0 }),
    files,
    days: {
      from: dateOf(Math.min(...spans.map(({ first }) => first))),
      to: dateOf(Math.max(...spans.map(({ first, last }) => Math.max(first, last - 1)))),
    },
    isKnown: files.every((file) => file.from !== null),
  };
}

/** When unread lines were written at the earliest and at the latest, in seconds since 1970. */
function spanOf({ after, before }: UnreadLines, { latest, written }: LogContent): [number, number] {
  const last = before ?? Math.max(after ?? latest, written);
  return [after ?? last, last];
}

const countBytes = (days: LogContent["days"], { from, to }: Days): number =>
  Object.entries(days).reduce((sum, [date, bytes]) => (from <= date && date <= to ? sum + bytes : sum), 0);

/** The same as a warning. It names files without their folders, since others see it, too. */
export function warnOfUnread(input: Input, asked: Days & { site: string }, calendar: LogCalendar): Warning[] {
  const found = findUnread(input, asked, calendar);
  if (found === undefined) return [];
  const { lines, bytes, share, future, files, days } = found;
  const values = {
    ...days,
    lines,
    bytes,
    percent: roundPercent(share),
    future,
    files: countFiles(files),
    file_bytes: files.reduce((sum, file) => sum + file.bytes, 0),
  };
  const detail = `${describeUnread(found, asked, basename)} These numbers lack them. On the server, analytics-mcp doctor says more.`;
  return [{ code: "unread_input", detail, values }];
}

/** In sentences. @param nameFile How to show a path. */
export function describeUnread(
  { lines, future, share, files, days, isKnown }: UnreadInput,
  asked: Days,
  nameFile: (path: string) => string = (path) => path,
): string {
  const when = nameDays(days);
  const ofAsked = nameDays(asked);
  const where = when === ofAsked ? "" : `, on ${when}`;
  const areFuture = `${isOrAre(future)} dated in the future`;
  const reason =
    future >= lines ? areFuture : `could not be read${future > 0 ? `, ${future} of which ${areFuture}` : ""}`;
  const aboutLines = `Of the log of ${ofAsked}, ${formatCount(lines, "line")} (${roundPercent(share)}% by size${where}) ${reason}.`;
  const [first] = files;
  const count = countFiles(files);
  const names =
    count === 1
      ? `The log file ${nameFile(first?.path ?? "")} is`
      : `${count} log files, such as ${nameFile(first?.path ?? "")}, are`;
  const aboutFiles = `${names} in no known format and may have lines of ${isKnown ? when : "some of these days"}.`;
  return [...(lines > 0 ? [aboutLines] : []), ...(files.length > 0 ? [aboutFiles] : [])].join(" ");
}

const isOrAre = (count: number) => (count === 1 ? "is" : "are");
const nameDays = ({ from, to }: Days) => (from === to ? from : `${from} to ${to}`);
const countFiles = (files: readonly UnreadFile[]) => files.reduce((sum, file) => sum + file.files, 0);
const roundPercent = (share: number) => Math.round(1000 * share) / 10;
