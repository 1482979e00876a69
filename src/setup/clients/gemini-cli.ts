import { underHome } from "../machine.ts";
import { type Client, needsKey, quote } from "../mcp-client.ts";
import { buildStdio } from "../server-command.ts";

/**
 * https://github.com/google-gemini/gemini-cli/blob/main/docs/tools/mcp-server.md. Variables with KEY in their
 * name are taken out of the environment that servers inherit: they have to stand in `env`. A bare `url` is SSE.
 */
export const geminiCli: Client = {
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
  buildEntry: (wish) =>
    wish.server.kind === "remote" ? { httpUrl: wish.server.url } : buildStdio(wish, (name) => `\${${name}}`),
  notes: (wish) => [
    "Start gemini again. For one project alone the file is .gemini/settings.json.",
    ...(wish.server.kind === "remote" ? [`Sign in: /mcp auth ${wish.name}`] : []),
    ...(needsKey(wish) ? ["Start gemini in a shell where the variables are set."] : []),
  ],
  buildShellCommand: ({ name, server }) =>
    server.kind === "remote"
      ? `gemini mcp add --scope user --transport http ${name} ${quote(server.url)}`
      : undefined,
};
