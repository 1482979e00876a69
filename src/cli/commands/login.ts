import { createHttpClient } from "../../client/http-client.ts";
import { createUnknownSiteError } from "../../client/site-lookup.ts";
import { describeKey, readApiKey } from "../../config/api-key.ts";
import { completeAddress, readBaseUrl } from "../../config/base-url.ts";
import { readGivenKey } from "../../config/given-key.ts";
import {
  DEFAULT_PROFILE,
  findProfileFile,
  listProfiles,
  type Profile,
  readProfile,
  writeProfile,
} from "../../config/profiles.ts";
import { readVariable } from "../../config/variables.ts";
import { AnalyticsError } from "../../errors.ts";
import { sites } from "../../operations/index.ts";
import { formatCommand } from "../../operations/shell-command.ts";
import { cleanText } from "../../render/clean-text.ts";
import { findLocal } from "../../sources/local-choice.ts";
import { reachService } from "../../sources/service-source.ts";
import type { SourceFlags } from "../../sources/source-types.ts";
import type { Io } from "../io.ts";
import { type OutputFlags, readOutput } from "../output/output-format.ts";
import { printAnswer } from "../output/print-answer.ts";
import { printNote } from "../output/streams.ts";
import { access, type CommandDefinition, ShellCommand } from "./command.ts";
import { askForDefaultSite, findKnownSite, type KnownSites } from "./login-site.ts";

interface LoginFlags extends SourceFlags, OutputFlags {
  site?: string | undefined;
}

/** `analytics-mcp login`: tries a service and its key, then saves them as a profile. */
export const command: CommandDefinition = {
  group: "Set up:",
  summary: "Save a service and its API key for every command and the MCP server",
  create: createLoginCommand,
};

function createLoginCommand(io: Io): ShellCommand {
  return new ShellCommand("login")
    .taking([...access.serviceAndKey, ...access.savable])
    .withExamples(
      "analytics-mcp login",
      "analytics-mcp login --profile acme --base-url https://stats.example.com",
      "analytics-mcp login --logs '/var/log/nginx/access.log*' --site example.com",
      "pass show analytics | analytics-mcp login --base-url https://stats.example.com --api-key-stdin",
    )
    .description(
      "Save a service and its API key as a profile for every command and the MCP server. Asks at a terminal, without showing the key; in a script, use --base-url with --api-key-stdin or --api-key-file. The key is tried before it is saved. With --logs, saves where your access logs are.",
    )
    .option("--site <site>", "default site")
    .option("--json", "print what was saved as JSON, without the key")
    .action(async (_, self: ShellCommand) => login(io, self.optsWithGlobals<LoginFlags>()));
}

async function login(io: Io, flags: LoginFlags): Promise<void> {
  const { environment } = io;
  const local = findLocal({ ...flags, profile: undefined }, {});
  if (local !== undefined) {
    const { loginLocal } = await import("./login-local.ts");
    return loginLocal(io, flags, local);
  }
  const name = flags.profile ?? readVariable(environment, "ANALYTICS_PROFILE") ?? DEFAULT_PROFILE;
  const file = findProfileFile(environment, name);
  const saved = listProfiles(environment).includes(name) ? readSaved(io, name) : undefined;
  const service = await readService(io, flags, saved);
  const { baseUrl } = service;
  const { apiKey, answer } = await tryKey(io, service);
  const known = findKnownSite(answer.sites, flags.site);
  if (flags.site !== undefined && known === undefined) {
    throw createUnknownSiteError(
      flags.site,
      answer.sites.map(({ domain }) => domain),
    );
  }
  const view = sites.view(answer, {});
  const print = (result: Record<string, unknown>) =>
    printAnswer(io, { params: {}, result: { ...result, ...answer }, views: [view] }, readOutput(io, flags));
  const usual = findKnownSite(answer.sites, saved?.site);
  const isAsked = known === undefined && service.isTyped && answer.sites.length > 1 && !flags.json;
  // The sites come first: they are what the question is about.
  if (isAsked) await print({});
  const site = isAsked
    ? await askForDefaultSite(answer.sites, usual, (field) => askAt(io, [field]))
    : (known ?? usual);
  writeProfile(environment, name, { baseUrl, apiKey, ...(site !== undefined && { site }) });
  if (!isAsked) {
    await print({ profile: name, base_url: baseUrl, key: describeKey(apiKey), site: site ?? null, file });
  }
  if (flags.json) return;
  await printNote(io, `\nSaved as profile ${name} for ${new URL(baseUrl).origin}:`);
  await printNote(io, `  ${file}`);
  if (environment.ANALYTICS_API_KEY) {
    await printNote(
      io,
      `The key in ANALYTICS_API_KEY is still used instead, except with --profile ${name}. To use the saved key, unset that variable.`,
    );
  }
  await printNextCommands(io, name, site, answer.sites);
}

/** Commands on lines of their own, so that no terminal breaks them. */
async function printNextCommands(
  io: Io,
  profile: string,
  site: string | undefined,
  known: KnownSites,
): Promise<void> {
  const { ANALYTICS_API_KEY, ANALYTICS_PROFILE } = io.environment;
  // These would choose another key.
  const isNamed = profile !== DEFAULT_PROFILE || ANALYTICS_API_KEY || ANALYTICS_PROFILE;
  const options = isNamed ? ["--profile", profile] : [];
  const [first, ...others] = known;
  const needsSite = site === undefined && first !== undefined && others.length > 0;
  // The service's name for a site becomes part of a command that people paste.
  const params = needsSite ? { site: cleanText(first.domain) } : {};
  await printNote(io, "Next:");
  await printNote(io, `  ${formatCommand({ name: "overview" }, params, options)}`);
  await printNote(io, `  ${["analytics-mcp config claude-desktop", ...options].join(" ")} --write`);
}

/** A damaged profile is ignored: logging in again repairs it. */
function readSaved({ environment }: Io, name: string): Profile | undefined {
  try {
    return readProfile(environment, name);
  } catch {
    return undefined;
  }
}

interface Service {
  baseUrl: string;
  apiKey: string;
  /** Whether a person typed the key, and can type another. */
  isTyped: boolean;
}

const secret = {
  label: "API key",
  hidden: true,
  read: (text: string) => readApiKey(text, "What you typed"),
};

/** Tries the key. If the service refuses a typed key, asks for another until Ctrl-C. */
async function tryKey(io: Io, { baseUrl, apiKey, isTyped }: Service) {
  const openTarget = await reachService(io.environment, baseUrl);
  for (let key = apiKey; ; [key = ""] = await askAt(io, [{ ...secret, label: "API key again" }])) {
    const target = { ...openTarget(key), keySource: "the key that you gave" };
    try {
      const { call } = createHttpClient({ readTarget: () => target, clock: io.clock });
      return { apiKey: key, answer: await call(sites, {}) };
    } catch (error) {
      const isWrong = error instanceof AnalyticsError && error.status === 401;
      if (!isWrong || !isTyped) throw error;
      await printNote(
        io,
        `${new URL(baseUrl).origin} does not accept this key. Copy it again from your analytics dashboard, section API keys; Ctrl-C ends this.`,
      );
    }
  }
}

async function readService(io: Io, flags: LoginFlags, saved: Profile | undefined): Promise<Service> {
  const given = await readGivenKey(flags, io.stdin);
  for (const warning of given?.warnings ?? []) await printNote(io, `warning: ${warning}`);
  const suggested = saved?.baseUrl ?? readVariable(io.environment, "ANALYTICS_BASE_URL");
  const address = {
    label: "Address of the analytics service",
    fallback: suggested?.replace(/\/api\/v1\/?$/, ""),
    read: (text: string) => readBaseUrl(completeAddress(text), io.environment, "What you typed"),
  };
  // A key from a pipe means a script: nobody is asked anything.
  const text = flags.baseUrl ?? (given === undefined ? undefined : suggested);
  const fields = [...(text === undefined ? [address] : []), ...(given === undefined ? [secret] : [])];
  const source = flags.baseUrl === undefined ? undefined : "--base-url";
  const baseUrl = text === undefined ? undefined : readBaseUrl(completeAddress(text), io.environment, source);
  if (fields.length > 0 && !io.stdin.isTTY) throw createNoTerminalError(given !== undefined);
  const answers = fields.length === 0 ? [] : await askAt(io, fields);
  return {
    baseUrl: baseUrl ?? answers.shift() ?? "",
    apiKey: given?.apiKey ?? answers.shift() ?? "",
    isTyped: given === undefined,
  };
}

async function askAt(io: Io, fields: Parameters<typeof import("./login-prompt.ts")["askAtTerminal"]>[1]) {
  const { askAtTerminal } = await import("./login-prompt.ts");
  return askAtTerminal(io, fields);
}

function createNoTerminalError(hasKey: boolean): AnalyticsError {
  if (hasKey) {
    return new AnalyticsError("no_base_url", "There is no service address to log in to.", {
      hint: "Add --base-url, for example --base-url https://stats.example.com.",
    });
  }
  return new AnalyticsError("no_api_key", "login asks for the key at a terminal, and this is not one.", {
    hint: "In a script: analytics-mcp login --base-url <url> --api-key-stdin < file, or --api-key-file <file>.",
  });
}
