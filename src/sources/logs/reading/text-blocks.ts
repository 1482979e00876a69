/** Whole lines of a file. */
export interface TextBlock {
  /** Lines with their line feeds. */
  text: string;
  /** How many bytes of the stream these are, including lines that were left out. */
  bytes: number;
  /** Lines left out because they are too long. */
  tooLong: number;
  /** The last bytes that were read, including earlier blocks: at most `TAIL`. */
  tail: Buffer;
}

/** How many bytes are kept to recognize a file. */
export const TAIL = 1_024;

/** In bytes: longer lines are not log lines. */
export const MAX_LINE_BYTES = 65_536;

const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
/** Windows programs write it at the beginning of a file; joined files then have it in the middle. */
const BYTE_ORDER_MARK = 0xfeff;

/** Whether a line is longer than a log's can be. */
export const isTooLong = (line: string): boolean =>
  3 * line.length > MAX_LINE_BYTES && Buffer.byteLength(line) > MAX_LINE_BYTES;

/**
 * Reads a stream of bytes as blocks of whole lines. A last line without a line feed is left out, since its writer may not
 * be done, unless `isFinished`.
 *
 * @param stream Each chunk may be overwritten by the next.
 * @param tail The bytes before the stream's first.
 */
export async function* readBlocks(
  stream: AsyncIterable<Buffer>,
  isFinished: boolean,
  tail: Buffer = Buffer.alloc(0),
): AsyncGenerator<TextBlock> {
  const rest = createRest();
  let kept = tail;
  // Whether the current line is too long already: only such a line is taken in parts.
  let isCutting = tail.length > 0 && tail.at(-1) !== LINE_FEED;
  // How many zero bytes come before `rest`.
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
  const addRest = (bytes: Buffer) => {
    const start = rest.length > 0 ? 0 : countZeros(bytes);
    zeros += start;
    rest.add(bytes.subarray(start));
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
      addRest(bytes);
      if (rest.length <= MAX_LINE_BYTES) continue;
      isCutting = true;
      yield takeBlock(rest.take(), "", 1);
      continue;
    }
    rest.add(bytes.subarray(0, last + 1));
    const whole = rest.take();
    yield takeBlock(whole, whole.toString());
    addRest(bytes.subarray(last + 1));
  }
  if (isFinished && rest.length > 0) {
    const line = rest.take();
    yield takeBlock(line, `${line}\n`);
  }
}

/** Bytes that wait for the end of their line, in memory that is used again and again. */
function createRest() {
  let memory = Buffer.alloc(0);
  let length = 0;
  return {
    get length() {
      return length;
    },
    add: (bytes: Buffer) => {
      if (length + bytes.length > memory.length) {
        const grown = Buffer.allocUnsafeSlow(2 * (length + bytes.length));
        memory.copy(grown, 0, 0, length);
        memory = grown;
      }
      bytes.copy(memory, length);
      length += bytes.length;
    },
    /** All of them, until bytes are added again. */
    take: (): Buffer => {
      const taken = memory.subarray(0, length);
      length = 0;
      return taken;
    },
  };
}

/**
 * Zero bytes in front of a line are not part of it: a server that writes at a fixed offset leaves them, up to gigabytes, when
 * logrotate empties the file (copytruncate).
 */
function countZeros(bytes: Buffer): number {
  const start = bytes.findIndex((byte) => byte !== 0);
  return start < 0 ? bytes.length : start;
}

const isFiller = (code: number) => code === 0 || code === BYTE_ORDER_MARK;

/** Calls back for each line of a block that is not empty, without its line feed and what comes before its text. */
export function forEachLine(text: string, take: (line: string) => void): void {
  for (let from = 0; from < text.length; ) {
    const end = text.indexOf("\n", from);
    const to = end < 0 ? text.length : end;
    let start = from;
    while (isFiller(text.charCodeAt(start))) start++;
    const line = text.slice(start, text.charCodeAt(to - 1) === CARRIAGE_RETURN ? to - 1 : to);
    if (line !== "") take(line);
    from = to + 1;
  }
}
