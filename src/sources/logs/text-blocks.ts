import type { Readable } from "node:stream";

/** Whole lines of a file. */
export interface TextBlock {
  /** Lines with their line feeds. */
  text: string;
  /** How many bytes of the stream they are, with those of lines that are left out. */
  bytes: number;
  /** Lines left out because they are too long. */
  tooLong: number;
  /** The last bytes that were read, with those of earlier blocks: at most `TAIL`. */
  tail: Buffer;
}

/** How many bytes are kept to know a file again. */
export const TAIL = 1_024;

/** In bytes: longer lines are no log lines. */
export const LONGEST_LINE = 65_536;

const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
/** Windows programs begin a file with it, and files are joined. */
const BYTE_ORDER_MARK = 0xfeff;

/** Whether a line is longer than a log's can be. */
export const isTooLong = (line: string): boolean =>
  3 * line.length > LONGEST_LINE && Buffer.byteLength(line) > LONGEST_LINE;

/**
 * Reads a stream of bytes as blocks of whole lines. A last line without a line feed is left out, since its writer may not
 * be done, unless `isFinished`.
 *
 * @param tail The bytes before the stream's first.
 */
export async function* readBlocks(
  stream: Readable,
  isFinished: boolean,
  tail: Buffer = Buffer.alloc(0),
): AsyncGenerator<TextBlock> {
  let rest: Buffer = Buffer.alloc(0);
  let kept = tail;
  // Whether the line that is being read is too long already: only of such a line, a part is taken.
  let isCutting = tail.length > 0 && tail.at(-1) !== LINE_FEED;
  // How many zeros come before `rest`.
  let zeros = 0;
  const takeBlock = (bytes: Buffer, text: string, tooLong = 0): TextBlock => {
    kept =
      bytes.length >= TAIL
        ? Buffer.from(bytes.subarray(-TAIL))
        : Buffer.concat([kept, Buffer.alloc(Math.min(zeros, TAIL)), bytes]).subarray(-TAIL);
    const block = { text, bytes: zeros + bytes.length, tooLong, tail: kept };
    zeros = 0;
    return block;
  };
  const setRest = (bytes: Buffer) => {
    const start = countZeros(bytes);
    zeros += start;
    rest = bytes.subarray(start);
  };
  for await (const chunk of stream) {
    let bytes: Buffer = chunk;
    if (isCutting) {
      const end = bytes.indexOf(LINE_FEED);
      isCutting = end < 0;
      yield takeBlock(isCutting ? bytes : bytes.subarray(0, end + 1), "");
      if (isCutting) continue;
      bytes = bytes.subarray(end + 1);
    }
    const last = bytes.lastIndexOf(LINE_FEED);
    if (last < 0) {
      setRest(rest.length === 0 ? bytes : Buffer.concat([rest, bytes]));
      if (rest.length <= LONGEST_LINE) continue;
      isCutting = true;
      yield takeBlock(rest, "", 1);
      rest = Buffer.alloc(0);
      continue;
    }
    const whole = Buffer.concat([rest, bytes.subarray(0, last + 1)]);
    rest = Buffer.alloc(0);
    yield takeBlock(whole, whole.toString());
    setRest(Buffer.from(bytes.subarray(last + 1)));
  }
  if (isFinished && rest.length > 0) yield takeBlock(rest, `${rest}\n`);
}

/**
 * Zeros in front of a line are no part of it: whoever writes to a fixed offset leaves them when logrotate empties the file
 * (copytruncate), up to gigabytes of them.
 */
function countZeros(bytes: Buffer): number {
  const start = bytes.findIndex((byte) => byte !== 0);
  return start < 0 ? bytes.length : start;
}

/** Calls back for each line of a block, without its line feed. */
export function forEachLine(text: string, take: (line: string) => void): void {
  for (let from = 0; from < text.length; ) {
    const end = text.indexOf("\n", from);
    const to = end < 0 ? text.length : end;
    let start = text.charCodeAt(from) === BYTE_ORDER_MARK ? from + 1 : from;
    while (text.charCodeAt(start) === 0) start++;
    const line = text.slice(start, text.charCodeAt(to - 1) === CARRIAGE_RETURN ? to - 1 : to);
    if (line !== "") take(line);
    from = to + 1;
  }
}
