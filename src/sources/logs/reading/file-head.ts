import { findDomain } from "../host-name.ts";
import { createLineParser, type Detected, detectFormat, specialize } from "./formats/index.ts";
import { fingerprintLine } from "./log-content.ts";
import { type Compression, explainDamage, type LogFile, readCompression, readContent } from "./log-file.ts";
import type { LogFormat } from "./log-line.ts";
import { forEachLine, MAX_LINE_BYTES, readBlocks } from "./text-blocks.ts";

/** What the beginning of a file says. */
export interface FileHead {
  compression: Compression;
  detected: Detected;
  /** The lines that the format was recognized by. */
  sample: string[];
  /** Whether no more was read in search of a line in the asked format. */
  isCut: boolean;
  /** SHA-256 of the first line with a request: identifies the log in a file, whatever the file is called. */
  fingerprint: string;
  /** Whether a line names a host that can be a site. */
  hasHosts: boolean;
  /** Seconds since 1970 of that line. */
  firstTime: number;
  /** Why nothing of it can be read. */
  damage?: string | undefined;
}

export const SAMPLE_LINES = 50;
/** What may come before the first line that is no longer than a line can be. */
const MAX_SKIPPED_BYTES = 16_000_000;
/** What may come before the first line in the asked format. Of standard input, not much more can be read twice. */
const MAX_SEARCHED_BYTES = 4_000_000;

export async function readHead(file: LogFile, asked: LogFormat | undefined): Promise<FileHead> {
  const compression = await readCompression(file);
  const { lines: sample, isCut = false, damage } = await readSample(file, compression, asked);
  const detected: Detected =
    asked === undefined || sample.length === 0
      ? detectFormat(sample)
      : { kind: "access", format: specialize(asked, sample.filter(isReadBy(asked))) };
  let fingerprint = "";
  let firstTime = Number.POSITIVE_INFINITY;
  let hasHosts = false;
  for (const { text, line } of parseSample({ detected, sample })) {
    if (fingerprint === "") {
      fingerprint = fingerprintLine(text);
      firstTime = line.time;
    }
    hasHosts ||= findDomain(line.host, undefined) !== undefined;
    if (hasHosts) break;
  }
  return { compression, detected, sample, fingerprint, isCut, hasHosts, firstTime, damage };
}

function isReadBy(format: LogFormat): (line: string) => boolean {
  const parse = createLineParser(format);
  return (line) => parse(line) !== undefined;
}

/** The first lines with a request. */
export function* parseSample({ detected, sample }: Pick<FileHead, "detected" | "sample">) {
  if (detected.kind !== "access") return;
  const parse = createLineParser(detected.format);
  for (const text of sample) {
    const line = parse(text);
    if (line !== undefined && line !== "comment") yield { text, line };
  }
}

/** The first lines of a file and, if the asked format reads none of them, also those from the first that it does. */
async function readSample(
  file: LogFile,
  compression: Compression,
  asked: LogFormat | undefined,
): Promise<{ lines: string[]; isCut?: boolean; damage?: string }> {
  const lines: string[] = [];
  const isReadable = asked && isReadBy(asked);
  let isRead = isReadable === undefined;
  let most = SAMPLE_LINES;
  let bytes = 0;
  try {
    const content = await readContent(file, compression);
    for await (const block of readBlocks(content, true)) {
      forEachLine(block.text, (line) => {
        if (!isRead && isReadable?.(line)) {
          isRead = true;
          most = lines.length + SAMPLE_LINES;
        }
        if (lines.length < most) lines.push(line);
      });
      bytes += block.bytes;
      const limit = isRead ? 4 * MAX_LINE_BYTES : MAX_SEARCHED_BYTES;
      const isEnough = lines.length > 0 && bytes > limit;
      if ((isRead && lines.length >= most) || isEnough || bytes > MAX_SKIPPED_BYTES) break;
    }
    return { lines, isCut: !isRead && bytes > MAX_SEARCHED_BYTES };
  } catch (cause) {
    return { lines, damage: explainDamage(cause) };
  }
}
