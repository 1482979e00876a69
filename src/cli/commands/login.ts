import { Option } from "commander";
import { createUnknownSiteError } from "../../client/site-lookup.ts";
import { describeKey } from "../../config/api-key.ts";
import { nameSavedMapping } from "../../config/given-mapping.ts";
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
import { cleanText } from "../../render/clean-text.ts";
import { findLocal } from "../../sources/local-choice.ts";
import type { Io } from "../io.ts";
import { type OutputFlags, readOutput } from "../output/output-format.ts";
import { printAnswer } from "../output/print-answer.ts";
import { printNote } from "../output/streams.ts";
import { access, type CommandDefinition, ShellCommand } from "./command.ts";
import {
  askForDefaultSite,
  findKnownSite,
  readService,
  type Service,
  type ServiceFlags,
  type Tried,
  tryKey,
} from "./login-input.ts";
import { printNext } from "./login-next.ts";
import { assertHasUse } from "./login-service.ts";

interface LoginFlags extends ServiceFlags, OutputFlags {
  site?: string[] | undefined;
}

/** `analytics-mcp login`: tries a service and its key, then saves them as a profile. */
export const command: CommandDefinition = {
  group: "Set up:",
  summary: "Save a service and its API key",
  create: (io) =>
    new ShellCommand("login")
      .withAccess([...access.serviceAndKey, ...access.savable])
      .withExamples(
        "analytics-mcp login",
        "analytics-mcp login --profile acme --base-url https://stats.example.com",
        "analytics-mcp login --service plausible",
        "analytics-mcp login --logs '/var/log/nginx/access.log*' --site example.com",
        "pass show analytics | analytics-mcp login --base-url https://stats.example.com --api-key-stdin",
      )
      .description(
        "Save a service and its API key as a profile for every command and the MCP server. At a terminal, it asks for both, without showing the key; in a script, use --base-url with --api-key-stdin or --api-key-file. The key is tried before it is saved. With --logs, it saves where your access logs are.",
      )
      .addOption(
        new Option(
          "--site <site>",
          "default site; for a source in this program, repeat it to name several",
        ).argParser((value: string, earlier: string[] = []) => [...earlier, value]),
      )
      .option(
        "--site-timezones <list>",
        "timezones that the service does not tell: example.com=Europe/Berlin,shop.example=UTC, or one for all sites",
      )
      .option("--json", "print what was saved as JSON, without the key")
      .action(async (_, self: ShellCommand) => login(io, self.optsWithGlobals<LoginFlags>())),
};

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
  const service = await tryKey(io, keepMapping(await readService(io, flags, saved), name, saved));
  const { kind, baseUrl, apiKey, answer, described } = service;
  if (kind === undefined && described === undefined) assertHasUse(kind, flags.siteTimezones);
  const asked = flags.site?.at(-1);
  const named = findKnownSite(answer.sites, asked);
  if (asked !== undefined && named === undefined) {
    const unlisted = answer.warnings?.find(({ values }) => values?.site === asked);
    if (unlisted !== undefined) throw new AnalyticsError("usage", unlisted.detail);
    throw createUnknownSiteError(
      asked,
      answer.sites.map(({ domain }) => domain),
    );
  }
  const view = sites.view(answer, {});
  const print = (result: Record<string, unknown>) =>
    printAnswer(io, { params: {}, result: { ...result, ...answer }, views: [view] }, readOutput(io, flags));
  const savedSite = findKnownSite(answer.sites, saved?.site);
  const asksForSite = named === undefined && service.isTyped && answer.sites.length > 1 && !flags.json;
  // Printed before the question, which asks for one of these sites.
  if (asksForSite) await print({});
  const site = asksForSite ? await askForDefaultSite(io, answer.sites, savedSite) : (named ?? savedSite);
  const { saves, shows } = await learnMore(io, service, { site, isQuiet: flags.json === true });
  writeProfile(environment, name, { baseUrl, apiKey, site, service: kind?.name, ...saves });
  if (!asksForSite) {
    const key = describeKey(apiKey);
    await print({ profile: name, base_url: baseUrl, ...shows, key, site: site ?? null, file });
  }
  if (flags.json) return;
  await printNote(
    io,
    `\nSaved as profile ${name} for ${kind === undefined ? "" : `${kind.title} at `}${new URL(baseUrl).origin}:`,
  );
  await printNote(io, `  ${file}`);
  if (environment.ANALYTICS_API_KEY) {
    await printNote(
      io,
      `The key in ANALYTICS_API_KEY is still used instead, except with --profile ${name}. To use the saved key, unset that variable.`,
    );
  }
  const [first, ...others] = answer.sites;
  const needsSite = site === undefined && first !== undefined && others.length > 0;
  // The service's name for a site becomes part of a command that people paste.
  await printNext(io, name, needsSite ? { site: cleanText(first.domain) } : {});
}

/** A mapping that was not given again still counts for the same address. */
function keepMapping(service: Service, name: string, saved: Profile | undefined): Service {
  if (service.mapping !== undefined || saved?.baseUrl !== service.baseUrl) return service;
  return { ...service, mapping: nameSavedMapping(name, saved.mapping) };
}

/** What else a profile keeps of a service, and what a script gets to see of it. */
async function learnMore(
  io: Io,
  service: Service & Tried,
  asked: { site: string | undefined; isQuiet: boolean },
): Promise<{ saves: Pick<Profile, "siteTimezones" | "mapping">; shows: Record<string, unknown> }> {
  const { kind, described, siteTimezones } = service;
  if (described !== undefined) {
    const { learnDescribed } = await import("./login-described.ts");
    return learnDescribed(io, { ...service, described }, asked);
  }
  if (kind === undefined) return { saves: {}, shows: {} };
  return { saves: { siteTimezones }, shows: { service: kind.name, site_timezones: siteTimezones } };
}

/** A damaged profile is ignored: logging in again repairs it. */
function readSaved({ environment }: Io, name: string): Profile | undefined {
  try {
    return readProfile(environment, name);
  } catch {
    return undefined;
  }
}
