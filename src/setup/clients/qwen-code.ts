import { underHome } from "../machine.ts";
import { type McpClient, needsKey, quote } from "../mcp-client.ts";
import { buildStdio } from "../server-command.ts";

/** https://qwenlm.github.io/qwen-code-docs/en/users/features/mcp: built on Gemini CLI; a plain `url` means SSE. */
export const qwenCode: McpClient = {
  id: "qwen-code",
  title: "Qwen Code",
  aliases: ["qwen"],
  format: "json",
  at: "mcpServers",
  places: underHome(".qwen/settings.json"),
  alsoIn: [".qwen/settings.json"],
  isRemote: true,
  isWritable: false,
  keyFrom: "its environment",
  buildEntry: (spec) =>
    spec.server.kind === "remote" ? { httpUrl: spec.server.url } : buildStdio(spec, (name) => `\${${name}}`),
  notes: (spec) => [
    "Restart qwen. For a single project, use .qwen/settings.json.",
    ...(spec.server.kind === "remote" ? ["Sign in: /mcp, choose the server, Authenticate."] : []),
    ...(needsKey(spec) ? ["Start qwen in a shell where the variables are set."] : []),
  ],
  buildShellCommand: ({ name, server }) =>
    server.kind === "remote"
      ? `qwen mcp add --scope user --transport http ${name} ${quote(server.url)}`
      : undefined,
};
