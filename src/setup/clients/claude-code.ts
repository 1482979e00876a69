import { type Client, needsKey, quote } from "../mcp-client.ts";
import { buildCommand, buildStdio, buildVariables } from "../server-command.ts";

const refer = (name: string) => `\${${name}}`;

/**
 * https://code.claude.com/docs/en/mcp. Its user scope lies in ~/.claude.json, which a running Claude Code
 * rewrites all the time: only its own command should write there. A project's .mcp.json is made to be edited.
 */
export const claudeCode: Client = {
  id: "claude-code",
  title: "Claude Code",
  aliases: ["claudecode", "cc"],
  format: "json",
  at: "mcpServers",
  places: { macos: ".mcp.json", windows: ".mcp.json", linux: ".mcp.json" },
  alsoIn: ["~/.claude.json"],
  isRemote: true,
  isWritable: true,
  keyFrom: "its environment",
  buildEntry: (wish) =>
    wish.server.kind === "remote" ? { type: "http", url: wish.server.url } : buildStdio(wish, refer),
  notes: (wish) => [
    "The file belongs to the project's folder and may be committed; start claude there and approve the server.",
    "For all your projects there is claude mcp add with --scope user: analytics-mcp config claude-code prints it.",
    ...(wish.server.kind === "remote" ? ["Sign in: /mcp, choose the server, Authenticate."] : []),
    ...(needsKey(wish) ? ["Start claude in a shell where the variables are set."] : []),
  ],
  // The name goes first: --env and --header take every word that follows them, up to the next option.
  buildShellCommand: (wish) => {
    const start = `claude mcp add ${wish.name} --scope user`;
    if (wish.server.kind === "remote") return `${start} --transport http ${quote(wish.server.url)}`;
    const variables = Object.entries(buildVariables(wish, refer) ?? {});
    const env = variables.map(([name, value]) => ` --env ${quote(`${name}=${value}`)}`).join("");
    return `${start}${env} -- ${buildCommand(wish).map(quote).join(" ")}`;
  },
};
