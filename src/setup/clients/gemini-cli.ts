import { underHome } from "../machine.ts";
import { type McpClient, needsKey, quote } from "../mcp-client.ts";
import { buildStdio } from "../server-command.ts";

/**
 * https://github.com/google-gemini/gemini-cli/blob/main/docs/tools/mcp-server.md. Variables with KEY in their
 * name are taken out of the environment that servers inherit: they have to stand in `env`. A bare `url` is SSE.
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
    "Start gemini again. For one project alone the file is .gemini/settings.json.",
    ...(spec.server.kind === "remote" ? [`Sign in: /mcp auth ${spec.name}`] : []),
    ...(needsKey(spec) ? ["Start gemini in a shell where the variables are set."] : []),
  ],
  buildShellCommand: ({ name, server }) =>
    server.kind === "remote"
      ? `gemini mcp add --scope user --transport http ${name} ${quote(server.url)}`
      : undefined,
};
