import { readErrorCode } from "../../../errors.ts";
import { cleanText } from "../../../render/clean-text.ts";
import type { DaySpan, LogCalendar } from "../day-span.ts";
import { createUnreadableError, type FoundFile } from "./find-files.ts";
import { isHeader } from "./formats/w3c.ts";
import { hashTail, type LogContent } from "./log-content.ts";
import { type Compression, explainDamage, readContent } from "./log-file.ts";
import type { LineParser, LogLine } from "./log-line.ts";
import type { RepeatCheck } from "./repeated-lines.ts";
import { forEachLine, isTooLong, MAX_LINE_BYTES, readBlocks, type TextBlock } from "./text-blocks.ts";
import { addUnread, endUnread } from "./unread-lines.ts";

/** What the lines of the logs go to. */
export interface LineSink {
  add(line: LogLine, content: LogContent): unknown;
  /** Called after some lines: none from before `time` will come, in seconds since 1970, but late ones. */
  makeRoom(time: number): void;
  /** Called when everything was read. @param time Now, in seconds since 1970. */
  closeDays(time: number): void;
}

/** What to read of a file. */
export interface ReadingTask {
  file: FoundFile;
  compression: Compression;
  /** Seconds since 1970 of its first line. */
  firstTime: number;
  /** Whether the path still has the log that was looked at: older files are read first, and logs may be rotated meanwhile. */
  isStillThere(): Promise<boolean>;
  content: LogContent;
  parse: LineParser;
  /** The last bytes that were read. */
  tail: Buffer;
  checkRepeat: RepeatCheck["check"];
  calendar: LogCalendar;
  /** Called before lines are taken. */
  begin(): void;
  /** Called when reading has ended. @param damage Why it ended early, if it did. */
  end(damage?: string): void;
}

export interface Reader extends ReadingTask {
  blocks: AsyncGenerator<TextBlock>;
  /** Seconds since 1970 of the last line that was read: the reader with the earliest one goes next. */
  time: number;
  /** The same, or the latest of all before if none was read yet. */
  after: number;
  /** The day of that line. */
  day: DaySpan;
  /** Whether the path had another log, or none, when it was opened. */
  isMoved: boolean;
}

export function createReader(task: ReadingTask): Reader {
  const { content, parse, firstTime, calendar } = task;
  if (content.header !== undefined) parse(content.header);
  return {
    ...task,
    blocks: openBlocks(task),
    time: firstTime,
    after: content.latest,
    day: calendar.find(firstTime),
    isMoved: false,
  };
}

async function* openBlocks({
  file,
  compression,
  content,
  tail,
  isStillThere,
}: ReadingTask): AsyncGenerator<TextBlock> {
  const stream = await readContent(file, compression, content.read);
  // Compressed files and pipes have no unfinished last line.
  const isFinished = compression !== undefined || file.open !== undefined;
  const blocks = readBlocks(stream, isFinished, tail);
  try {
    const first = await blocks.next();
    const isRead = first.done && content.read > 0 && content.read >= file.size;
    // A path has a newer log then, never again the one of before.
    if (!isRead && !(await isStillThere())) throw new LogMoved();
    if (first.done) return;
    yield first.value;
    yield* blocks;
  } finally {
    await blocks.return(undefined);
  }
}

/** The path has another log than before. */
class LogMoved extends Error {}

/** In seconds: a server's clock can be ahead, or say another timezone than its lines. */
const DAY = 86_400;

/**
 * Reads several files as if they were one, ordered by time, so that few days are open at once.
 *
 * @param now Seconds since 1970.
 */
export async function readInOrder(
  readers: Reader[],
  sink: LineSink,
  now: number,
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
        takeBlock(next, block, sink, now);
        sink.makeRoom(Math.min(...waiting.map(({ time }) => time)));
      }
    }
  } finally {
    // Closes their files.
    for (const { blocks } of waiting) await blocks.return(undefined);
  }
}

async function readNext(reader: Reader): Promise<TextBlock | undefined> {
  const { file, blocks } = reader;
  try {
    const { value, done } = await blocks.next();
    if (!done) return value;
    reader.end();
    return undefined;
  } catch (cause) {
    reader.isMoved = cause instanceof LogMoved || readErrorCode(cause) === "ENOENT";
    if (reader.isMoved) return undefined;
    if (Object(cause).syscall !== undefined) throw createUnreadableError(file.path, cause);
    reader.end(explainDamage(cause));
    return undefined;
  }
}

/**
 * A line that is more than a day later than all else does not say when it was written. Where the others are later than now, it is this
 * machine's clock that is wrong.
 */
function takeBlock(reader: Reader, block: TextBlock, sink: LineSink, now: number): void {
  const { content, parse, calendar } = reader;
  const known = Math.max(now, reader.file.modified / 1000, reader.firstTime);
  const isFuture = (time: number) => time > Math.max(known, content.latest) + DAY;
  forEachLine(block.text, (line) => {
    content.lines++;
    if (isTooLong(line)) {
      content.tooLong++;
      addUnread(reader, line.length + 1);
      return;
    }
    const parsed = parse(line);
    if (parsed === undefined) {
      content.unreadable++;
      addUnread(reader, line.length + 1);
      if (content.examples.length < 3) content.examples.push(cleanText(line, 120));
    } else if (parsed === "comment") {
      content.comments++;
      if (isHeader(line)) content.header = line;
    } else if (isFuture(parsed.time)) {
      content.future++;
      addUnread(reader, line.length + 1, true);
    } else {
      endUnread(content, parsed.time);
      reader.checkRepeat(line, parsed.time, content);
      reader.time = parsed.time;
      reader.after = parsed.time;
      if (parsed.time < reader.day.start || parsed.time >= reader.day.end)
        reader.day = calendar.find(parsed.time);
      content.days[reader.day.date] = (content.days[reader.day.date] ?? 0) + line.length + 1;
      content.earliest = Math.min(content.earliest, parsed.time);
      content.latest = Math.max(content.latest, parsed.time);
      sink.add(parsed, content);
    }
  });
  content.lines += block.tooLong;
  content.tooLong += block.tooLong;
  for (let line = 0; line < block.tooLong; line++) addUnread(reader, MAX_LINE_BYTES);
  content.read += block.bytes;
  content.tail = hashTail(block.tail);
}
