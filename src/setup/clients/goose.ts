import { type McpClient, needsKey } from "../mcp-client.ts";
import { buildCommand, buildVariables, KEY, URL_NAME } from "../server-command.ts";
import type { Members, ServerSpec } from "../server-spec.ts";

/**
 * https://goose-docs.ai/docs/guides/config-files. Goose looks up `env_keys` in its environment, then in its secrets
 * (`goose configure` asks for them), and takes `envs` literally.
 */
export const goose: McpClient = {
  id: "goose",
  title: "Goose",
  aliases: ["block-goose"],
  format: "yaml",
  at: "extensions",
  places: {
    macos: "~/.config/goose/config.yaml",
    windows: "%APPDATA%\\Block\\goose\\config\\config.yaml",
    linux: "~/.config/goose/config.yaml",
  },
  isRemote: true,
  isWritable: false,
  keyFrom: "its secrets",
  passesOnNames: true,
  buildEntry,
  notes: (spec) => [
    "Start a new goose session.",
    ...(spec.server.kind === "remote" ? ["It opens the browser to sign in when the session starts."] : []),
    ...(needsKey(spec)
      ? [
          "goose looks up the names in env_keys in its environment, then in its keyring. goose configure → Add Extension asks for them.",
        ]
      : []),
  ],
};

function buildEntry(spec: ServerSpec): Members {
  const { name, server } = spec;
  const common = { name, description: "Web analytics", enabled: true, timeout: 300 };
  if (server.kind === "remote") return { type: "streamable_http", ...common, uri: server.url };
  const [cmd, ...args] = buildCommand(spec);
  const variables = Object.entries(buildVariables(spec, () => "") ?? {});
  const missing = [KEY, URL_NAME].filter((key) =>
    variables.some(([each, value]) => each === key && value === ""),
  );
  const envs = Object.fromEntries(variables.filter(([, value]) => value !== ""));
  return { type: "stdio", ...common, cmd, args, envs, env_keys: missing };
}
