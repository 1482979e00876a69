import { type FileHead, readHead } from "./file-head.ts";
import type { FoundFile } from "./find-files.ts";
import { hashTail, type LogContent } from "./log-content.ts";
import { readContent } from "./log-file.ts";
import type { LogFormat } from "./log-line.ts";
import { TAIL } from "./text-blocks.ts";

/** Recognizes contents that were read before, under whatever names their files have now. */
export interface ContentFinder {
  /** What was read of a file before, with the last bytes of it; undefined if the file is new. */
  findRead(file: FoundFile, head: FileHead): Promise<{ content: LogContent; tail: Buffer } | undefined>;
  /** A content that was read before and of which this file is the beginning. */
  findWhole(file: FoundFile, head: FileHead): Promise<LogContent | undefined>;
}

/** @param listFiles Returns the files that were found last. */
export function createContentFinder(
  contents: ReadonlyMap<string, LogContent>,
  format: LogFormat | undefined,
  listFiles: () => readonly FoundFile[],
): ContentFinder {
  const listAlike = ({ fingerprint }: FileHead) =>
    [...contents.values()].filter((content) => content.fingerprint === fingerprint);
  const findFile = ({ path }: LogContent) => listFiles().find((file) => file.path === path);

  /** Another log may be at that path by now. */
  const isStillAt = async (content: LogContent) => {
    const file = findFile(content);
    return file !== undefined && (await readHead(file, format)).fingerprint === content.fingerprint;
  };

  return {
    findRead: async (file, head) => {
      for (const content of listAlike(head)) {
        const tail = await readTail(file, head, content.read);
        if (hashTail(tail) !== content.tail) continue;
        if (content.path !== file.path && !(await isStillAt(content))) content.path = file.path;
        return { content, tail };
      }
      return undefined;
    },
    findWhole: async (file, head) => {
      const alike = listAlike(head);
      if (alike.length === 0) return undefined;
      const end = await readEnd(file, head);
      for (const content of alike) {
        if (content.read < end.length) continue;
        const whole = findFile(content);
        // If the earlier file is gone, its first line must be enough.
        if (whole === undefined) return content;
        const wholeHead = await readHead(whole, format);
        const tail = await readTail(whole, wholeHead, end.length);
        if (wholeHead.fingerprint === head.fingerprint && tail.equals(end.tail)) return content;
      }
      return undefined;
    },
  };
}

/** The last bytes before an offset of a file's text; fewer if the file is shorter. */
async function readTail(file: FoundFile, { compression }: FileHead, end: number): Promise<Buffer> {
  const from = Math.max(0, end - TAIL);
  const chunks: Buffer[] = [];
  let length = 0;
  if (length >= end - from) return Buffer.alloc(0);
  for await (const chunk of await readContent(file, compression, from)) {
    chunks.push(Buffer.from(chunk));
    length += chunk.length;
    if (length >= end - from) break;
  }
  return Buffer.concat(chunks).subarray(0, end - from);
}

/** The length of a file's text, and its last bytes. */
async function readEnd(
  file: FoundFile,
  { compression }: FileHead,
): Promise<{ length: number; tail: Buffer }> {
  let [length, tail] = [0, Buffer.alloc(0)];
  // For a plain file, reading the end is enough.
  const from = compression === undefined ? Math.max(0, file.size - TAIL) : 0;
  for await (const chunk of await readContent(file, compression, from)) {
    length += chunk.length;
    tail = Buffer.concat([tail, chunk]).subarray(-TAIL);
  }
  return { length: from + length, tail };
}
