import { readdirSync } from "node:fs";
import { join } from "node:path";
import { readRegularFile } from "../../config/read-regular-file.ts";
import { AnalyticsError } from "../../errors.ts";
import { createDescribedFormat, readDescription } from "./reading/formats/described.ts";
import { createLineParser } from "./reading/formats/index.ts";

/** Where nginx and Apache have their configuration. */
export const SERVER_FOLDERS: readonly string[] = ["/etc/nginx", "/etc/apache2", "/etc/httpd"];

/** More would not be a configuration. */
const MAX_FILES = 500;
const MAX_CHARACTERS = 200_000;

interface Described {
  description: string;
  file: string;
}

/**
 * The description in the configuration of this machine's web servers that reads most of some lines, and at least half; undefined if
 * none does, or if the configuration cannot be read.
 */
export function findServerFormat(lines: readonly string[], folders = SERVER_FOLDERS): Described | undefined {
  const scores = folders
    .flatMap(listFiles)
    .slice(0, MAX_FILES)
    .flatMap(listDescriptions)
    .map((described) => ({ ...described, read: countRead(described, lines) }));
  const [first] = scores.sort((a, b) => b.read - a.read);
  return first !== undefined && 2 * first.read >= lines.length && first.read > 0 ? first : undefined;
}

function listFiles(folder: string): string[] {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => !entry.isDirectory())
      .map(({ parentPath, name }) => join(parentPath, name));
  } catch {
    return [];
  }
}

const DIRECTIVE = /^[ \t]*(log_format\s[^;]{1,8000};|LogFormat[ \t](?:[^\n\\]|\\[\s\S]){1,8000}$)/gm;

function listDescriptions(file: string): Described[] {
  try {
    const text = readRegularFile(file).toString().slice(0, MAX_CHARACTERS);
    return [...text.matchAll(DIRECTIVE)].map(([, directive = ""]) => ({
      description: readDescription(directive),
      file,
    }));
  } catch {
    return [];
  }
}

function countRead({ description }: Described, lines: readonly string[]): number {
  try {
    const parse = createLineParser(createDescribedFormat(description));
    return lines.filter((line) => typeof parse(line) === "object").length;
  } catch (error) {
    // Many a server describes lines that are no log of requests.
    if (error instanceof AnalyticsError) return 0;
    throw error;
  }
}
