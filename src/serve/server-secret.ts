import { randomBytes } from "node:crypto";
import { mkdir, stat, writeFile } from "node:fs/promises";
import { platform } from "node:os";
import { dirname } from "node:path";
import { readRegularFile } from "../config/read-regular-file.ts";
import { explainSystemError } from "../config/system-error.ts";
import { AnalyticsError, readErrorCode } from "../errors.ts";

const SECRET_BYTES = 32;

/**
 * Reads the server secret from a file that only its owner can read, and creates the file if it is missing. All
 * replicas need the same secret. Without a file, returns one for this process alone. Throws AnalyticsError `usage` if
 * the file cannot be used.
 */
export async function readSecret(file: string | undefined): Promise<Uint8Array> {
  if (file === undefined) return randomBytes(SECRET_BYTES);
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    const secret = randomBytes(SECRET_BYTES).toString("base64");
    await writeFile(file, `${secret}\n`, { mode: 0o600, flag: "wx" });
  } catch (cause) {
    const isThere = readErrorCode(cause) === "EEXIST";
    if (!isThere) throw createSecretError(`cannot be created: ${explainSystemError(cause)}`, cause);
  }
  const { mode, text } = await readExisting(file);
  // Windows has other permissions, which do not show in the mode.
  if (platform() !== "win32" && (mode & 0o077) !== 0)
    throw createSecretError("can be read by others: run chmod 600 on it");
  const secret = Buffer.from(text.trim(), "base64");
  if (secret.byteLength >= SECRET_BYTES) return secret;
  throw createSecretError(`has fewer than ${SECRET_BYTES} bytes of base64`);
}

async function readExisting(file: string): Promise<{ mode: number; text: string }> {
  try {
    const { mode } = await stat(file);
    return { mode, text: readRegularFile(file).toString() };
  } catch (cause) {
    throw createSecretError(`cannot be read: ${explainSystemError(cause)}`, cause);
  }
}

const createSecretError = (reason: string, cause?: unknown): AnalyticsError =>
  new AnalyticsError("usage", `The server secret file ${reason}.`, {
    hint: "Name another file with --secret-file. A missing file is created.",
    cause,
  });
