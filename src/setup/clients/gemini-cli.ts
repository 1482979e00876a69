import { underHome } from "../machine.ts";
import { type McpClient, needsKey, quote } from "../mcp-client.ts";
import { buildStdio } from "../server-command.ts";

/**
 * https://github.com/google-gemini/gemini-cli/blob/main/docs/tools/mcp-server.md. Servers do not inherit variables with
 * KEY in their name: `env` must list them. A plain `url` means SSE.
 */
export const geminiCli: McpClient = {
  id: "gemini-cli",
  title: "Gemini CLI",
  aliases: ["gemini"],
  format: "json",
  at: "mcpServers",
  places: underHome(".gemini/settings.json"),
  alsoIn: [".gemini/settings.json"],
  isRemote: true,
  isWritable: false,
  keyFrom: "its environment",
  buildEntry: (spec) =>
    spec.server.kind === "remote" ? { httpUrl: spec.server.url } : buildStdio(spec, (name) => `\${${name}}`),
  notes: (spec) => [
    "Restart gemini. For a single project, use .gemini/settings.json.",
    "In a folder that you do not trust, Gemini CLI connects to no server: /permissions.",
    ...(spec.server.kind === "remote" ? [`Sign in: /mcp auth ${spec.name}`] : []),
    ...(needsKey(spec) ? ["Start gemini in a shell where the variables are set."] : []),
  ],
  buildShellCommand: ({ name, server }) =>
    server.kind === "remote"
      ? `gemini mcp add --scope user --transport http ${name} ${quote(server.url)}`
      : undefined,
};
