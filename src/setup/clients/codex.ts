import { quoteForShell } from "../../operations/shell-command.ts";
import { underHome } from "../machine.ts";
import type { McpClient } from "../mcp-client.ts";

/**
 * https://developers.openai.com/codex/mcp. It starts servers with a minimal environment and takes `env` literally,
 * including `${NAME}`. `env_vars` lists the variables that it passes on.
 */
export const codex: McpClient = {
  id: "codex",
  title: "Codex CLI",
  aliases: ["codex-cli", "openai-codex"],
  format: "toml",
  serversKey: "mcp_servers",
  file: underHome(".codex/config.toml"),
  folderVariable: "CODEX_HOME",
  isWritable: true,
  key: { from: "its environment", refer: "by name" },
  buildRemote: (url) => ({ url }),
  buildLocal: ({ command: [command, ...args], env, passedOn }) => ({
    command,
    args,
    ...(passedOn.length > 0 && { env_vars: passedOn }),
    ...(Object.keys(env).length > 0 && { env }),
  }),
  notes: [
    { remote: "Sign in: `codex mcp login <name>`" },
    {
      key: "Start `codex` in a shell where the variables are set. (`codex mcp add --env` would write the key itself into the file.)",
    },
    {
      local:
        "`codex exec` does not wait for `npx` to start a server: if you use it, add `required = true` to the entry.",
    },
    "The editor extension and the desktop app read the same file. Check with: `codex mcp list`",
  ],
  commandForRemote: (name, url) => `codex mcp add ${name} --url ${quoteForShell(url)}`,
  commandForLocal: (name, { command, env, passedOn }) =>
    Object.keys(env).length + passedOn.length > 0
      ? undefined
      : `codex mcp add ${name} -- ${command.map(quoteForShell).join(" ")}`,
};
