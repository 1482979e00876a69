import { expect, it } from "vitest";
import { HASH_BYTES, hashSalted } from "../../../../src/sources/logs/hashing.ts";
import { createHashIndex } from "../../../../src/sources/logs/store/hash-index.ts";

const salt = new Uint8Array(32);
const createIndex = (hashes: readonly string[]) => createHashIndex(Buffer.from(hashes.join(""), "latin1"));

it("finds the number of each hash, and of no other", () => {
  for (const count of [0, 1, 2, 3, 1_000, 20_000]) {
    const hashes = Array.from({ length: count }, (_, number) => hashSalted(salt, `${number}`));
    const index = createIndex(hashes);
    expect(hashes.map(index.find)).toEqual(hashes.map((_, number) => number));
    for (let number = count; number < count + 1_000; number++)
      expect(index.find(hashSalted(salt, `${number}`))).toBe(undefined);
  }
});

it("tells hashes apart that begin or end alike", () => {
  const ends = Array.from({ length: 500 }, (_, number) => String(number).padStart(HASH_BYTES - 4, "\xFF"));
  const hashes = ends.flatMap((end) => [`\xFF\xFF\xFF\xFF${end}`, `\x00\x00\x00\x80${end}`]);
  const index = createIndex(hashes);
  expect(hashes.map(index.find)).toEqual(hashes.map((_, number) => number));
  expect(index.find("\xFF".repeat(HASH_BYTES))).toBe(undefined);
  expect(index.find("\x00".repeat(HASH_BYTES))).toBe(undefined);
});
