import { underHome } from "../machine.ts";
import { type McpClient, needsKey, quote } from "../mcp-client.ts";
import { buildCommand, buildVariables, KEY, URL_NAME } from "../server-command.ts";
import type { Members, ServerSpec } from "../server-spec.ts";

/**
 * https://developers.openai.com/codex/mcp. It starts servers with a minimal environment and takes `env` literally,
 * including `${NAME}`. `env_vars` lists the variables that it passes on.
 */
export const codex: McpClient = {
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
  passesOnNames: true,
  buildEntry: (spec) => (spec.server.kind === "remote" ? { url: spec.server.url } : buildLocal(spec)),
  notes: (spec) => [
    ...(spec.server.kind === "remote" ? [`Sign in: codex mcp login ${spec.name}`] : []),
    ...(needsKey(spec)
      ? [
          "Start codex in a shell where the variables are set. (codex mcp add --env would write the key itself into the file.)",
        ]
      : []),
    ...(spec.server.kind === "remote"
      ? []
      : [
          "codex exec does not wait for npx to start a server: add required = true to the entry if you use it.",
        ]),
    "The editor extension and the desktop app read the same file. Check with: codex mcp list",
  ],
  buildShellCommand: (spec) => {
    if (needsKey(spec)) return undefined;
    const start = `codex mcp add ${spec.name}`;
    if (spec.server.kind === "remote") return `${start} --url ${quote(spec.server.url)}`;
    return `${start} -- ${buildCommand(spec).map(quote).join(" ")}`;
  },
};

function buildLocal(spec: ServerSpec): Members {
  const [command, ...args] = buildCommand(spec);
  const variables = Object.entries(buildVariables(spec, () => "") ?? {});
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
