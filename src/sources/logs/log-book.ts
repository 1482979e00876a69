import { AnalyticsError } from "../../errors.ts";
import { cleanText } from "../../render/clean-text.ts";
import type { Collector } from "./collector.ts";
import type { KeptMarks } from "./compared-days.ts";
import { explainDamage, type FileHead, readHead } from "./file-head.ts";
import { createContentFinder } from "./find-content.ts";
import { type FoundFile, findFiles, refuseUnreadable, STDIN } from "./find-files.ts";
import { isHeader } from "./formats/w3c.ts";
import { createContent, hashTail, type LogContent } from "./log-content.ts";
import { readContent } from "./log-file.ts";
import type { LineParser, LogFormat, LogLine } from "./log-line.ts";
import type { Outcome } from "./outcomes.ts";
import { createRepeatCheck, type RepeatCheck } from "./repeated-lines.ts";
import type { LogSettings } from "./settings.ts";
import { forEachLine, isTooLong, readBlocks, type TextBlock } from "./text-blocks.ts";

export interface LogBook {
  /** Reads what was written since the last time. */
  refresh(signal?: AbortSignal): Promise<void>;
  readonly contents: ReadonlyMap<string, LogContent>;
  /** Whether a file still has the content. */
  isPresent(content: LogContent): boolean;
  /** Files that were found but not read, with the reason. */
  readonly leftOut: ReadonlyMap<string, string>;
  keepMarks: RepeatCheck["keep"];
}

/** Sees each request, for a report. */
export type Observe = (line: LogLine, outcome: Outcome, content: LogContent) => void;

/** Creates a log book: it knows which lines of which files the collector already has. */
export function createLogBook(
  settings: LogSettings,
  collector: Collector,
  clock: () => number,
  observe?: Observe,
  kept: { contents: readonly LogContent[]; marks: readonly KeptMarks[] } = { contents: [], marks: [] },
): LogBook {
  const contents = new Map(
    kept.contents.map((content, index) => [`${content.fingerprint} ${index}`, content]),
  );
  const leftOut = new Map<string, string>();
  const { check: checkRepeat, keep: keepMarks } = createRepeatCheck(contents, settings.timezone, kept.marks);
  /** What was last seen at a path. */
  const seen = new Map<string, { size: number; modified: number }>();
  let found: FoundFile[] = [];
  const { findRead, findWhole } = createContentFinder(contents, settings.format, () => found);

  const openReader = async (file: FoundFile): Promise<Reader | undefined> => {
    const head = await readHead(file, settings.format);
    leftOut.delete(file.path);
    if (head.detected.kind !== "access" || head.fingerprint === "") {
      const reason = explainLeftOut(head, settings.format);
      if (reason !== undefined) leftOut.set(file.path, reason);
      return undefined;
    }
    const { format } = head.detected;
    const parse = format.createParser();
    const known = await findRead(file, head);
    if (known !== undefined)
      return { ...createReader(file, head, known.content, parse, known.tail), checkRepeat };
    const whole = await findWhole(file, head);
    if (whole !== undefined) {
      leftOut.set(file.path, `has lines of ${whole.path}`);
      return undefined;
    }
    const content = createContent(file, head.fingerprint, format.name);
    // The log that was at this path has another name now, or is gone.
    for (const other of contents.values()) if (other.path === file.path) other.path = "";
    contents.set(`${head.fingerprint} ${contents.size}`, content);
    return { ...createReader(file, head, content, parse, Buffer.alloc(0)), checkRepeat };
  };

  /** Reads one file for each log, and returns further files that hold one of the same logs. */
  const readSome = async (files: readonly FoundFile[], signal?: AbortSignal): Promise<FoundFile[]> => {
    const readers = new Map<LogContent, Reader>();
    const later: FoundFile[] = [];
    for (const file of files) {
      const reader = await guard(file.path, () => openReader(file), leftOut);
      if (reader === undefined) continue;
      if (readers.has(reader.content)) later.push(file);
      else readers.set(reader.content, reader);
    }
    await readInOrder([...readers.values()], collector, observe, signal);
    return later;
  };

  const readAll = async (signal?: AbortSignal) => {
    found = await findFiles(settings);
    const changed = found.filter(({ path, size, modified }) => {
      const last = seen.get(path);
      return last?.size !== size || last.modified !== modified;
    });
    for (let rest = changed; rest.length > 0; ) rest = await readSome(rest, signal);
    for (const { path, size, modified } of changed) seen.set(path, { size, modified });
    const paths = new Set(found.map(({ path }) => path));
    for (const path of [...seen.keys(), ...leftOut.keys()]) {
      if (paths.has(path)) continue;
      seen.delete(path);
      leftOut.delete(path);
    }
    if (contents.size === 0) throw refuseAll(leftOut, settings.format);
    collector.seal(clock() / 1000, true);
  };

  let running: Promise<void> | undefined;
  return {
    contents,
    leftOut,
    keepMarks,
    isPresent: ({ path }) => path !== STDIN && seen.has(path),
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

interface Reader {
  checkRepeat: RepeatCheck["check"];
  file: FoundFile;
  content: LogContent;
  parse: LineParser;
  blocks: AsyncGenerator<TextBlock>;
  /** Seconds since 1970 of the last line that was read: the reader with the earliest one goes next. */
  time: number;
}

function createReader(
  file: FoundFile,
  head: FileHead,
  content: LogContent,
  parse: LineParser,
  tail: Buffer,
): Omit<Reader, "checkRepeat"> {
  if (content.header !== undefined) parse(content.header);
  const open = async function* () {
    const stream = await readContent(file, head.compression, content.read);
    // Compressed files and pipes have no unfinished last line.
    const isFinished = head.compression !== undefined || file.open !== undefined;
    yield* readBlocks(stream, isFinished, tail);
  };
  return { file, content, parse, blocks: open(), time: head.firstTime };
}

/** Reads several files as if they were one, ordered by time, so that few days are open at once. */
async function readInOrder(
  readers: Reader[],
  collector: Collector,
  observe: Observe | undefined,
  signal: AbortSignal | undefined,
): Promise<void> {
  const waiting = [...readers];
  try {
    while (waiting.length > 0) {
      signal?.throwIfAborted();
      const next = waiting.reduce((a, b) => (b.time < a.time ? b : a));
      const block = await readNext(next);
      if (block === undefined) waiting.splice(waiting.indexOf(next), 1);
      else {
        takeBlock(next, block, collector, observe);
        collector.seal(Math.min(...waiting.map(({ time }) => time)), false);
      }
    }
  } finally {
    // Closes their files.
    for (const { blocks } of waiting) await blocks.return(undefined);
  }
}

async function readNext({ file, content, blocks }: Reader): Promise<TextBlock | undefined> {
  try {
    const { value, done } = await blocks.next();
    return done ? undefined : value;
  } catch (cause) {
    if (Object(cause).code === "ENOENT") return undefined;
    if (Object(cause).syscall !== undefined) throw refuseUnreadable(file.path, cause);
    content.damage = explainDamage(cause);
    return undefined;
  }
}

function takeBlock(
  reader: Reader,
  block: TextBlock,
  collector: Collector,
  observe: Observe | undefined,
): void {
  const { content, parse } = reader;
  forEachLine(block.text, (line) => {
    content.lines++;
    if (isTooLong(line)) {
      content.tooLong++;
      return;
    }
    const parsed = parse(line);
    if (parsed === undefined) {
      content.unreadable++;
      if (content.examples.length < 3) content.examples.push(cleanText(line, 120));
    } else if (parsed === "comment") {
      content.comments++;
      if (isHeader(line)) content.header = line;
    } else {
      reader.checkRepeat(line, parsed.time, content);
      reader.time = parsed.time;
      content.earliest = Math.min(content.earliest, parsed.time);
      content.latest = Math.max(content.latest, parsed.time);
      const outcome = collector.add(parsed, content.site);
      observe?.(parsed, outcome, content);
    }
  });
  content.lines += block.tooLong;
  content.tooLong += block.tooLong;
  content.read += block.bytes;
  content.tail = hashTail(block.tail);
  // Reading went on after the damage, so the file was only unfinished.
  content.damage = undefined;
}

function explainLeftOut(
  { detected, sample, damage }: FileHead,
  asked: LogFormat | undefined,
): string | undefined {
  const [first] = sample;
  if (first === undefined) return damage && `cannot be read: ${damage.replace(/\.$/, "")}`;
  if (detected.kind === "error-log") return "is an error log";
  const firstLine = `its first line is ${JSON.stringify(cleanText(first, 120))}`;
  if (detected.kind === "unknown") return `is in no known format; ${firstLine}`;
  return asked && `has no request in the format ${asked.name}; ${firstLine}`;
}

function refuseAll(leftOut: ReadonlyMap<string, string>, asked: LogFormat | undefined): AnalyticsError {
  const [first] = leftOut;
  const reason = first === undefined ? "The logs are empty." : `${first[0]} ${first[1]}.`;
  const advice = asked === undefined ? "" : "Leave out --log-format to have the format recognized. ";
  return new AnalyticsError("usage", `There is no request in the logs. ${reason}`, {
    hint: `${advice}Known formats: combined and common (nginx, Apache, Lighttpd, Traefik), JSON lines (Caddy, nginx, Traefik), W3C (IIS, CloudFront) and AWS ALB.`,
  });
}

async function guard<T>(
  path: string,
  read: () => Promise<T>,
  leftOut: Map<string, string>,
): Promise<T | undefined> {
  try {
    return await read();
  } catch (cause) {
    if (Object(cause).code === "ENOENT") return undefined;
    if (isCutShort(cause)) {
      // It may be being compressed at this moment: it is read again once it has changed.
      leftOut.set(path, "is damaged or incomplete");
      return undefined;
    }
    if (cause instanceof AnalyticsError || Object(cause).syscall === undefined) throw cause;
    throw refuseUnreadable(path, cause);
  }
}

/** Whether compressed data is damaged or ends early: zlib's codes are words that begin with Z, fzstd's are numbers. */
function isCutShort(error: unknown): boolean {
  const { code } = Object(error);
  return typeof code === "number" || String(code).startsWith("Z");
}
