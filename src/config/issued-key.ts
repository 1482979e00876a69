import { createHash, randomBytes } from "node:crypto";

/** Scanners for leaked secrets find a key by its beginning. */
const PREFIX = "amcp_";
const BYTES = 32;
const KEY = /amcp_[\w-]{43}/;

/** Creates an API key: 256 random bits behind a fixed prefix. */
export const createKey = (): string => `${PREFIX}${randomBytes(BYTES).toString("base64url")}`;

/** SHA-256 in hexadecimal. It need not be slow: a random key cannot be guessed. */
export const hashKey = (key: string): string => createHash("sha256").update(key).digest("hex");

/** A key's public id. It can be computed from the key, but the key cannot be computed from it. */
export const createKeyId = (sha256: string): string => `key_${sha256.slice(0, 12)}`;

/** Finds a key in a text, where one does not belong. */
export const findIssuedKey = (text: string): string | undefined => KEY.exec(text)?.[0];
