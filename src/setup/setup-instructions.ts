import { posix, resolve, win32 } from "node:path";
import type { Entry } from "./documents/editor.ts";
import { formatTomlTable, formatYaml } from "./documents/entry-format.ts";
import { buildDocument } from "./documents/json-editor.ts";
import { findPlace, type Machine, type PlatformPaths } from "./machine.ts";
import { type McpClient, needsKey } from "./mcp-client.ts";
import type { ServerSpec } from "./server-spec.ts";

/** All there is to say about a server's set-up in a client. */
export interface Instructions {
  client: string;
  title: string;
  server: "local" | "remote";
  /** Where the content belongs; null for a client without a file of its own. */
  path: string | null;
  /** The same on every platform, as people write it. */
  paths: PlatformPaths | null;
  /** Where it is pasted, for a client without a file of its own. */
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

/** The client's file: below the folder that a variable of its own names, if it is set; of another machine as people write it. */
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
      return formatYaml({ [at]: { [name]: value } }).trimEnd();
  }
}

function noteOnKey({ title, keyFrom }: McpClient, spec: ServerSpec): string[] {
  const { server } = spec;
  if (server.kind === "remote") return [];
  if (server.profile !== undefined)
    return [
      `No key stands in it: the server takes that of the profile ${server.profile}, saved here by login.`,
    ];
  if (!needsKey(spec)) return [];
  if (server.apiKey !== undefined) return ["The key itself stands in the file: keep it to yourself."];
  const missing = server.baseUrl === undefined ? " and the address of your service" : "";
  if (keyFrom === undefined)
    return [`Put your key${missing} in place of the words in <>: the manual of ${title} names no variables.`];
  return [`No key stands in it: ${title} takes it${missing} from ${keyFrom}.`];
}

function noteOnMerging({ at, format, places }: McpClient): string[] {
  if (places === undefined || format === "toml") return [];
  return [`Where the file has "${at}" already, only what stands within it is to be added there.`];
}
