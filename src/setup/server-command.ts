import type { Platform } from "./machine.ts";
import { needsKey } from "./mcp-client.ts";
import type { LocalServer, Members, ServerSpec } from "./server-spec.ts";

export const KEY = "ANALYTICS_API_KEY";
export const URL_NAME = "ANALYTICS_BASE_URL";

/** How a client's file refers to an environment variable. */
export type Reference = (name: string) => string;

/** For clients without variables. People replace it by hand; until then the server refuses it. */
export const placeholder: Reference = (name) =>
  name === KEY ? "<your key>" : "<address of your analytics service>";

/** The command line of the server, or of mcp-remote for a remote server. */
export function buildCommand({ server, platform }: ServerSpec): [string, ...string[]] {
  if (server.kind === "remote") return viaNpx(platform, ["mcp-remote", server.url]);
  return viaNpx(platform, ["analytics-mcp", ...server.options]);
}

/** On Windows npx is npx.cmd, which few clients can start without a shell (`spawn npx ENOENT`). */
function viaNpx(platform: Platform, args: string[]): [string, ...string[]] {
  const npx = ["npx", "-y", ...args] as const;
  return platform === "windows" ? ["cmd", "/c", ...npx] : [...npx];
}

/** The variables that the server needs; undefined if it needs none. */
export function buildVariables(spec: ServerSpec, refer: Reference): Record<string, string> | undefined {
  const { server } = spec;
  if (server.kind === "remote" || !needsKey(spec)) return undefined;
  return {
    [KEY]: server.apiKey ?? refer(KEY),
    [URL_NAME]: server.baseUrl ?? refer(URL_NAME),
    ...allowHttp(server),
  };
}

function allowHttp({ allowHttp: hosts }: LocalServer): Record<string, string> {
  return hosts === undefined ? {} : { ANALYTICS_ALLOW_HTTP: hosts };
}

/** `command`, `args` and `env`: the form of most clients. */
export function buildStdio(spec: ServerSpec, refer: Reference): Members {
  const [command, ...args] = buildCommand(spec);
  const env = buildVariables(spec, refer);
  return { command, args, ...(env === undefined ? {} : { env }) };
}
