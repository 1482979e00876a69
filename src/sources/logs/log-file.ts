import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import { pipeline, type Readable, Transform } from "node:stream";
import * as zlib from "node:zlib";
import { AnalyticsError } from "../../errors.ts";

export type Compression = "gzip" | "zstd" | undefined;

/** The bytes that a compressed file begins with (RFC 1952, RFC 8878). */
const MAGIC = { gzip: [0x1f, 0x8b], zstd: [0x28, 0xb5, 0x2f, 0xfd] } as const;

export async function readCompression(path: string): Promise<Compression> {
  const file = await open(path, "r");
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(4), 0, 4, 0);
    const starts = (magic: readonly number[]) =>
      bytesRead >= magic.length && magic.every((byte, index) => buffer[index] === byte);
    if (starts(MAGIC.gzip)) return "gzip";
    return starts(MAGIC.zstd) ? "zstd" : undefined;
  } finally {
    await file.close();
  }
}

const CHUNK = 65_536;
/** Logs shrink to a twentieth. What shrinks this much was made to fill a disk or a memory. */
const MOST_GROWTH = 400;
const HARMLESS = 100_000_000;

/**
 * Reads a file's text as bytes, decompressed, from an offset in the decompressed text on. The stream fails with an
 * AnalyticsError if the file is damaged.
 */
export async function readContent(path: string, compression: Compression, from = 0): Promise<Readable> {
  if (compression === undefined) return createReadStream(path, { start: from, highWaterMark: CHUNK });
  const file = createReadStream(path, { highWaterMark: CHUNK });
  const decompress = compression === "gzip" ? zlib.createGunzip({ chunkSize: CHUNK }) : await createUnzstd();
  let packed = 0;
  file.on("data", (chunk) => {
    packed += chunk.length;
  });
  return pipeline(
    file,
    decompress,
    limitGrowth(() => packed, from),
    () => {},
  );
}

/** Skips the first bytes, and refuses content that grows beyond belief. */
function limitGrowth(readPacked: () => number, skip: number): Transform {
  let total = 0;
  return new Transform({
    readableHighWaterMark: CHUNK,
    transform(chunk: Buffer, _, done) {
      const before = total;
      total += chunk.length;
      if (total > HARMLESS && total > MOST_GROWTH * readPacked()) {
        done(
          new AnalyticsError(
            "usage",
            "A compressed log grows to more than 400 times its size: it is no log.",
          ),
        );
        return;
      }
      done(null, before >= skip ? chunk : chunk.subarray(Math.min(chunk.length, skip - before)));
    },
  });
}

/** Node has Zstandard since 22.15. */
async function createUnzstd(): Promise<Transform> {
  const native = (zlib as { createZstdDecompress?: () => Transform }).createZstdDecompress;
  if (native) return native();
  const { Decompress } = await import("fzstd");
  let target: Transform | undefined;
  const stream = new Decompress((chunk) => void target?.push(Buffer.from(chunk)));
  target = new Transform({
    readableHighWaterMark: CHUNK,
    transform(chunk: Buffer, _, done) {
      try {
        stream.push(chunk, false);
        done();
      } catch (error) {
        done(error instanceof Error ? error : new Error(String(error)));
      }
    },
    flush(done) {
      try {
        stream.push(new Uint8Array(0), true);
        done();
      } catch (error) {
        done(error instanceof Error ? error : new Error(String(error)));
      }
    },
  });
  return target;
}
