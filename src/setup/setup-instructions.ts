import { isAbsolute, posix, resolve, win32 } from "node:path";
import { readMember } from "../member.ts";
import type { Entry } from "./documents/editor.ts";
import { formatTomlTable, formatYaml } from "./documents/entry-format.ts";
import { buildDocument } from "./documents/json-editor.ts";
import { expandPath, type Machine, type PlatformPaths } from "./machine.ts";
import type { McpClient } from "./mcp-client.ts";
import { buildProgram, buildStdio } from "./server-command.ts";
import { type Members, needsKey, type ServerSpec } from "./server-spec.ts";

/** Everything a person needs to add a server to an MCP client. */
export interface Instructions {
  client: string;
  title: string;
  server: "local" | "remote";
  /** The file for the content; null for a client without a file of its own. */
  path: string | null;
  /** That file on every platform, as people write it. */
  paths: PlatformPaths | null;
  /** Where to paste, for a client without a file of its own. */
  where: string | null;
  format: McpClient["format"];
  content: string;
  notes: string[];
  command: string | null;
  link: string | null;
}

export function buildInstructions(client: McpClient, spec: ServerSpec, machine: Machine): Instructions {
  const entry = buildEntry(client, spec);
  return {
    client: client.id,
    title: client.title,
    server: spec.server.kind,
    path: findFile(client, machine) ?? null,
    paths: client.file ?? null,
    where: client.pasteInto ?? null,
    format: client.format,
    content: formatContent(client, entry),
    notes: [...buildNotes(client, spec), ...noteOnMerging(client)],
    command: buildShellCommand(client, spec) ?? null,
    link: client.buildLink?.(entry) ?? null,
  };
}

/** What to know and do, whether the entry was pasted or written. */
export function buildNotes(client: McpClient, spec: ServerSpec): string[] {
  const isRemote = spec.server.kind === "remote";
  const applies = { remote: isRemote, local: !isRemote, key: needsKey(spec), shared: isShared(spec) };
  const own = client.notes.flatMap((note) => {
    if (typeof note === "string") return [note];
    const applying = Object.entries(note).filter(([scope]) => readMember(applies, scope));
    return applying.map(([, text]) => text.replace("<name>", spec.name));
  });
  return [...noteOnKey(client, spec), ...own];
}

/** Whether an entry works elsewhere, too: a path of this machine and a key do not belong to others. */
const isShared = ({ server }: ServerSpec): boolean =>
  server.kind === "remote" ||
  (server.apiKey === undefined &&
    !server.options.some((word) => word === "--profile" || isAbsolute(word.replace(/^[\w.-]+=/, ""))));

export function buildEntry(client: McpClient, spec: ServerSpec): Entry {
  const inputs = client.buildInputs?.(spec) ?? [];
  return { serversKey: client.serversKey, name: spec.name, value: buildServer(client, spec), inputs };
}

function buildServer(client: McpClient, spec: ServerSpec): Members {
  const { name, server } = spec;
  if (server.kind === "remote" && client.buildRemote) return client.buildRemote(server.url, name);
  const program = buildProgram(spec, client.key);
  return client.buildLocal?.(program, name) ?? buildStdio(program);
}

function buildShellCommand(client: McpClient, spec: ServerSpec): string | undefined {
  const { name, server } = spec;
  if (server.kind === "remote") return client.commandForRemote?.(name, server.url);
  return client.commandForLocal?.(name, buildProgram(spec, client.key));
}

/**
 * The client's file, in the folder that its own variable names if that is set. For another machine: the path as people
 * write it.
 */
export function findFile({ file, folderVariable }: McpClient, machine: Machine): string | undefined {
  if (file === undefined) return undefined;
  if (!machine.isHere) return file[machine.platform];
  const path = expandPath(file, machine);
  const { join, basename } = machine.platform === "windows" ? win32 : posix;
  const folder = folderVariable === undefined ? undefined : machine.environment[folderVariable];
  if (folder !== undefined && folder !== "") return join(folder, basename(path));
  return /^[~%]/.test(file[machine.platform]) ? path : resolve(path);
}

function formatContent(client: McpClient, entry: Entry): string {
  const { serversKey, name, value } = entry;
  switch (client.format) {
    case "json":
      return JSON.stringify(buildDocument(entry), null, 2);
    case "toml":
      return formatTomlTable(serversKey, name, value).trimEnd();
    case "yaml":
      return formatYaml({ [serversKey]: client.isList ? [{ name, ...value }] : { [name]: value } }).trimEnd();
  }
}

function noteOnKey({ title, key }: McpClient, spec: ServerSpec): string[] {
  const { server } = spec;
  if (server.kind === "remote") return [];
  if (server.profile !== undefined)
    return [
      `It contains no key: the server uses profile ${server.profile}, which login saved on this machine.`,
    ];
  if (!needsKey(spec)) return [];
  if (server.apiKey !== undefined) return ["The file contains the key itself: do not share it."];
  const missing = server.baseUrl === undefined ? " and the address of your service" : "";
  if (key === undefined)
    return [`Replace the words in <> with your key${missing}: ${title} documents no variables.`];
  return [`It contains no key: ${title} reads the key${missing} from ${key.from}.`];
}

function noteOnMerging({ serversKey, format, file }: McpClient): string[] {
  if (file === undefined || format === "toml") return [];
  return [`If the file already has "${serversKey}", add only the entry inside it.`];
}
