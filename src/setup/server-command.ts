import { MAPPING_VARIABLE } from "../config/given-mapping.ts";
import { formatSiteTimezones, SERVICE_VARIABLE, TIMEZONES_VARIABLE } from "../config/services.ts";
import type { Platform } from "./machine.ts";
import { type Members, needsKey, type ServerSpec } from "./server-spec.ts";

export const KEY = "ANALYTICS_API_KEY";
const URL_NAME = "ANALYTICS_BASE_URL";

/** How a client's file refers to an environment variable; `server` is the server's name in the file. */
export type Reference = (variable: string, server: string) => string;

/** Where a client takes the key from, and how its file refers to it. */
export interface KeySource {
  from: "its environment" | "a prompt" | "its secrets";
  /** `"by name"`: the file lists the variables to pass on. Values in it are literal, even `${NAME}`. */
  refer: Reference | "by name";
}

/** A program that a client starts, and its variables. */
export interface Program {
  command: [string, ...string[]];
  /** What the client's file says of each variable: a value, a reference or a placeholder. */
  env: Record<string, string>;
  /** The variables that the file only names. */
  passedOn: string[];
}

/** For clients without variables. People replace it by hand; until then the server refuses it. */
export const placeholder = (variable: string) =>
  variable === KEY ? "<your key>" : "<address of your analytics service>";

/** The server as a local program; for a remote server, mcp-remote. */
export function buildProgram(spec: ServerSpec, key: KeySource | undefined): Program {
  const { name, platform, server } = spec;
  const args = server.kind === "remote" ? ["mcp-remote", server.url] : ["analytics-mcp", ...server.options];
  const program: Program = { command: viaNpx(platform, args), env: {}, passedOn: [] };
  if (server.kind === "remote") return program;
  const values: Record<string, string | undefined> = {
    ...(needsKey(spec) && { [KEY]: server.apiKey, [URL_NAME]: server.baseUrl }),
    ...(server.service && { [SERVICE_VARIABLE]: server.service }),
    ...(server.siteTimezones && { [TIMEZONES_VARIABLE]: formatSiteTimezones(server.siteTimezones) }),
    ...(server.mapping !== undefined && { [MAPPING_VARIABLE]: server.mapping }),
    ...(server.allowHttp !== undefined && { ANALYTICS_ALLOW_HTTP: server.allowHttp }),
  };
  const refer = key?.refer ?? placeholder;
  for (const [variable, value] of Object.entries(values)) {
    if (value !== undefined) program.env[variable] = value;
    else if (refer === "by name") program.passedOn.push(variable);
    else program.env[variable] = refer(variable, name);
  }
  return program;
}

/** On Windows npx is npx.cmd, which few clients can start without a shell (`spawn npx ENOENT`). */
function viaNpx(platform: Platform, args: string[]): [string, ...string[]] {
  const npx = ["npx", "-y", ...args] as const;
  return platform === "windows" ? ["cmd", "/c", ...npx] : [...npx];
}

/** `command`, `args` and `env`: the form of most clients. */
export const buildStdio = ({ command: [command, ...args], env }: Program): Members => ({
  command,
  args,
  ...(Object.keys(env).length > 0 && { env }),
});
