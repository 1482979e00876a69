/*
 * The way of a line, from the files to a request:
 *
 * find-files.ts      patterns become files
 * file-head.ts       the first lines of a file show its format
 * find-content.ts    finds what was read of the same log before, even if its file had another name
 * log-reader.ts      reads all files together, the oldest line first
 *   log-file.ts        bytes, decompressed
 *   text-blocks.ts     whole lines
 *   formats/           a LogLine, the same for all formats
 *   repeated-lines.ts  counts lines that are in two files
 * lost-lines.ts      says which days' lines may be missing
 * unread-lines.ts    notes between which lines some could not be read
 * unread-files.ts    notes files of which none can
 * unread-input.ts    says what that is of some days
 *
 * A LogLine then goes to the collector, see counting/collector.ts.
 */

import { AnalyticsError, quote, readErrorCode } from "../../../errors.ts";
import { cleanText } from "../../../render/clean-text.ts";
import type { LogSettings } from "../settings.ts";
import type { KeptMarks } from "./compared-days.ts";
import { type FileHead, readHead, SAMPLE_LINES } from "./file-head.ts";
import { createContentFinder } from "./find-content.ts";
import { createUnreadableError, type FoundFile, findFiles, STDIN } from "./find-files.ts";
import { createLineParser, detectFormat, logFormats } from "./formats/index.ts";
import { createContent, type LogContent, type UnreadFile } from "./log-content.ts";
import type { LogFormat } from "./log-line.ts";
import { createReader, type LineSink, type Reader, readInOrder } from "./log-reader.ts";
import type { LeftOut } from "./lost-lines.ts";
import { adviseOnOthers, adviseOnRotated, assertOneSite } from "./named-logs.ts";
import { createRepeatCheck, type RepeatCheck } from "./repeated-lines.ts";
import { createUnreadFiles } from "./unread-files.ts";

export interface FileRegistry {
  /** Reads what was written since the last time. */
  refresh(signal?: AbortSignal): Promise<void>;
  readonly contents: ReadonlyMap<string, LogContent>;
  /** Whether any content is still in a file. */
  hasFiles(): boolean;
  /** Whether a file still has the content. */
  isPresent(content: LogContent): boolean;
  /** Files that were found but not read, by path. */
  readonly leftOut: ReadonlyMap<string, LeftOut>;
  /** The files in no known format, also those that are gone. */
  readonly unreadFiles: ReadonlyMap<string, UnreadFile>;
  keepMarks: RepeatCheck["keep"];
}

/** Rotation takes a moment, and then none for hours. */
const MAX_PASSES = 5;

/** Creates a registry of the files that the settings name. It knows which of their lines the sink already has. */
export function createFileRegistry(
  settings: LogSettings,
  sink: LineSink,
  clock: () => number,
  kept: {
    contents: readonly LogContent[];
    marks: readonly KeptMarks[];
    unreadFiles?: Iterable<readonly [string, UnreadFile]>;
  } = { contents: [], marks: [] },
): FileRegistry {
  const contents = new Map(
    kept.contents.map((content, index) => [`${content.fingerprint} ${index}`, content]),
  );
  const leftOut = new Map<string, LeftOut>();
  const unread = createUnreadFiles(kept.unreadFiles);
  const { calendar } = settings;
  const { check: checkRepeat, keep: keepMarks } = createRepeatCheck(contents, calendar, kept.marks);
  /** What was last seen at a path. */
  const seen = new Map<string, Pick<FoundFile, "size" | "modified" | "inode">>();
  /** Which content was last found at a path. */
  const holders = new Map<string, LogContent>();
  /** The paths of files that were read to their end. */
  const whole = new Set<string>();
  let found: FoundFile[] = [];
  /** Contents of which nothing was read yet: a path may have another log once it is opened. */
  const fresh = new Set<LogContent>();
  const readHeadOf = (file: FoundFile) => readHead(file, settings.format);
  const { findRead, findWhole } = createContentFinder(
    () => [...contents.values(), ...fresh],
    () => found,
    readHeadOf,
  );

  /** A file that is being compressed ends early until that is done: another one has its lines. */
  const isHeldWhole = (content: LogContent) =>
    found.some(({ path }) => whole.has(path) && holders.get(path) === content);
  /** @param known What was read of the same log before. */
  const leaveOutDamaged = (file: FoundFile, reason: string, known: readonly LogContent[] = []) => {
    const { path, site, modified } = file;
    const isBeingMade = found.some((other) => other.path === path.replace(/\.[^./\\]+$/, ""));
    const from =
      known.length === 0 ? Number.NEGATIVE_INFINITY : Math.min(...known.map(({ latest }) => latest));
    const lost = { path, site, reason, from, until: modified / 1000 };
    leftOut.set(path, isBeingMade ? { reason } : { reason, lost, known });
  };

  const takePath = ({ path }: FoundFile, content: LogContent) => {
    holders.set(path, content);
    // The log that was at this path has another name now, or is gone.
    for (const other of contents.values()) if (other !== content && other.path === path) other.path = "";
  };

  const openReader = async (file: FoundFile): Promise<Reader | undefined> => {
    const head = await readHeadOf(file);
    leftOut.delete(file.path);
    holders.delete(file.path);
    whole.delete(file.path);
    if (head.detected.kind !== "access" || head.fingerprint === "") {
      const damage = head.damage ?? findEmptied(file);
      const reason = explainLeftOut({ ...head, damage }, settings.format);
      if (reason === undefined) return undefined;
      if (damage === undefined) {
        leftOut.set(file.path, { reason, isKnown: isKnown(head) });
        if (head.detected.kind !== "error-log") unread.note(file, head.sample);
      } else leaveOutDamaged(file, reason);
      return undefined;
    }
    unread.forget(head.sample);
    const { format } = head.detected;
    const { compression, firstTime } = head;
    const parse = createLineParser(format);
    const isStillThere = async () =>
      file.open !== undefined || (await readHeadOf(file)).fingerprint === head.fingerprint;
    const createReaderOf = (content: LogContent, tail: Buffer) => {
      takePath(file, content);
      const begin = () => {
        if (fresh.delete(content)) contents.set(`${content.fingerprint} ${contents.size}`, content);
        const now = clock() / 1000;
        content.written = Math.max(content.written, file.open ? now : Math.min(file.modified / 1000, now));
      };
      const end = (damage?: string) => {
        if (damage === undefined) {
          whole.add(file.path);
          content.damage = undefined;
        } else if (!isHeldWhole(content)) {
          content.damage = { reason: damage, until: file.modified / 1000 };
        }
      };
      return createReader({
        file,
        compression,
        firstTime,
        isStillThere,
        parse,
        checkRepeat,
        calendar,
        content,
        tail,
        begin,
        end,
      });
    };
    const alike = [...contents.values()].filter(({ fingerprint }) => fingerprint === head.fingerprint);
    try {
      const known = await findRead(file, head);
      if (known !== undefined) return createReaderOf(known.content, known.tail);
      const longer = await findWhole(file, head);
      if (longer !== undefined) {
        leftOut.set(file.path, { reason: `has lines of ${longer.path}` });
        return undefined;
      }
    } catch (cause) {
      if (!isCutShort(cause)) throw cause;
      // It may be being compressed at this moment: it is read again once it has changed.
      leaveOutDamaged(file, "is damaged or incomplete", alike);
      return undefined;
    }
    const content = createContent(file, head, format.name);
    fresh.add(content);
    return createReaderOf(content, Buffer.alloc(0));
  };

  /** Reads one file for each log, and returns further files that hold one of the same logs. */
  const readSome = async (
    files: readonly FoundFile[],
    moved: Set<string>,
    signal?: AbortSignal,
  ): Promise<FoundFile[]> => {
    const readers = new Map<LogContent, Reader>();
    const later: FoundFile[] = [];
    for (const file of files) {
      const reader = await guard(file.path, () => openReader(file));
      if (reader === GONE) moved.add(file.path);
      else if (reader === undefined) continue;
      else if (readers.has(reader.content)) later.push(file);
      else readers.set(reader.content, reader);
    }
    assertOneSite(holders, settings);
    await readInOrder([...readers.values()], sink, clock() / 1000, signal);
    for (const { file, isMoved } of readers.values()) if (isMoved) moved.add(file.path);
    return later;
  };

  /** Reads the files that have changed, and returns those whose path had another log when they were opened. */
  const readChanged = async (signal?: AbortSignal): Promise<Set<string>> => {
    const moved = new Set<string>();
    fresh.clear();
    // What was counted stays, also when all files are gone.
    found = await findFiles({ ...settings, mayBeGone: settings.mayBeGone || contents.size > 0 });
    const changed = found.filter(({ path, size, modified, inode }) => {
      const last = seen.get(path);
      return last?.size !== size || last.modified !== modified || last.inode !== inode;
    });
    for (let rest = changed; rest.length > 0; ) rest = await readSome(rest, moved, signal);
    for (const file of changed) seen.set(file.path, file);
    const paths = new Set(found.map(({ path }) => path).filter((path) => !moved.has(path)));
    for (const path of [...seen.keys(), ...leftOut.keys()]) {
      if (paths.has(path)) continue;
      seen.delete(path);
      leftOut.delete(path);
      holders.delete(path);
      whole.delete(path);
    }
    return moved;
  };

  const readAll = async (signal?: AbortSignal) => {
    for (let pass = 1; ; pass++) {
      const before = contents.size;
      const moved = await readChanged(signal);
      if (moved.size === 0 && contents.size === before) break;
      // Logs may have been rotated meanwhile: what is under another name now was not read.
      if (pass < MAX_PASSES) continue;
      if (moved.size > 0) throw createMovedError();
      break;
    }
    for (const left of leftOut.values()) if (left.known?.some(isHeldWhole)) left.lost = undefined;
    unread.settle(contents.values(), clock() / 1000);
    if (contents.size === 0 && !settings.mayBeGone) throw createNoRequestError(leftOut, settings);
    sink.closeDays(clock() / 1000);
  };

  let running: Promise<void> | undefined;
  return {
    contents,
    leftOut,
    unreadFiles: unread.files,
    keepMarks,
    hasFiles: () => holders.size > 0,
    isPresent: (content) => content.path !== STDIN && holders.get(content.path) === content,
    // A caller waits for the reading that is running, and then for one of its own, since new lines may have come.
    refresh: async (signal) => {
      while (running) await running.catch(() => {});
      signal?.throwIfAborted();
      running = readAll(signal).finally(() => {
        running = undefined;
      });
      await running;
    },
  };
}

/** Whether the file is in a known format, whichever was asked for. */
const isKnown = ({ sample }: FileHead) => detectFormat(sample).kind === "access" || undefined;

/** What a full disk leaves of a log that was compressed. */
const findEmptied = ({ path, size, open }: FoundFile): string | undefined =>
  size === 0 && open === undefined && /\.(?:gz|zst)$/i.test(path) ? "The file is empty." : undefined;

function explainLeftOut(
  { detected, sample, isCut, damage }: FileHead,
  asked: LogFormat | undefined,
): string | undefined {
  const [first] = sample;
  if (first === undefined) return damage && `cannot be read: ${damage.replace(/\.$/, "")}`;
  if (detected.kind === "error-log") return "is an error log";
  const firstLine = `its first line is ${quote(cleanText(first, 120), { mark: "'" })}`;
  if (detected.kind === "unknown") {
    const begins = sample.length < SAMPLE_LINES ? "is" : `begins with ${SAMPLE_LINES} lines`;
    return `${begins} in no known format; ${firstLine}`;
  }
  if (asked === undefined) return undefined;
  const where = isCut ? "at its beginning has no request" : "has no request";
  return `${where} in the format ${cleanText(asked.name, 120)}; ${firstLine}`;
}

/** Which the doctor replaces by what it found. */
export const DOCTOR_LOOKS = ": analytics-mcp doctor looks for it.";

function createNoRequestError(
  leftOut: ReadonlyMap<string, LeftOut>,
  { files, format: asked }: Pick<LogSettings, "files" | "format">,
): AnalyticsError {
  const [first] = leftOut;
  if (first === undefined) {
    return new AnalyticsError("usage", "The logs are empty.", {
      hint:
        adviseOnRotated(files) ??
        adviseOnOthers(files) ??
        "If the site is new, visit one of its pages and ask again.",
    });
  }
  const reason = `${first[0]} ${first[1].reason}.`;
  const advice = adviseOnFormat(first[1], asked);
  const other = `For another one, give the server's own description with --log-format${DOCTOR_LOOKS}`;
  return new AnalyticsError("usage", `There is no request in the logs. ${reason}`, {
    hint: `${advice}Known formats: ${logFormats.map(({ title }) => title).join("; ")}. ${other}`,
  });
}

function adviseOnFormat({ isKnown }: LeftOut, asked: LogFormat | undefined): string {
  if (asked !== undefined) return isKnown ? "Leave out --log-format to have the format recognized. " : "";
  return "If its later lines have a known format, name it with --log-format. ";
}

function createMovedError(): AnalyticsError {
  return new AnalyticsError("unavailable", "The log files are renamed again and again while they are read.", {
    hint: "Ask again.",
  });
}

/** A file that was there when files were listed. */
const GONE = Symbol("gone");

async function guard<T>(path: string, read: () => Promise<T>): Promise<T | typeof GONE> {
  try {
    return await read();
  } catch (cause) {
    if (readErrorCode(cause) === "ENOENT") return GONE;
    if (cause instanceof AnalyticsError || Object(cause).syscall === undefined) throw cause;
    throw createUnreadableError(path, cause);
  }
}

/** Whether compressed data is damaged or ends early: zlib's codes are words that begin with Z, fzstd's are numbers. */
function isCutShort(error: unknown): boolean {
  const { code } = Object(error);
  return typeof code === "number" || String(code).startsWith("Z");
}
