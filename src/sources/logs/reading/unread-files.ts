import type { FoundFile } from "./find-files.ts";
import { fingerprintLine, type LogContent, type UnreadFile } from "./log-content.ts";

/** The files of which no line can be read, also those that are gone. */
export interface UnreadFiles {
  /** By the fingerprint of their first line. */
  readonly files: ReadonlyMap<string, UnreadFile>;
  /** @param sample Its first lines. */
  note(file: FoundFile, sample: readonly string[]): void;
  /** Notes that a file with these first lines can be read. */
  forget(sample: readonly string[]): void;
  /**
   * Finds out which days the files are of that were noted, once all other files are read.
   *
   * @param now Seconds since 1970.
   */
  settle(contents: Iterable<LogContent>, now: number): void;
}

/** Of more files, the oldest are put together. */
const MAX_FILES = 100;

export function createUnreadFiles(kept: Iterable<readonly [string, UnreadFile]> = []): UnreadFiles {
  const files = new Map(kept);
  const noted = new Map<string, { file: FoundFile; line: string }>();
  return {
    files,
    note: (file, sample) => {
      const line = findFirst(sample);
      // The only line of a file may not be complete yet.
      if (line !== undefined && sample.length > 1) noted.set(fingerprintLine(line), { file, line });
    },
    forget: (sample) => {
      const line = findFirst(sample);
      if (files.size > 0 && line !== undefined) files.delete(fingerprintLine(line));
    },
    settle: (contents, now) => {
      for (const [key, { file, line }] of noted) {
        const { path, site, size, modified } = file;
        const before = files.get(key);
        files.delete(key);
        const until = modified > 0 ? Math.min(modified / 1000, now) : now;
        const from = readDate(line, until) ?? findNeighbour(path, until, contents, files) ?? before?.from;
        const bytes = Math.max(size, before?.bytes ?? 0);
        files.set(key, { path, site, files: 1, bytes, from: from ?? null, until });
      }
      noted.clear();
      while (files.size > MAX_FILES) joinOldest(files);
    },
  };
}

const findFirst = (sample: readonly string[]) => sample.find((line) => !line.startsWith("#"));

const MAX_SEARCHED = 2_000;
const DATE = /\b(?:(\d{4}-\d\d-\d\d)|(\d\d)\/([A-Z][a-z]{2})\/(\d{4}))(?!\d)/;

/** The first date in a line, in seconds since 1970; undefined if it has none, or a later one than its file. */
function readDate(line: string, until: number): number | undefined {
  const [, iso, day, month, year] = DATE.exec(line.slice(0, MAX_SEARCHED)) ?? [];
  const time = Date.parse(iso ?? `${day} ${month} ${year} UTC`) / 1000;
  return time > 0 && time <= until ? time : undefined;
}

/** When the file ended that was rotated before, in seconds since 1970. */
function findNeighbour(
  path: string,
  until: number,
  contents: Iterable<LogContent>,
  files: ReadonlyMap<string, UnreadFile>,
): number | undefined {
  const others = [
    ...[...contents].map((content) => ({ path: content.path, end: content.latest })),
    ...[...files.values()].map((file) => ({ path: file.path, end: file.until })),
  ];
  const ends = others.flatMap((other) =>
    nameLog(other.path) === nameLog(path) && other.end <= until ? other.end : [],
  );
  const last = Math.max(...ends);
  return Number.isFinite(last) ? last : undefined;
}

/** The name of a log before it was rotated and compressed. */
const nameLog = (path: string) => path.replace(/\.(?:gz|zst)$/, "").replace(/[.-]\d+$/, "");

function joinOldest(files: Map<string, UnreadFile>): void {
  const [[key, first] = [], [other, second] = []] = [...files].sort(([, a], [, b]) => a.until - b.until);
  if (first === undefined || second === undefined || key === undefined || other === undefined) return;
  files.delete(key);
  files.set(other, {
    ...second,
    files: first.files + second.files,
    bytes: first.bytes + second.bytes,
    from: first.from === null || second.from === null ? null : Math.min(first.from, second.from),
    // Of several sites, they may be of any.
    site: first.site === second.site ? first.site : undefined,
  });
}
