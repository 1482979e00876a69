import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { createSealing } from "../../src/oauth/store/sealing.ts";
import { SECRET } from "./stores.ts";

const lines: string[] = [];
const sealing = createSealing(SECRET, (line) => lines.push(line));
const TOKEN = randomBytes(32).toString("base64url");
const OTHER = randomBytes(32).toString("base64url");
const VALUE = { apiKey: "canary-8c1d", scopes: ["analytics:read"], none: null, text: "ü\u0000" };
const record = sealing.seal("AccessToken", TOKEN, VALUE);
const FAULT = "Cannot open a stored AccessToken: it was changed, or sealed with another secret.";

/** Expects a record not to open: the result is undefined, and one line in the log has no token. */
function refuse(attempt: typeof record, token = TOKEN, by = sealing): void {
  lines.length = 0;
  expect(by.open(attempt, token)).toBeUndefined();
  expect(lines).toEqual([FAULT.replace("AccessToken", attempt.kind)]);
}

describe("a sealed value", () => {
  it("opens with its token", () => {
    expect(sealing.open(record, TOKEN)).toEqual(VALUE);
    expect(createSealing(SECRET, () => {}).open(record, TOKEN)).toEqual(VALUE);
    expect(lines).toEqual([]);
  });

  it("has a hash that is stable, and different for another kind, token or secret", () => {
    const secret = randomBytes(32);
    const hashes = [
      sealing.hash("AccessToken", TOKEN),
      sealing.hash("RefreshToken", TOKEN),
      sealing.hash("AccessToken", OTHER),
      createSealing(secret, () => {}).hash("AccessToken", TOKEN),
      // The same letters, divided differently.
      sealing.hash("AccessToke", `n${TOKEN}`),
    ];
    expect(hashes[0]).toBe(record.hash);
    expect(new Set(hashes).size).toBe(hashes.length);
    expect(hashes[0]).toMatch(/^[\w-]{43}$/);
  });

  it("has different bytes each time it is sealed", () => {
    const again = sealing.seal("AccessToken", TOKEN, VALUE);
    expect(Buffer.from(again.sealed).equals(record.sealed)).toBe(false);
    const nonces = [record, again].map(({ sealed }) => Buffer.from(sealed.subarray(1, 13)).toString("hex"));
    expect(nonces[0]).not.toBe(nonces[1]);
  });

  it("contains neither the token nor the value", () => {
    const bytes = Buffer.from(record.sealed).toString("latin1") + record.hash;
    for (const text of [TOKEN, VALUE.apiKey, "analytics:read"]) expect(bytes).not.toContain(text);
  });

  it("does not open with another token", () => refuse(record, OTHER));

  it("does not open with another secret", () => {
    const other = createSealing(randomBytes(32), (line) => lines.push(line));
    refuse(record, TOKEN, other);
    // Not even with the hash for that secret: the key needs the secret too.
    refuse({ ...record, hash: other.hash("AccessToken", TOKEN) }, TOKEN, other);
  });

  it("does not open as another kind", () => {
    refuse({ ...record, kind: "RefreshToken" });
    refuse({ ...record, kind: "RefreshToken", hash: sealing.hash("RefreshToken", TOKEN) });
  });

  it("does not open in another record, even one of the same token", () => {
    const other = sealing.seal("AccessToken", OTHER, VALUE);
    refuse({ ...other, sealed: record.sealed }, OTHER);
    refuse({ ...record, hash: other.hash });
  });

  it("does not open with any bit of it changed", () => {
    for (let bit = 0; bit < record.sealed.length * 8; bit++) {
      const sealed = Uint8Array.from(record.sealed);
      sealed[bit >> 3] = (sealed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      refuse({ ...record, sealed });
    }
  });

  it("does not open if it is shortened at either end or extended", () => {
    for (let length = 0; length < record.sealed.length; length++) {
      refuse({ ...record, sealed: record.sealed.subarray(0, length) });
    }
    refuse({ ...record, sealed: Buffer.concat([record.sealed, Buffer.of(0)]) });
  });

  it("needs a secret that is long enough", () => {
    expect(() => createSealing(randomBytes(31), () => {})).toThrow("shorter than 32 bytes");
  });
});

describe("the derivation", () => {
  it("has not changed, so stored records still open", () => {
    const fixed = createSealing(Buffer.alloc(32, 1), (line) => lines.push(line));
    expect(fixed.hash("AccessToken", "token")).toMatchInlineSnapshot(
      `"1ppzhowuahjDh2XKADADH7y9pxzDQM9oX0ic1xjMJ7Y"`,
    );
    const sealed = Buffer.from("AaLRZoxrCsEK191rgcDfgNqh4jVa99k5KQurS_PYgkBpfTe1gBzEK7EylZA", "base64url");
    const stored = { kind: "AccessToken", hash: fixed.hash("AccessToken", "token"), sealed };
    expect(fixed.open(stored, "token")).toEqual({ key: "value" });
  });
});
