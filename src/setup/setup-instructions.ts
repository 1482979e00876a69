import { posix, resolve, win32 } from "node:path";
import type { Entry } from "./documents/editor.ts";
import { formatTomlTable, formatYaml } from "./documents/entry-format.ts";
import { buildDocument } from "./documents/json-editor.ts";
import { findPlace, type Machine, type PlatformPaths } from "./machine.ts";
import { type McpClient, needsKey } from "./mcp-client.ts";
import type { ServerSpec } from "./server-spec.ts";

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
  return {
    client: client.id,
    title: client.title,
    server: spec.server.kind,
    path: findFile(client, machine) ?? null,
    paths: client.places ?? null,
    where: client.where ?? null,
    format: client.format,
    content: formatContent(client, spec),
    notes: [...buildNotes(client, spec), ...noteOnMerging(client)],
    command: client.buildShellCommand?.(spec) ?? null,
    link: client.buildLink?.(spec) ?? null,
  };
}

/** What to know and do, whether the entry was pasted or written. */
export function buildNotes(client: McpClient, spec: ServerSpec): string[] {
  return [...noteOnKey(client, spec), ...client.notes(spec)];
}

export function buildEntry(client: McpClient, spec: ServerSpec): Entry {
  const inputs = client.buildInputs?.(spec) ?? [];
  return { at: client.at, name: spec.name, value: client.buildEntry(spec), inputs };
}

/**
 * The client's file, in the folder that its own variable names if that is set. For another machine: the path as people
 * write it.
 */
export function findFile({ places, folderVariable }: McpClient, machine: Machine): string | undefined {
  if (places === undefined) return undefined;
  if (!machine.isHere) return places[machine.platform];
  const place = findPlace(places, machine);
  const { join, basename } = machine.platform === "windows" ? win32 : posix;
  const folder = folderVariable === undefined ? undefined : machine.environment[folderVariable];
  if (folder !== undefined && folder !== "") return join(folder, basename(place));
  return /^[~%]/.test(places[machine.platform]) ? place : resolve(place);
}

function formatContent(client: McpClient, spec: ServerSpec): string {
  const entry = buildEntry(client, spec);
  const { at, name, value } = entry;
  switch (client.format) {
    case "json":
      return JSON.stringify(buildDocument(entry), null, 2);
    case "toml":
      return formatTomlTable(at, name, value).trimEnd();
    case "yaml":
      return formatYaml({ [at]: client.isList ? [{ name, ...value }] : { [name]: value } }).trimEnd();
  }
}

function noteOnKey({ title, keyFrom }: McpClient, spec: ServerSpec): string[] {
  const { server } = spec;
  if (server.kind === "remote") return [];
  if (server.profile !== undefined)
    return [
      `It contains no key: the server uses profile ${server.profile}, which login saved on this machine.`,
    ];
  if (!needsKey(spec)) return [];
  if (server.apiKey !== undefined) return ["The file contains the key itself: do not share it."];
  const missing = server.baseUrl === undefined ? " and the address of your service" : "";
  if (keyFrom === undefined)
    return [`Replace the words in <> with your key${missing}: the manual of ${title} mentions no variables.`];
  return [`It contains no key: ${title} takes the key${missing} from ${keyFrom}.`];
}

function noteOnMerging({ at, format, places }: McpClient): string[] {
  if (places === undefined || format === "toml") return [];
  return [`If the file already has "${at}", add only the entry inside it.`];
}
