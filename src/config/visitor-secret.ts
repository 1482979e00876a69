import { randomBytes } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { AnalyticsError, readErrorCode } from "../errors.ts";
import { describeExposure, isReadableByOthers } from "./file-permissions.ts";
import { findConfigFolder } from "./folders.ts";
import { readRegularFile } from "./read-regular-file.ts";
import { explainSystemError } from "./system-error.ts";
import type { Environment } from "./variables.ts";

const MIN_BYTES = 32;

/**
 * Reads the secret with which an export turns visitors' addresses into pseudonyms. Without a named file, it uses the one
 * in the folder of settings, and creates it if it is missing. Throws AnalyticsError `usage`.
 */
export function readVisitorSecret(named: string | undefined, environment: Environment): Uint8Array {
  const file = named ?? findDefaultFile(environment);
  try {
    if (named === undefined) createSecret(file);
    const secret = readRegularFile(file);
    if (secret.length < MIN_BYTES) {
      throw createSecretError(
        file,
        `is too short: ${MIN_BYTES} bytes or more`,
        "Create one: openssl rand -hex 32",
      );
    }
    if (isReadableByOthers(file)) {
      throw new AnalyticsError("usage", `The visitors' secret ${describeExposure(file)}`);
    }
    return secret;
  } catch (cause) {
    if (cause instanceof AnalyticsError || readErrorCode(cause) === undefined) throw cause;
    throw createSecretError(file, `cannot be used: ${explainSystemError(cause)}`);
  }
}

function findDefaultFile(environment: Environment): string {
  const folder = findConfigFolder(environment);
  if (folder !== undefined) return join(folder, "visitor-secret");
  throw new AnalyticsError("usage", "There is no folder for the visitors' secret: HOME is not set.", {
    hint: "Name a file with --visitor-secret.",
  });
}

function createSecret(file: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  try {
    writeFileSync(file, `${randomBytes(32).toString("hex")}\n`, { mode: 0o600, flag: "wx" });
  } catch (cause) {
    if (readErrorCode(cause) !== "EEXIST") throw cause;
  }
}

const createSecretError = (file: string, reason: string, hint?: string) =>
  new AnalyticsError("usage", `The visitors' secret ${file} ${reason}.`, hint === undefined ? {} : { hint });
