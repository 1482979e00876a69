import { Readable } from "node:stream";
import { describe, expect, it } from "vitest";
import { readContent } from "../../../../src/sources/logs/reading/log-file.ts";

/** A frame of one plain block (RFC 8878), with a window of 2 to the power of `10 + exponent` bytes. */
const frame = (text: string, exponent = 0) =>
  Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0, exponent << 3, 1 | (text.length << 3), 0, 0, ...Buffer.from(text)]);

/** A frame without text. */
const skippable = (size: number) => {
  const header = Buffer.from([0x50, 0x2a, 0x4d, 0x18, 0, 0, 0, 0]);
  header.writeUInt32LE(size, 4);
  return Buffer.concat([header, Buffer.alloc(size, "x")]);
};

async function read(...chunks: Buffer[]): Promise<string> {
  const file = { path: "access.log.zst", open: () => Readable.from(chunks) };
  let text = "";
  for await (const chunk of await readContent(file, "zstd")) text += chunk;
  return text;
}

describe("the frames of a Zstandard file", () => {
  it("may be many in one chunk", async () => {
    const many = Array.from({ length: 20_000 }, () => [skippable(0), frame("a")]).flat();
    expect(await read(Buffer.concat(many))).toBe("a".repeat(20_000));
    expect(await read(Buffer.concat([...Array<Buffer>(20_000).fill(skippable(0)), frame("b")]))).toBe("b");
  });

  it("may be cut anywhere", async () => {
    const bytes = Buffer.concat([frame("one "), skippable(3), frame("two "), skippable(0), frame("three")]);
    for (let at = 0; at <= bytes.length; at++)
      expect(await read(bytes.subarray(0, at), bytes.subarray(at))).toBe("one two three");
    expect(await read(...[...bytes].map((byte) => Buffer.from([byte])))).toBe("one two three");
  });

  it("may ask for 128 MB, and no more", async () => {
    expect(await read(frame("a", 17))).toBe("a");
    await expect(read(frame("a"), frame("b", 18))).rejects.toThrow("asks for 256 MB");
  });
});
