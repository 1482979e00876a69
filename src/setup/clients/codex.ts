import { underHome } from "../machine.ts";
import { type Client, needsKey, quote } from "../mcp-client.ts";
import { buildCommand, buildVariables, KEY, URL_NAME } from "../server-command.ts";
import type { Members, Wish } from "../server-spec.ts";

/**
 * https://developers.openai.com/codex/mcp. It starts servers with a bare environment, and what stands in `env`
 * is taken literally, `${NAME}` too; `env_vars` names what it passes on of its own.
 */
export const codex: Client = {
  id: "codex",
  title: "Codex CLI",
  aliases: ["codex-cli", "openai-codex"],
  format: "toml",
  at: "mcp_servers",
  places: underHome(".codex/config.toml"),
  folderVariable: "CODEX_HOME",
  isRemote: true,
  isWritable: true,
  keyFrom: "its environment",
  buildEntry: (wish) => (wish.server.kind === "remote" ? { url: wish.server.url } : buildLocal(wish)),
  notes: (wish) => [
    ...(wish.server.kind === "remote" ? [`Sign in: codex mcp login ${wish.name}`] : []),
    ...(needsKey(wish)
      ? [
          "Start codex in a shell where the variables are set. (codex mcp add --env would put the key itself into the file.)",
        ]
      : []),
    "The extension for editors and the desktop app read the same file. Check with: codex mcp list",
  ],
  buildShellCommand: (wish) => {
    if (needsKey(wish)) return undefined;
    const start = `codex mcp add ${wish.name}`;
    if (wish.server.kind === "remote") return `${start} --url ${quote(wish.server.url)}`;
    return `${start} -- ${buildCommand(wish).map(quote).join(" ")}`;
  },
};

function buildLocal(wish: Wish): Members {
  const [command, ...args] = buildCommand(wish);
  const variables = Object.entries(buildVariables(wish, () => "") ?? {});
  const known = variables.filter(([, value]) => value !== "");
  const passedOn = [KEY, URL_NAME].filter((name) =>
    variables.some(([each, value]) => each === name && value === ""),
  );
  return {
    command,
    args,
    ...(passedOn.length === 0 ? {} : { env_vars: passedOn }),
    ...(known.length === 0 ? {} : { env: Object.fromEntries(known) }),
  };
}
