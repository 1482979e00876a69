import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from "node:crypto";
import { AnalyticsError } from "../../errors.ts";
import type { StoredRecord } from "./store.ts";

export interface Sealing {
  /** The hash that a token's record is stored under: HMAC-SHA-256 (RFC 2104), keyed by the server secret. */
  hash(kind: string, token: string): string;
  /** Encrypts a JSON value so that only the token opens it. */
  seal(kind: string, token: string, value: unknown): Pick<StoredRecord, "kind" | "hash" | "sealed">;
  /**
   * Decrypts the value of a record. If it was changed, moved, or sealed with another secret, this is reported and the
   * result is undefined, as for a missing record.
   */
  open(record: Pick<StoredRecord, "kind" | "hash" | "sealed">, token: string): unknown;
}

/** The format of the sealed bytes: version (1) · nonce (12) · ciphertext · tag (16). */
const VERSION = 1;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const KEY_BYTES = 32;
const MIN_SECRET_BYTES = 32;

/**
 * Seals values with AES-256-GCM (NIST SP 800-38D) under a key that HKDF-SHA-256 (RFC 5869) derives from the
 * record's token, salted with the server secret. To open a value takes the store, the secret and the token; no two of
 * them are enough. The additional data bind a value to its kind and hash, so values cannot be swapped between
 * records, but an older value of the same record still opens.
 *
 * A value is only as safe as its token is secret. If the token is an id that the store has in plain, such as that of
 * an application or a grant, only the server secret protects the value.
 *
 * @param secret At least 32 random bytes, the same on every replica; AnalyticsError `usage` if shorter.
 */
export function createSealing(secret: Uint8Array, report: (line: string) => void): Sealing {
  const hashKey = deriveKey(secret, "hash");
  const salt = deriveKey(secret, "seal");
  const hash = memoize((kind: string, token: string) =>
    createHmac("sha256", hashKey).update(frame(kind, token)).digest("base64url"),
  );
  const keyOf = memoize((kind: string, token: string) =>
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
        report(`Cannot open a stored ${record.kind}: it was changed, or sealed with another secret.`);
        return undefined;
      }
    },
  };
}

const MAX_CACHED = 1_000;
/** In characters. Our tokens are shorter, but strangers may send longer ones. */
const MAX_CACHED_LENGTH = 200;

/** Caches the latest results: a token comes with every call, and deriving its key takes longer than using it. */
function memoize<T>(derive: (kind: string, token: string) => T): (kind: string, token: string) => T {
  const cached = new Map<string, T>();
  return (kind, token) => {
    if (token.length > MAX_CACHED_LENGTH) return derive(kind, token);
    const name = JSON.stringify([kind, token]);
    const derived = cached.get(name) ?? derive(kind, token);
    cached.delete(name);
    cached.set(name, derived);
    const [oldest] = cached.keys();
    if (cached.size > MAX_CACHED && oldest !== undefined) cached.delete(oldest);
    return derived;
  };
}

/** Hashes the names of counters with a key: there are so few addresses that a plain hash could be reversed. */
export function createCounterHash(secret: Uint8Array): (name: string) => string {
  const key = deriveKey(secret, "counter");
  return (name) => createHmac("sha256", key).update(name).digest("base64url");
}

/** Derives a separate key for each purpose, so that no key reveals another (RFC 5869, section 3.2). */
function deriveKey(secret: Uint8Array, purpose: string): Buffer {
  if (secret.byteLength < MIN_SECRET_BYTES) {
    throw new AnalyticsError("usage", `The server secret is shorter than ${MIN_SECRET_BYTES} bytes.`, {
      hint: `Use ${MIN_SECRET_BYTES} random bytes, for example from: openssl rand -base64 ${MIN_SECRET_BYTES}`,
    });
  }
  return Buffer.from(hkdfSync("sha256", secret, "", `analytics-mcp store ${purpose}`, KEY_BYTES));
}

const bind = ({ kind, hash }: Pick<StoredRecord, "kind" | "hash">): Buffer =>
  Buffer.concat([Buffer.of(VERSION), frame(kind, hash)]);

/** Joins texts, each after its length, so that different lists never give the same bytes. */
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
