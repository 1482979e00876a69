import { AnalyticsError, quoteWord } from "../errors.ts";
import { findNearest } from "../suggest.ts";
import type { Entry } from "./documents/editor.ts";
import type { PlatformPaths } from "./machine.ts";
import type { KeySource, Program } from "./server-command.ts";
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
  serversKey: string;
  /** That member is a list, and each server has its name inside. */
  isList?: true;
  /** The client's file. A relative path is in the project's folder. */
  file?: PlatformPaths;
  /** Other files in which the client looks for servers: a project's, or its own. */
  otherFiles?: readonly string[];
  /** Where to paste, for a client without a file of its own. */
  pasteInto?: string;
  /** The environment variable that moves the file's folder. */
  folderVariable?: string;
  /** How the client gets the key. Without it, the key itself must be in its file. */
  key?: KeySource;
  /** The entry of a remote server. Without it, the client cannot sign in to one, and mcp-remote does. */
  buildRemote?(url: string, name: string): Members;
  /** The entry of a local program, if it is not `command`, `args` and `env`. */
  buildLocal?(program: Program, name: string): Members;
  /** VS Code's `inputs`: the prompts with which it asks for the key. */
  buildInputs?(spec: ServerSpec): Members[];
  /** What to do next and what to watch out for. */
  notes: readonly ClientNote[];
  /** A shell command that adds a remote server. */
  commandForRemote?(name: string, url: string): string;
  /** A shell command that adds a local program; undefined if it cannot pass on the variables. */
  commandForLocal?(name: string, program: Program): string | undefined;
  /** A link that adds the same entry. */
  buildLink?(entry: Entry): string;
}

/**
 * A sentence, perhaps only for some servers: `key` stands for those that need one, `shared` for those that others can use as
 * they are. `<name>` is the server's name.
 */
export type ClientNote = string | Partial<Record<"remote" | "local" | "key" | "shared", string>>;

/** Finds a client by its name or an alias. Throws AnalyticsError `usage` with a suggestion. */
export function findClient(word: string, clients: readonly McpClient[]): McpClient {
  const byName = new Map(
    clients.flatMap((client) =>
      [client.id, client.title, ...client.aliases].map((name) => [simplify(name), client] as const),
    ),
  );
  const found = byName.get(simplify(word));
  if (found !== undefined) return found;
  const several = clients.filter(({ id }) => simplify(id.split("-")[0] ?? "") === simplify(word));
  if (several.length > 1) {
    throw new AnalyticsError("usage", `Which client: ${several.map(({ id }) => id).join(" or ")}?`, {
      hint: `For example: analytics-mcp config ${several[0]?.id}`,
    });
  }
  const remote = CONNECTED.get(simplify(word));
  if (remote !== undefined) {
    throw new AnalyticsError("usage", `${remote} has no settings file: it uses the connector.`, {
      hint: `Start it with analytics-mcp serve, and add its address in the settings of ${remote}: docs/connector.md shows how.`,
    });
  }
  const near = byName.get(findNearest(simplify(word), [...byName.keys()]) ?? "");
  const all = `The clients are ${clients.map(({ id }) => id).join(", ")}.`;
  throw new AnalyticsError("usage", `There is no client ${quoteWord(word)}.`, {
    hint: near === undefined ? all : `Did you mean ${near.id}? ${all}`,
  });
}

/** Assistants that start no program on this machine. */
const CONNECTED: ReadonlyMap<string, string> = new Map([
  ["chatgpt", "ChatGPT"],
  ["openai", "ChatGPT"],
  ["claudeai", "claude.ai"],
  ["claudeweb", "claude.ai"],
]);

const simplify = (name: string) => name.toLowerCase().replaceAll(/[^a-z]/g, "");
