import { createReadStream } from "node:fs";
import { open as openFile } from "node:fs/promises";
import { pipeline, type Readable, Transform } from "node:stream";
import * as zlib from "node:zlib";
import { AnalyticsError } from "../../../errors.ts";
import { createFrameSplitter } from "./zstd-window.ts";

export type Compression = "gzip" | "zstd" | undefined;

/** The bytes that a compressed file begins with (RFC 1952, RFC 8878). */
const MAGIC = { gzip: [0x1f, 0x8b], zstd: [0x28, 0xb5, 0x2f, 0xfd] } as const;

export interface LogFile {
  path: string;
  /** Opens a log that is not a file on disk, from its beginning. */
  open?: (() => Readable) | undefined;
}

export async function readCompression(file: LogFile): Promise<Compression> {
  let start = Buffer.alloc(0);
  for await (const chunk of openBytes(file)) {
    start = Buffer.concat([start, chunk.subarray(0, MAX_MAGIC_BYTES)]);
    if (start.length >= MAX_MAGIC_BYTES) break;
  }
  const starts = (magic: readonly number[]) => magic.every((byte, index) => start[index] === byte);
  if (starts(MAGIC.gzip)) return "gzip";
  return starts(MAGIC.zstd) ? "zstd" : undefined;
}

const MAX_MAGIC_BYTES = 4;

/** A stream ignores `from`: it is read from its beginning. */
const openBytes = ({ path, open }: LogFile, from = 0): AsyncIterable<Buffer> =>
  open?.() ?? readPlain(path, from);

/** Reads the next chunk while the caller works on this one. */
async function* readPlain(path: string, from: number): AsyncGenerator<Buffer> {
  const file = await openFile(path);
  const buffers: [Buffer, Buffer] = [Buffer.allocUnsafeSlow(CHUNK), Buffer.allocUnsafeSlow(CHUNK)];
  const read = (position: number) => {
    const reading = file.read(buffers[0], 0, CHUNK, position);
    buffers.reverse();
    // A failure is thrown when the chunk is asked for, which may never happen.
    reading.catch(() => {});
    return reading;
  };
  let next = read(from);
  try {
    for (let position = from; ; ) {
      const { bytesRead, buffer } = await next;
      if (bytesRead === 0) return;
      position += bytesRead;
      next = read(position);
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await next.catch(() => {});
    await file.close();
  }
}

const CHUNK = 65_536;
/** Logs compress about twentyfold. A file that compresses this much more was made to fill disks or memory. */
const MAX_GROWTH = 400;
const HARMLESS = 100_000_000;

/**
 * Reads a file's text as bytes, decompressed, starting at an offset in the decompressed text. Each chunk may be overwritten by
 * the next: copy what you keep of it. Reading fails with an AnalyticsError if the file is damaged.
 */
export async function readContent(
  file: LogFile,
  compression: Compression,
  from = 0,
): Promise<AsyncIterable<Buffer>> {
  if (compression === undefined) return openBytes(file, from);
  let size = 0;
  const check = (grown: number) => assertPlausibleGrowth(grown, size);
  const decompress =
    compression === "gzip" ? zlib.createGunzip({ chunkSize: CHUNK }) : await createUnzstd(check);
  const packed = file.open?.() ?? createReadStream(file.path, { highWaterMark: CHUNK });
  // This starts the stream: a later listener would miss bytes.
  packed.on("data", (chunk: Buffer) => {
    size += chunk.length;
  });
  return pipeline(packed, decompress, skipBytes(from, check), () => {});
}

/** Throws if a file decompresses to more than any log would. */
function assertPlausibleGrowth(grown: number, packed: number): void {
  if (grown <= HARMLESS || grown <= MAX_GROWTH * packed) return;
  throw new AnalyticsError(
    "usage",
    "A compressed file grows to more than 400 times its size, so it cannot be a log.",
  );
}

function skipBytes(skip: number, check: (grown: number) => void): Transform {
  let total = 0;
  return new Transform({
    readableHighWaterMark: CHUNK,
    transform(chunk: Buffer, _, done) {
      const before = total;
      total += chunk.length;
      attempt(done, () => {
        check(total);
        this.push(before >= skip ? chunk : chunk.subarray(Math.min(chunk.length, skip - before)));
      });
    },
  });
}

/**
 * Decompresses Zstandard, including files of several frames. Node's own decompressor (since 22.15) silently drops all but the
 * first frame of a chunk.
 */
async function createUnzstd(check: (grown: number) => void): Promise<Transform> {
  const { Decompress } = await import("fzstd");
  const splitFrames = createFrameSplitter();
  let total = 0;
  let target: Transform | undefined;
  const stream = new Decompress((chunk) => {
    // A chunk may grow a thousandfold before it is passed on.
    total += chunk.length;
    check(total);
    target?.push(Buffer.from(chunk));
  });
  target = new Transform({
    readableHighWaterMark: CHUNK,
    transform: (chunk: Buffer, _, done) =>
      attempt(done, () => {
        for (const part of splitFrames(chunk)) stream.push(part, false);
      }),
    flush: (done) => attempt(done, () => stream.push(new Uint8Array(0), true)),
  });
  return target;
}

function attempt(done: (error?: Error) => void, act: () => void): void {
  try {
    act();
  } catch (error) {
    done(error instanceof Error ? error : new Error(String(error)));
    return;
  }
  done();
}

/** A sentence about a file whose content cannot be decompressed. Rethrows any other error. */
export function explainDamage(cause: unknown): string {
  if (cause instanceof AnalyticsError) return cause.message;
  if (Object(cause).syscall !== undefined) throw cause;
  return "The file is damaged or incomplete.";
}
