import { randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { access, chown, copyFile, mkdir, open, readFile, readlink, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { explainSystemError } from "../config/system-error.ts";
import { AnalyticsError, readErrorCode } from "../errors.ts";

const BOM = "\ufeff";

export interface ConfigFile {
  /** The target, if the given path is a link. */
  path: string;
  /** Undefined if the file does not exist yet. */
  bytes: Buffer | undefined;
  /** Without the byte order mark. */
  text: string;
  bom: string;
  /** Permissions, as in chmod. */
  mode: number | undefined;
}

/** Throws AnalyticsError `usage` if the file is not UTF-8 text or cannot be opened. */
export async function readConfigFile(path: string): Promise<ConfigFile> {
  const target = await followLinks(path);
  try {
    const info = await stat(target);
    // Reading a device or a pipe never ends. A folder fails below, with EISDIR.
    if (!info.isFile() && !info.isDirectory())
      throw Object.assign(new Error(), { code: "it is not a regular file" });
    const [bytes, { mode }] = [await readFile(target), info];
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    const bom = text.startsWith(BOM) ? BOM : "";
    return { path: target, bytes, text: text.slice(bom.length), bom, mode: mode & 0o777 };
  } catch (cause) {
    if (readErrorCode(cause) === "ENOENT")
      return { path: target, bytes: undefined, text: "", bom: "", mode: undefined };
    throw explainFileError(cause, target);
  }
}

export interface Replacement {
  text: string;
  /** The mode of a new file. */
  mode: number;
  /** Milliseconds since 1970, for the backup's name. */
  now: number;
}

/**
 * Replaces a file atomically and keeps a backup beside it. Returns the backup's path, or undefined for a new file.
 * Throws AnalyticsError `unavailable` if the file changed since it was read.
 */
export async function replaceConfigFile(file: ConfigFile, replacement: Replacement) {
  const { path, bytes, bom } = file;
  const temporary = join(dirname(path), `.${basename(path)}.${randomBytes(6).toString("hex")}.tmp`);
  try {
    await mkdir(dirname(path), { recursive: true });
    await writeNewFile(temporary, bom + replacement.text, file.mode ?? replacement.mode);
    if (bytes !== undefined) await keepOwner(temporary, path);
    const backup = bytes === undefined ? undefined : await backUp(path, replacement.now);
    await assertUnchanged(file, backup);
    await rename(temporary, path);
    return backup;
  } catch (cause) {
    await rm(temporary, { force: true });
    throw explainFileError(cause, path);
  }
}

/** Follows links to files that do not exist yet, too. */
async function followLinks(path: string, links = 0): Promise<string> {
  const target = await readlink(path).catch(() => undefined);
  if (target === undefined || links > 40) return resolve(path);
  return followLinks(resolve(dirname(path), target), links + 1);
}

async function writeNewFile(path: string, text: string, mode: number): Promise<void> {
  const handle = await open(path, "wx", mode);
  try {
    // `open` applies the umask, `chmod` does not. A new file without a key gets the default mode.
    if (mode !== NEW_FILE) await handle.chmod(mode);
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** The default mode of a new file, before the umask. */
export const NEW_FILE = 0o666;
export const PRIVATE_FILE = 0o600;

/** Under sudo the file would belong to root, and the client could no longer write it. */
async function keepOwner(temporary: string, path: string): Promise<void> {
  const [now, before] = await Promise.all([stat(temporary), stat(path)]);
  if (now.uid !== before.uid || now.gid !== before.gid) {
    await chown(temporary, before.uid, before.gid).catch(() => {});
  }
}

/** `copyFile` keeps the mode. A second backup within the same second gets a number. */
async function backUp(path: string, now: number, count = 1): Promise<string> {
  const time = new Date(now).toISOString().slice(0, 19).replaceAll(/[-:]/g, "").replace("T", "-");
  const backup = `${path}.${time}${count === 1 ? "" : `-${count}`}.bak`;
  try {
    await copyFile(path, backup, constants.COPYFILE_EXCL);
    return backup;
  } catch (cause) {
    if (readErrorCode(cause) === "EEXIST" && count < 100) return backUp(path, now, count + 1);
    throw cause;
  }
}

async function assertUnchanged({ path, bytes }: ConfigFile, backup: string | undefined): Promise<void> {
  const now = await readFile(path).catch((cause: unknown) => {
    if (readErrorCode(cause) === "ENOENT") return undefined;
    throw cause;
  });
  if (bytes === undefined ? now === undefined : now?.equals(bytes)) return;
  if (backup !== undefined) await rm(backup, { force: true });
  throw new AnalyticsError("unavailable", `Another program has just changed ${path}.`, {
    hint: "Nothing was written. Run the same command again.",
  });
}

export const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

function explainFileError(cause: unknown, path: string): unknown {
  const code = readErrorCode(cause);
  if (cause instanceof AnalyticsError || code === undefined) return cause;
  const reason =
    code === "ERR_ENCODING_INVALID_ENCODED_DATA" ? "it is not UTF-8 text" : explainSystemError(cause);
  return new AnalyticsError("usage", `${path} cannot be used: ${reason}.`, {
    hint: "Nothing was written. Fix the file, choose another with --file, or omit --write and paste by hand.",
    cause,
  });
}
