import { parse as parseJson } from "jsonc-parser";
import { parse as parseToml, TomlError } from "smol-toml";
import type { McpClient } from "../mcp-client.ts";
import { TOO_DEEP } from "./editor.ts";
import { findFault } from "./json-editor.ts";

/** The servers in a client's file, each as text without its name, or why the file cannot be read. */
export type Servers = { servers: string[] } | { fault: string };

/** Reads the servers of a client's file. A fault is a phrase: "not valid JSON: line 3, …". */
export function readServers({ format, serversKey }: Pick<McpClient, "format" | "serversKey">, file: string) {
  const text = file.replace(/^\ufeff/, "");
  try {
    if (format === "yaml") return { servers: splitYaml(text, serversKey) };
    const fault = format === "json" ? findFault(text) : undefined;
    if (fault !== undefined) return { fault: `not valid JSON: ${fault}` };
    const document = format === "toml" ? parseToml(text) : parseJson(text, [], { allowTrailingComma: true });
    return { servers: findServers(document, serversKey).map((server) => JSON.stringify(server)) };
  } catch (error) {
    if (error instanceof RangeError) return { fault: `not readable: ${TOO_DEEP}` };
    if (!(error instanceof TomlError)) throw error;
    return { fault: `not valid TOML: line ${error.line}, column ${error.column}` };
  }
}

/** At any depth: Claude Code keeps the servers of a project inside the project's entry. */
function findServers(value: unknown, serversKey: string): unknown[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) =>
    name === serversKey && typeof member === "object" && member !== null
      ? Object.values(member)
      : findServers(member, serversKey),
  );
}

/** The blocks below a top-level key, without the servers' names. There is no YAML parser here, so flow style is not read. */
function splitYaml(text: string, serversKey: string): string[] {
  const lines = text.split(/\r?\n/);
  const start = lines.findIndex((line) => new RegExp(`^${serversKey}:\\s*(#.*)?$`).test(line)) + 1;
  if (start === 0) return [];
  const end = lines.findIndex((line, index) => index >= start && /^[^\s#-]/.test(line));
  const block = lines.slice(start, end === -1 ? undefined : end).filter((line) => !/^\s*(#|$)/.test(line));
  const indent = /^\s*/.exec(block[0] ?? "")?.[0] ?? "";
  const entries: string[] = [];
  for (const line of block) {
    const isFirst = line.startsWith(indent) && /^\S/.test(line.slice(indent.length));
    if (isFirst) entries.push("");
    const isName = isFirst ? /^\s*(- *name:|[^-\s])/.test(line) : /^\s*name:/.test(line);
    if (!isName) entries.push(`${entries.pop() ?? ""}${line}\n`);
  }
  return entries;
}
