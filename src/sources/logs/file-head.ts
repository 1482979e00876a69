import { createHash } from "node:crypto";
import { type Detected, detectFormat } from "./formats/index.ts";
import { type Compression, readCompression, readContent } from "./log-file.ts";
import type { LogFormat } from "./log-line.ts";
import { forEachLine, LONGEST_LINE, readBlocks } from "./text-blocks.ts";

/** What the beginning of a file says. */
export interface FileHead {
  compression: Compression;
  detected: Detected;
  /** The lines that the format was recognized by. */
  sample: string[];
  /** SHA-256 of the first line with a request: tells which log a file holds, whatever its name. */
  fingerprint: string;
  /** Seconds since 1970 of that line. */
  firstTime: number;
}

const SAMPLE_LINES = 50;

export async function readHead(path: string, asked: LogFormat | undefined): Promise<FileHead> {
  const compression = await readCompression(path);
  const sample = await readSample(path, compression);
  const detected: Detected =
    asked === undefined || sample.length === 0 ? detectFormat(sample) : { kind: "access", format: asked };
  let fingerprint = "";
  let firstTime = Number.POSITIVE_INFINITY;
  if (detected.kind === "access") {
    const parse = detected.format.createParser();
    for (const line of sample) {
      const parsed = parse(line);
      if (parsed === undefined || parsed === "comment") continue;
      fingerprint = createHash("sha256").update(line).digest("base64url");
      firstTime = parsed.time;
      break;
    }
  }
  return { compression, detected, sample, fingerprint, firstTime };
}

async function readSample(path: string, compression: Compression): Promise<string[]> {
  const lines: string[] = [];
  let bytes = 0;
  const content = await readContent(path, compression);
  for await (const block of readBlocks(content, true)) {
    forEachLine(block.text, (line) => {
      if (lines.length < SAMPLE_LINES) lines.push(line);
    });
    bytes += block.bytes;
    if (lines.length >= SAMPLE_LINES || bytes > 4 * LONGEST_LINE) break;
  }
  return lines;
}
