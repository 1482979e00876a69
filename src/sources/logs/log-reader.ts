import { cleanText } from "../../render/clean-text.ts";
import type { Collector } from "./collector.ts";
import { explainDamage, type FileHead, readHead } from "./file-head.ts";
import { createUnreadableError, type FoundFile } from "./find-files.ts";
import { isHeader } from "./formats/w3c.ts";
import { hashTail, type LogContent } from "./log-content.ts";
import { readContent } from "./log-file.ts";
import type { LineParser, LogFormat, LogLine } from "./log-line.ts";
import type { Outcome } from "./outcomes.ts";
import type { RepeatCheck } from "./repeated-lines.ts";
import { forEachLine, isTooLong, readBlocks, type TextBlock } from "./text-blocks.ts";

/** Sees each request, for a report. */
export type Observe = (line: LogLine, outcome: Outcome, content: LogContent) => void;

/** What to read of a file. */
export interface ReadingTask {
  file: FoundFile;
  head: FileHead;
  content: LogContent;
  parse: LineParser;
  /** The last bytes that were read. */
  tail: Buffer;
  checkRepeat: RepeatCheck["check"];
  /** Called before lines are taken. */
  begin(): void;
}

export interface Reader extends ReadingTask {
  blocks: AsyncGenerator<TextBlock>;
  /** Seconds since 1970 of the last line that was read: the reader with the earliest one goes next. */
  time: number;
  /** Whether the path had another log, or none, when it was opened. */
  isMoved: boolean;
}

/** @param format The one to read all files in, if it was asked for. */
export function createReader(task: ReadingTask, format: LogFormat | undefined): Reader {
  const { content, parse, head } = task;
  if (content.header !== undefined) parse(content.header);
  return { ...task, blocks: openBlocks(task, format), time: head.firstTime, isMoved: false };
}

async function* openBlocks(
  { file, head, content, tail }: ReadingTask,
  format: LogFormat | undefined,
): AsyncGenerator<TextBlock> {
  const stream = await readContent(file, head.compression, content.read);
  // Compressed files and pipes have no unfinished last line.
  const isFinished = head.compression !== undefined || file.open !== undefined;
  const blocks = readBlocks(stream, isFinished, tail);
  try {
    const first = await blocks.next();
    const isRead = first.done && content.read > 0 && content.read >= file.size;
    if (!isRead) await checkPath(file, head, format);
    if (first.done) return;
    yield first.value;
    yield* blocks;
  } finally {
    await blocks.return(undefined);
  }
}

/** The path has another log than before. */
class LogMoved extends Error {}

/**
 * Throws LogMoved if a file that has just been opened may be another than the one that was looked at. Older files are read
 * first, which takes seconds, and logs may be rotated meanwhile. Then a path has a newer log, never again the one of before.
 */
async function checkPath(file: FoundFile, { fingerprint }: FileHead, format: LogFormat | undefined) {
  if (file.open !== undefined) return;
  if ((await readHead(file, format)).fingerprint !== fingerprint) throw new LogMoved();
}

/** Reads several files as if they were one, ordered by time, so that few days are open at once. */
export async function readInOrder(
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
        next.begin();
        takeBlock(next, block, collector, observe);
        collector.seal(Math.min(...waiting.map(({ time }) => time)), false);
      }
    }
  } finally {
    // Closes their files.
    for (const { blocks } of waiting) await blocks.return(undefined);
  }
}

async function readNext(reader: Reader): Promise<TextBlock | undefined> {
  const { file, content, blocks } = reader;
  try {
    const { value, done } = await blocks.next();
    return done ? undefined : value;
  } catch (cause) {
    reader.isMoved = cause instanceof LogMoved || Object(cause).code === "ENOENT";
    if (reader.isMoved) return undefined;
    if (Object(cause).syscall !== undefined) throw createUnreadableError(file.path, cause);
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
