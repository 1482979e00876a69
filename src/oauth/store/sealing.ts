import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from "node:crypto";
import { AnalyticsError } from "../../errors.ts";
import type { StoredRecord } from "./store.ts";

export interface Sealing {
  /** Under which hash the record of a token is stored: HMAC-SHA-256 (RFC 2104), keyed by the server secret. */
  hash(kind: string, token: string): string;
  /** A value as it may be stored: what JSON can carry, encrypted so that only the token opens it. */
  seal(kind: string, token: string, value: unknown): Pick<StoredRecord, "kind" | "hash" | "sealed">;
  /**
   * The value of a record. A record that does not open was changed, moved or sealed under another secret: it
   * is reported and then counts as absent, undefined.
   */
  open(record: Pick<StoredRecord, "kind" | "hash" | "sealed">, token: string): unknown;
}

/** Version of the sealed bytes: version (1) · nonce (12) · ciphertext · tag (16). */
const VERSION = 1;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const KEY_BYTES = 32;
const MIN_SECRET_BYTES = 32;

/**
 * Seals values with AES-256-GCM (NIST SP 800-38D) under a key that HKDF-SHA-256 (RFC 5869) derives from the
 * record's token, salted with the server secret: the store alone opens nothing, nor does the store with the
 * secret, nor the store with a token. The additional data bind a value to its kind and hash, so that values
 * cannot be exchanged between records; an older value of the same record does open.
 *
 * A value is as safe as its token is hard to guess and is kept out of the store. One sealed under an id that
 * stands in plain, such as a client's or a grant's, is protected by the server secret alone.
 *
 * @param secret At least 32 random bytes, the same on every replica. Throws AnalyticsError `usage` for fewer.
 */
export function createSealing(secret: Uint8Array, report: (line: string) => void): Sealing {
  const hashKey = deriveKey(secret, "hash");
  const salt = deriveKey(secret, "seal");
  const hash = keepSome((kind: string, token: string) =>
    createHmac("sha256", hashKey).update(frame(kind, token)).digest("base64url"),
  );
  const keyOf = keepSome((kind: string, token: string) =>
    Buffer.from(hkdfSync("sha256", token, salt, frame("analytics-mcp value", kind), KEY_BYTES)),
  );

  return {
    hash,
    seal: (kind, token, value) => {
      const nonce = randomBytes(NONCE_BYTES);
      const record = { kind, hash: hash(kind, token) };
      const cipher = createCipheriv("aes-256-gcm", keyOf(kind, token), nonce, { authTagLength: TAG_BYTES });
      cipher.setAAD(bind(record));
      const text = [cipher.update(JSON.stringify(value), "utf8"), cipher.final()];
      return { ...record, sealed: Buffer.concat([Buffer.of(VERSION), nonce, ...text, cipher.getAuthTag()]) };
    },
    open: (record, token) => {
      try {
        const sealed = Buffer.from(record.sealed);
        if (sealed[0] !== VERSION) throw new Error("unknown version");
        const nonce = sealed.subarray(1, 1 + NONCE_BYTES);
        const decipher = createDecipheriv("aes-256-gcm", keyOf(record.kind, token), nonce, {
          authTagLength: TAG_BYTES,
        });
        decipher.setAAD(bind(record));
        decipher.setAuthTag(sealed.subarray(Math.max(1 + NONCE_BYTES, sealed.length - TAG_BYTES)));
        const text = [decipher.update(sealed.subarray(1 + NONCE_BYTES, -TAG_BYTES)), decipher.final()];
        return JSON.parse(Buffer.concat(text).toString("utf8"));
      } catch {
        report(`A stored ${record.kind} does not open: it was changed, or sealed under another secret.`);
        return undefined;
      }
    },
  };
}

const MOST_KEPT = 1_000;
/** Characters of a token, of which ours have fewer; strangers may send more. */
const LONGEST_KEPT = 200;

/** Keeps what was derived last: a token comes back with every call, and to derive takes longer than to use. */
function keepSome<T>(derive: (kind: string, token: string) => T): (kind: string, token: string) => T {
  const kept = new Map<string, T>();
  return (kind, token) => {
    if (token.length > LONGEST_KEPT) return derive(kind, token);
    const name = JSON.stringify([kind, token]);
    const derived = kept.get(name) ?? derive(kind, token);
    kept.delete(name);
    kept.set(name, derived);
    const [oldest] = kept.keys();
    if (kept.size > MOST_KEPT && oldest !== undefined) kept.delete(oldest);
    return derived;
  };
}

/** How counters are named in a store: there are few enough addresses to try them all on a plain hash. */
export function createCounterHash(secret: Uint8Array): (name: string) => string {
  const key = deriveKey(secret, "counter");
  return (name) => createHmac("sha256", key).update(name).digest("base64url");
}

/** One key a purpose, so that none of them tells anything of another (RFC 5869, section 3.2). */
function deriveKey(secret: Uint8Array, purpose: string): Buffer {
  if (secret.byteLength < MIN_SECRET_BYTES) {
    throw new AnalyticsError("usage", `The server secret is shorter than ${MIN_SECRET_BYTES} bytes.`, {
      hint: `Take ${MIN_SECRET_BYTES} random bytes, such as those of: openssl rand -base64 ${MIN_SECRET_BYTES}`,
    });
  }
  return Buffer.from(hkdfSync("sha256", secret, "", `analytics-mcp store ${purpose}`, KEY_BYTES));
}

function bind({ kind, hash }: Pick<StoredRecord, "kind" | "hash">): Buffer {
  return Buffer.concat([Buffer.of(VERSION), frame(kind, hash)]);
}

/** Texts with their lengths before them, so that no two lists of texts give the same bytes. */
function frame(...texts: string[]): Buffer {
  const lengths = texts.map((text) => Buffer.byteLength(text));
  const framed = Buffer.alloc(lengths.reduce((sum, length) => sum + 4 + length, 0));
  let end = 0;
  for (const [index, text] of texts.entries()) {
    end = framed.writeUInt32BE(lengths[index] ?? 0, end);
    end += framed.write(text, end);
  }
  return framed;
}
