import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { AnalyticsError, quotePath } from "../errors.ts";
import { readJson } from "../member.ts";
import { quoteForShell } from "../operations/shell-command.ts";
import { isWritableByOthers } from "./file-permissions.ts";
import { findConfigFolder } from "./folders.ts";
import { readSitePattern } from "./site-patterns.ts";
import { explainSystemError } from "./system-error.ts";
import { type Environment, readVariable } from "./variables.ts";

const VERSION = 1;
const NAME = /^(?!key_)[a-z0-9][a-z0-9_-]{0,49}$/;

const sitePattern = z.string().transform((text, context) => {
  try {
    return readSitePattern(text);
  } catch (error) {
    context.addIssue(error instanceof AnalyticsError ? error.message : String(error));
    return z.NEVER;
  }
});

const organization = z.strictObject({
  name: z.string().regex(NAME, "This is not a name: only a-z, 0-9, - and _."),
  sites: z.array(sitePattern).min(1, "There is no site."),
  keys: z.array(
    z.strictObject({
      sha256: z.string().regex(/^[\da-f]{64}$/, "This is not a SHA-256 in hexadecimal."),
      created: z.iso.datetime("This is not a time such as 2026-11-21T04:05:10Z."),
    }),
  ),
});

const content = z.strictObject({ version: z.literal(VERSION), organizations: z.array(organization) });

/** An organization that shares a source with others, and hashes of its keys. */
export type Organization = z.output<typeof organization>;

/** Whether it can be told apart from a key's id, and needs no quoting in a shell. */
export const isOrganizationName = (name: string) => NAME.test(name);

/** The keys file to use, and whether somebody named it. Throws AnalyticsError `usage` if there is no folder for one. */
export function findKeysFile(
  flags: Readonly<Record<string, unknown>>,
  environment: Environment,
): { file: string; isNamed: boolean } {
  const named =
    typeof flags.keys === "string" ? flags.keys : readVariable(environment, "ANALYTICS_KEYS_FILE");
  if (named?.startsWith("~") || named === "") {
    throw new AnalyticsError("usage", `--keys: there is no file ${quotePath(named)}.`, {
      hint: "Write the full path: only a shell expands ~.",
    });
  }
  if (named !== undefined) return { file: named, isNamed: true };
  const folder = findConfigFolder(environment);
  if (folder !== undefined) return { file: join(folder, "keys.json"), isNamed: false };
  throw new AnalyticsError("usage", "There is no folder for keys: neither HOME nor XDG_CONFIG_HOME is set.", {
    hint: "Name a file with --keys, or ANALYTICS_KEYS_FILE.",
  });
}

/** A text that changes whenever the file does. */
export function fingerprintFile(file: string): string {
  try {
    const { dev, ino, size, mtimeNs, ctimeNs } = statSync(file, { bigint: true });
    return [dev, ino, size, mtimeNs, ctimeNs].join(" ");
  } catch {
    return "none";
  }
}

/**
 * Reads the organizations and their keys. Throws AnalyticsError `usage` if the file is missing, damaged, of a later
 * version, or if another user could add a key to it.
 */
export function readKeysFile(file: string): Organization[] {
  let text: string;
  try {
    if (!statSync(file).isFile()) throw createKeysFileError(file, "is not a file", HINT_ADD);
    if (isWritableByOthers(file)) throw createForeignFileError(file);
    text = readFileSync(file, "utf8");
  } catch (cause) {
    if (cause instanceof AnalyticsError) throw cause;
    throw createKeysFileError(file, `cannot be read: ${explainSystemError(cause)}`, HINT_ADD, cause);
  }
  return parseKeys(file, text);
}

function parseKeys(file: string, text: string): Organization[] {
  const json = readJson(text);
  if (json === undefined) throw createKeysFileError(file, "is damaged: it is not JSON", HINT_REPAIR);
  const { version }: { version?: unknown } = Object(json);
  if (typeof version === "number" && version > VERSION) {
    throw createKeysFileError(
      file,
      `has version ${version}, which a newer analytics-mcp wrote`,
      "Update this one.",
    );
  }
  const { data, error } = content.safeParse(json);
  if (data === undefined) throw createKeysFileError(file, `is damaged${describeIssue(error)}`, HINT_REPAIR);
  const repeated =
    findRepeated(data.organizations.map(({ name }) => name)) ??
    findRepeated(data.organizations.flatMap(({ keys }) => keys.map(({ sha256 }) => sha256)));
  if (repeated !== undefined) {
    throw createKeysFileError(file, `is damaged: it has ${repeated.slice(0, 50)} twice`, HINT_REPAIR);
  }
  return data.organizations;
}

/** Names the place and what is wrong there, without the value. */
function describeIssue(error: z.ZodError): string {
  const [issue] = error.issues;
  if (issue === undefined) return "";
  const place = issue.path.length === 0 ? "" : ` at ${issue.path.join(".")}`;
  return `${place}: ${issue.message.replace(/\.$/, "")}`;
}

const findRepeated = (names: readonly string[]) => names.find((name, index) => names.indexOf(name) !== index);

export const formatKeys = (organizations: readonly Organization[]): string =>
  `${JSON.stringify({ version: VERSION, organizations }, null, 2)}\n`;

const HINT_ADD = "analytics-mcp keys add creates one; see analytics-mcp keys --help.";
const HINT_REPAIR = "Repair it, or move it away and add the keys again: see analytics-mcp keys --help.";

const createKeysFileError = (file: string, reason: string, hint: string, cause?: unknown): AnalyticsError =>
  new AnalyticsError("usage", `The keys file ${file} ${reason}.`, { hint, cause });

const createForeignFileError = (file: string): AnalyticsError =>
  new AnalyticsError("usage", `Other users could add keys to the keys file ${file}.`, {
    hint: `It must belong to you or to root, and be writable by its owner alone: chmod 600 ${quoteForShell(file)}`,
  });
