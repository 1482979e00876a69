import type { PlatformPaths } from "./machine.ts";
import type { Members, ServerSpec } from "./server-spec.ts";

/** An assistant or editor that runs MCP servers, and how a server is added to it. */
export type McpClient = WritableClient | PastedClient;

/** `--write` can edit the client's file. */
export interface WritableClient extends CommonFacts {
  format: "json" | "toml";
  isWritable: true;
}

/** The entry is pasted by hand: the only way for YAML, which has no editor here. */
interface PastedClient extends CommonFacts {
  format: "json" | "toml" | "yaml";
  isWritable: false;
}

interface CommonFacts {
  /** The name in `analytics-mcp config <id>`. */
  id: string;
  title: string;
  /** Other names that people use for it. */
  aliases: readonly string[];
  /** The member of the file that holds the servers by name. */
  at: string;
  /** That member is a list, and each server has its name inside. */
  isList?: true;
  /** The client's file. A relative path is in the project's folder. */
  places?: PlatformPaths;
  /** Other files in which the client looks for servers: a project's, or its own. */
  alsoIn?: readonly string[];
  /** Where to paste, for a client without a file of its own. */
  where?: string;
  /** The environment variable that moves the file's folder. */
  folderVariable?: string;
  /** The client connects to remote servers itself, including sign-in. Otherwise mcp-remote does. */
  isRemote: boolean;
  /** How the client gets the key. If undefined, the key itself must be in its file. */
  keyFrom?: "its environment" | "a prompt" | "its secrets";
  /** Its file lists the names of variables to pass on. Values in it are literal, even `${NAME}`. */
  passesOnNames?: true;
  buildEntry(spec: ServerSpec): Members;
  /** VS Code's `inputs`: the prompts with which it asks for the key. */
  buildInputs?(spec: ServerSpec): Members[];
  /** What to do next and what to watch out for, in whole sentences. */
  notes(spec: ServerSpec): string[];
  /** A shell command that adds the same entry. */
  buildShellCommand?(spec: ServerSpec): string | undefined;
  /** A link that adds the same entry. */
  buildLink?(spec: ServerSpec): string | undefined;
}

/** Whether the entry must provide a key. */
export function needsKey({ server }: ServerSpec): boolean {
  return server.kind === "local" && server.options.length === 0 && server.profile === undefined;
}

/** Quotes a word for POSIX shells. PowerShell reads it the same way, except for apostrophes. */
export function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
