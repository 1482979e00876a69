import { AnalyticsError } from "../../../errors.ts";

/** What `zstd` itself accepts without `--long`. */
const MAX_WINDOW = 2 ** 27;

/**
 * Follows the frames of a Zstandard stream (RFC 8878, section 3.1), since the decoder allocates what a frame asks for: two
 * kilobytes can ask for two gigabytes. The returned function takes the next bytes, before the decoder does, and cuts them
 * where frames end: the decoder calls itself for each frame of a chunk, and keeps the memory of all. It throws
 * AnalyticsError `usage` if a frame asks for more than 128 MB.
 */
export function createFrameSplitter(): (chunk: Uint8Array) => Uint8Array[] {
  let header: number[] = [];
  let skip = 0;
  let isInFrame = false;
  let checksum = 0;

  /** Takes a header if it is complete. */
  const takeHeader = () => {
    const next = isInFrame ? readBlockHeader(header) : readFrameHeader(header);
    if (next === undefined) return;
    header = [];
    if ("checksum" in next) {
      checksum = next.checksum;
      isInFrame = true;
    } else {
      skip = next.size + (next.isLast ? checksum : 0);
      if (next.isLast) isInFrame = false;
    }
  };

  return (chunk) => {
    const parts: Uint8Array[] = [];
    let start = 0;
    for (let at = 0; at < chunk.length; ) {
      if (skip > 0) {
        const step = Math.min(skip, chunk.length - at);
        skip -= step;
        at += step;
      } else {
        header.push(chunk[at++] ?? 0);
        takeHeader();
      }
      const isFrameEnd = skip === 0 && !isInFrame && header.length === 0;
      if (!isFrameEnd && at < chunk.length) continue;
      parts.push(chunk.subarray(start, at));
      start = at;
    }
    return parts;
  };
}

interface Block {
  /** In bytes, after its header. */
  size: number;
  isLast: boolean;
}

function readBlockHeader(bytes: readonly number[]): Block | undefined {
  if (bytes.length < 3) return undefined;
  const value = readNumber(bytes);
  const isRepeatedByte = ((value >> 1) & 3) === 1;
  return { size: isRepeatedByte ? 1 : value >> 3, isLast: (value & 1) === 1 };
}

const MAGIC = 0xfd2fb528;
/** The first of 16 that begin a frame without text. */
const SKIPPABLE = 0x184d2a50;

/** A frame with the bytes of its checksum, or one to skip; undefined if the header is not complete. */
function readFrameHeader(bytes: readonly number[]): { checksum: number } | Block | undefined {
  if (bytes.length < 5) return undefined;
  const magic = readNumber(bytes.slice(0, 4));
  if (magic >= SKIPPABLE && magic < SKIPPABLE + 16)
    return bytes.length < 8 ? undefined : { size: readNumber(bytes.slice(4)), isLast: false };
  // The decoder says what is wrong with it.
  if (magic !== MAGIC) return { size: Number.POSITIVE_INFINITY, isLast: false };
  const descriptor = bytes[4] ?? 0;
  const isSingleSegment = (descriptor & 0x20) !== 0;
  const sizeFlag = descriptor >> 6;
  const sizeBytes = sizeFlag === 0 ? Number(isSingleSegment) : 1 << sizeFlag;
  const sizeStart = 5 + Number(!isSingleSegment) + ([0, 1, 2, 4][descriptor & 3] ?? 0);
  if (bytes.length < sizeStart + sizeBytes) return undefined;
  const window = isSingleSegment ? readNumber(bytes.slice(sizeStart)) : readWindow(bytes[5] ?? 0);
  if (window > MAX_WINDOW) {
    throw new AnalyticsError(
      "usage",
      `The file asks for ${Math.ceil(window / 2 ** 20)} MB of memory to be decompressed, more than 128. Compress it again without --long.`,
    );
  }
  return { checksum: (descriptor & 4) === 0 ? 0 : 4 };
}

/** The window of a descriptor, in bytes (RFC 8878, section 3.1.1.1.2). */
function readWindow(descriptor: number): number {
  const base = 2 ** (10 + (descriptor >> 3));
  return base + (base / 8) * (descriptor & 7);
}

/** A number of little-endian bytes. */
const readNumber = (bytes: readonly number[]) => bytes.reduceRight((sum, byte) => sum * 256 + byte, 0);
