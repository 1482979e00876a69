import type { FoundFile } from "./find-files.ts";
import { hashTail, type LogContent } from "./log-content.ts";
import { type Compression, readContent } from "./log-file.ts";
import { TAIL } from "./text-blocks.ts";

/** What tells logs apart: the beginning of a file. */
interface Head {
  compression: Compression;
  fingerprint: string;
}

/** Recognizes contents that were read before, under whatever names their files have now. */
export interface ContentFinder {
  /** What was read of a file before, with the last bytes of it; undefined if the file is new. */
  findRead(file: FoundFile, head: Head): Promise<{ content: LogContent; tail: Buffer } | undefined>;
  /** A content that was read before and of which this file is the beginning. */
  findWhole(file: FoundFile, head: Head): Promise<LogContent | undefined>;
}

/** @param listFiles Returns the files that were found last. */
export function createContentFinder(
  listContents: () => readonly LogContent[],
  listFiles: () => readonly FoundFile[],
  readHead: (file: FoundFile) => Promise<Head>,
): ContentFinder {
  const listAlike = ({ fingerprint }: Head) =>
    listContents().filter((content) => content.fingerprint === fingerprint);

  /** Another log may be at that path by now. */
  const isStillAt = async ({ path, fingerprint }: LogContent) => {
    const file = listFiles().find((candidate) => candidate.path === path);
    return file !== undefined && (await readHead(file)).fingerprint === fingerprint;
  };

  /** The head of a file that has all that was read of a content; undefined for any other. */
  const readHeadOf = async (content: LogContent, file: FoundFile) => {
    const head = await readHead(file);
    if (head.fingerprint !== content.fingerprint) return undefined;
    return hashTail(await readTail(file, head, content.read)) === content.tail ? head : undefined;
  };

  /** The file of a content, under its name of before or another; undefined if it is gone. */
  const findFileOf = async (content: LogContent, except: FoundFile) => {
    const files = listFiles().filter(({ path }) => path !== except.path);
    const before = files.filter(({ path }) => path === content.path);
    for (const file of new Set([...before, ...files])) {
      // What is renamed or compressed at this moment is not there; a file that fails otherwise fails when it is read.
      const head = await readHeadOf(content, file).catch(() => undefined);
      if (head !== undefined) return { file, head };
    }
    return undefined;
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
        const whole = await findFileOf(content, file);
        // If the earlier file is gone, its first line must be enough.
        if (whole === undefined) return content;
        if ((await readTail(whole.file, whole.head, end.length)).equals(end.tail)) return content;
      }
      return undefined;
    },
  };
}

/** The last bytes before an offset of a file's text; fewer if the file is shorter. */
async function readTail(file: FoundFile, { compression }: Head, end: number): Promise<Buffer> {
  const from = Math.max(0, end - TAIL);
  if (end === from) return Buffer.alloc(0);
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of await readContent(file, compression, from)) {
    chunks.push(Buffer.from(chunk));
    length += chunk.length;
    if (length >= end - from) break;
  }
  return Buffer.concat(chunks).subarray(0, end - from);
}

/** The length of a file's text, and its last bytes. */
async function readEnd(file: FoundFile, { compression }: Head): Promise<{ length: number; tail: Buffer }> {
  let [length, tail] = [0, Buffer.alloc(0)];
  // For a plain file, reading the end is enough.
  const from = compression === undefined ? Math.max(0, file.size - TAIL) : 0;
  for await (const chunk of await readContent(file, compression, from)) {
    length += chunk.length;
    tail = Buffer.concat([tail, chunk]).subarray(-TAIL);
  }
  return { length: from + length, tail };
}
