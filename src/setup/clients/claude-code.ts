import { type McpClient, needsKey, quote } from "../mcp-client.ts";
import { buildCommand, buildStdio, buildVariables } from "../server-command.ts";

const refer = (name: string) => `\${${name}}`;

/**
 * https://code.claude.com/docs/en/mcp. Its user scope is in ~/.claude.json, which a running Claude Code rewrites all the
 * time: only its own command should write there. A project's .mcp.json is meant to be edited.
 */
export const claudeCode: McpClient = {
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
  buildEntry: (spec) =>
    spec.server.kind === "remote" ? { type: "http", url: spec.server.url } : buildStdio(spec, refer),
  notes: (spec) => [
    "The file is in the project's folder, and you can commit it. Start claude there and approve the server.",
    "For all your projects, use claude mcp add with --scope user: analytics-mcp config claude-code prints the command.",
    ...(spec.server.kind === "remote" ? ["Sign in: /mcp, choose the server, Authenticate."] : []),
    ...(needsKey(spec) ? ["Start claude in a shell where the variables are set."] : []),
  ],
  // The name comes first: --env and --header take all following words, up to the next option.
  buildShellCommand: (spec) => {
    const start = `claude mcp add ${spec.name} --scope user`;
    if (spec.server.kind === "remote") return `${start} --transport http ${quote(spec.server.url)}`;
    const variables = Object.entries(buildVariables(spec, refer) ?? {});
    const env = variables.map(([name, value]) => ` --env ${quote(`${name}=${value}`)}`).join("");
    return `${start}${env} -- ${buildCommand(spec).map(quote).join(" ")}`;
  },
};
