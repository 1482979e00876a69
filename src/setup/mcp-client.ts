import type { ClientName } from "./client-names.ts";
import type { Places } from "./machine.ts";
import type { Members, ServerSpec } from "./server-spec.ts";

/** An assistant that takes MCP servers, and how it is told of one. */
export interface McpClient {
  id: ClientName;
  title: string;
  /** Other words that people call it by. */
  aliases: readonly string[];
  format: "json" | "toml" | "yaml";
  /** The member of its file that holds the servers by name. */
  at: string;
  /** Its file; a relative path is one of the project's folder. */
  places?: Places;
  /** Other files in which it finds servers: a project's, or its own. */
  alsoIn?: readonly string[];
  /** Where it is pasted, for a client without a file of its own. */
  where?: string;
  /** Moves the folder of its file. */
  folderVariable?: string;
  /** Speaks to remote servers itself, sign-in included; otherwise mcp-remote does. */
  isRemote: boolean;
  /** Whether `--write` knows its file. */
  isWritable: boolean;
  /** How it gets at the key without holding it; without it, the key itself has to stand in its file. */
  keyFrom?: "its environment" | "a question" | "its secrets";
  buildEntry(spec: ServerSpec): Members;
  /** VS Code's questions, by which it asks for the key. */
  buildInputs?(spec: ServerSpec): Members[];
  /** What to do next, and what to beware of: whole sentences. */
  notes(spec: ServerSpec): string[];
  /** One command that does the same. */
  buildShellCommand?(spec: ServerSpec): string | undefined;
  /** A link that does the same. */
  buildLink?(spec: ServerSpec): string | undefined;
}

/** Whether the key has to come from somewhere. */
export function needsKey({ server }: ServerSpec): boolean {
  return server.kind === "local" && server.options.length === 0 && server.profile === undefined;
}

/** A word of a command line, for POSIX shells, and for PowerShell but for an apostrophe. */
export function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
