import { dirname } from "node:path";
import { isPlaceholder } from "../config/api-key.ts";
import { AnalyticsError } from "../errors.ts";
import { isThere, NEW_FILE, PRIVATE_FILE, readConfigFile, replaceConfigFile } from "./config-file.ts";
import { formatDifference } from "./difference.ts";
import type { Edit } from "./documents/editor.ts";
import { editJson } from "./documents/json-editor.ts";
import { editToml } from "./documents/toml-editor.ts";
import type { McpClient, WritableClient } from "./mcp-client.ts";
import { KEY } from "./server-command.ts";
import type { ServerSpec } from "./server-spec.ts";
import { buildEntry } from "./setup-instructions.ts";

export interface WriteOptions {
  path: string;
  /** Whether the file was named by the person: then it need not be the client's. */
  isNamed: boolean;
  /** Replace another entry of that name, and write for a client that does not seem to be there. */
  force: boolean;
  dryRun: boolean;
  /** Milliseconds since 1970. */
  now: number;
}

export interface WriteResult {
  state: "written" | "there" | "shown";
  /** The file itself, where the client's path is a link. */
  path: string;
  backup: string | undefined;
  /** A unified diff, without the key. */
  difference: string;
  /** Whether others on this machine may read the file. */
  isOpen: boolean;
}

/** Puts a server into a client's file; every other byte of it stays. Throws AnalyticsError `usage` and `unavailable`. */
export async function writeEntry(
  client: WritableClient,
  spec: ServerSpec,
  writing: WriteOptions,
): Promise<WriteResult> {
  const { path, force, dryRun, now } = writing;
  if (!writing.isNamed && !force) await assertInstalled(client, path);
  const file = await readConfigFile(path);
  const edit = chooseEditor(client);
  const text = inFile(file.path, () => edit(file.text, buildEntry(client, spec), force));
  const isNew = file.bytes === undefined;
  const outcome = {
    path: file.path,
    backup: undefined,
    difference: hideKeys(formatDifference(file.path, file.text, text), `${file.text}\n${text}`),
    isOpen: !isNew && ((file.mode ?? 0) & 0o044) !== 0,
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
  if (await isThere(dirname(path))) return;
  throw new AnalyticsError("usage", `${title} does not seem to be installed: there is no ${dirname(path)}.`, {
    hint: "Start it once; or --force makes the folder, and --file names another file.",
  });
}

function inFile(path: string, edit: () => string): string {
  try {
    return edit();
  } catch (cause) {
    if (!(cause instanceof AnalyticsError)) throw cause;
    throw new AnalyticsError(cause.code, `${path}: ${cause.message}`, { hint: cause.hint, cause });
  }
}

/** As a member's value in JSON and TOML, on the next line too, or behind `=` in a command's arguments. */
const KEY_VALUE = new RegExp(
  `${KEY}["']?\\s*[:=]\\s*(?:"(?:"")?((?:\\\\.|[^"\\\\])*)|'(?:'')?([^']*)|([^\\s"'\\],]+))`,
  "g",
);
const REFERENCE = /^\$\{?[\w:.-]+\}?$/;

/** Every key that either text holds, wherever a line of the difference shows it. Names of variables and placeholders stay. */
function hideKeys(difference: string, texts: string): string {
  const values = [...texts.matchAll(KEY_VALUE)].map(
    ([, double, single, bare]) => double ?? single ?? bare ?? "",
  );
  const keys = values.filter((each) => each !== "" && !REFERENCE.test(each) && !isPlaceholder(each));
  // The longest first: one key may begin with another.
  keys.sort((one, other) => other.length - one.length);
  return keys.reduce((shown, key) => shown.replaceAll(key, "…"), difference);
}
