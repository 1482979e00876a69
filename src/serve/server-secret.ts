import { randomBytes } from "node:crypto";
import { mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { platform } from "node:os";
import { dirname } from "node:path";
import { AnalyticsError } from "../errors.ts";

const SECRET_BYTES = 32;

/**
 * The server secret, of a file that nobody else may read; it is made where there is none. Replicas need the same.
 * Throws AnalyticsError `usage` where the file cannot be used.
 */
export async function readSecret(file: string): Promise<Uint8Array> {
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    const secret = randomBytes(SECRET_BYTES).toString("base64");
    await writeFile(file, `${secret}\n`, { mode: 0o600, flag: "wx" });
  } catch (cause) {
    const isThere = cause instanceof Error && "code" in cause && cause.code === "EEXIST";
    if (!isThere) throw refuse("cannot be made", cause);
  }
  const { mode, text } = await readExisting(file);
  // Windows has other rights, and tells none of them here.
  if (platform() !== "win32" && (mode & 0o077) !== 0) throw refuse("can be read by others: chmod 600 it");
  const secret = Buffer.from(text.trim(), "base64");
  if (secret.byteLength >= SECRET_BYTES) return secret;
  throw refuse(`holds fewer than ${SECRET_BYTES} bytes of base64`);
}

async function readExisting(file: string): Promise<{ mode: number; text: string }> {
  try {
    const { mode } = await stat(file);
    return { mode, text: await readFile(file, "utf8") };
  } catch (cause) {
    throw refuse("cannot be read", cause);
  }
}

function refuse(reason: string, cause?: unknown): AnalyticsError {
  return new AnalyticsError("usage", `The file of the server secret ${reason}.`, {
    hint: "Name another with --secret-file; where there is none, it is made.",
    cause,
  });
}
