import { dirname } from "node:path";
import { createTwoFilesPatch, FILE_HEADERS_ONLY } from "diff";
import { isPlaceholder } from "../config/api-key.ts";
import { AnalyticsError } from "../errors.ts";
import { exists, NEW_FILE, PRIVATE_FILE, readConfigFile, replaceConfigFile } from "./config-file.ts";
import type { Edit } from "./documents/editor.ts";
import { editJson } from "./documents/json-editor.ts";
import { editToml } from "./documents/toml-editor.ts";
import type { McpClient, WritableClient } from "./mcp-client.ts";
import { KEY } from "./server-command.ts";
import type { ServerSpec } from "./server-spec.ts";
import { buildEntry } from "./setup-instructions.ts";

export interface WriteOptions {
  path: string;
  /** Whether the person chose the file: then the client need not be installed. */
  isNamed: boolean;
  /** Replace another entry of the same name, and create a missing folder. */
  force: boolean;
  dryRun: boolean;
  /** Milliseconds since 1970. */
  now: number;
}

export interface WriteResult {
  state: "written" | "there" | "shown";
  /** The target, if the client's path is a link. */
  path: string;
  backup: string | undefined;
  /** A unified diff without keys. */
  difference: string;
  /** Whether other users can read the file. */
  isReadableByOthers: boolean;
}

/** Adds a server to a client's file and keeps every other byte. Throws AnalyticsError `usage` and `unavailable`. */
export async function writeEntry(
  client: WritableClient,
  spec: ServerSpec,
  writing: WriteOptions,
): Promise<WriteResult> {
  const { path, force, dryRun, now } = writing;
  if (!writing.isNamed && !force) await assertInstalled(client, path);
  const file = await readConfigFile(path);
  if (!force) await assertFolder(dirname(file.path));
  const edit = chooseEditor(client);
  const text = namePathInErrors(file.path, () => edit(file.text, buildEntry(client, spec), force));
  const isNew = file.bytes === undefined;
  const outcome = {
    path: file.path,
    backup: undefined,
    difference: hideKeys(formatDifference(file.path, file.text, text), `${file.text}\n${text}`),
    isReadableByOthers: !isNew && ((file.mode ?? 0) & 0o044) !== 0,
  };
  if (text === file.text && !isNew) return { ...outcome, state: "there" };
  if (dryRun) return { ...outcome, state: "shown" };
  const holdsKey = spec.server.kind === "local" && spec.server.apiKey !== undefined;
  const mode = holdsKey ? PRIVATE_FILE : NEW_FILE;
  return { ...outcome, state: "written", backup: await replaceConfigFile(file, { text, mode, now }) };
}

function chooseEditor({ format }: WritableClient): Edit {
  switch (format) {
    case "json":
      return editJson;
    case "toml":
      return editToml;
  }
}

async function assertInstalled({ title }: McpClient, path: string): Promise<void> {
  if (await exists(dirname(path))) return;
  throw new AnalyticsError(
    "usage",
    `${title} does not seem to be installed: ${dirname(path)} does not exist.`,
    {
      hint: "Start it once, create the folder with --force, or choose another file with --file.",
    },
  );
}

async function assertFolder(folder: string): Promise<void> {
  if (await exists(folder)) return;
  throw new AnalyticsError("usage", `The folder ${folder} does not exist.`, {
    hint: "Nothing was written. Check --file, or create the folder with --force.",
  });
}

function namePathInErrors(path: string, edit: () => string): string {
  try {
    return edit();
  } catch (cause) {
    if (!(cause instanceof AnalyticsError)) throw cause;
    throw new AnalyticsError(cause.code, `${path}: ${cause.message}`, { hint: cause.hint, cause });
  }
}

/** A unified diff that `patch` and `git apply` accept; empty when nothing changes. An empty file counts as new. */
export function formatDifference(name: string, before: string, after: string): string {
  if (before === after) return "";
  const old = before === "" ? "/dev/null" : name;
  const options = { context: 3, headerOptions: FILE_HEADERS_ONLY };
  return createTwoFilesPatch(old, name, before, after, undefined, undefined, options);
}

/** A key as a value in JSON or TOML, on the next line too, or after `=` in a command's arguments. */
const KEY_VALUE = new RegExp(
  `${KEY}["']?\\s*[:=]\\s*(?:"(?:"")?((?:\\\\.|[^"\\\\])*)|'(?:'')?([^']*)|([^\\s"'\\],]+))`,
  "g",
);
const REFERENCE = /^\$\{?[\w:.-]+\}?$/;

/** Hides every key of either text in the diff. Variable names and placeholders stay. */
function hideKeys(difference: string, texts: string): string {
  const values = [...texts.matchAll(KEY_VALUE)].map(
    ([, double, single, bare]) => double ?? single ?? bare ?? "",
  );
  const keys = values.filter((text) => text !== "" && !REFERENCE.test(text) && !isPlaceholder(text));
  // The longest first: one key may start with another.
  keys.sort((one, other) => other.length - one.length);
  return keys.reduce((shown, key) => shown.replaceAll(key, "…"), difference);
}
