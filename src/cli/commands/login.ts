import { Option } from "commander";
import { createUnknownSiteError } from "../../client/site-errors.ts";
import { addTimezone } from "../../config/add-timezone.ts";
import { describeKey } from "../../config/api-key.ts";
import { nameSavedMapping } from "../../config/given-mapping.ts";
import {
  DEFAULT_PROFILE,
  findProfileFile,
  listProfiles,
  type Profile,
  readProfile,
} from "../../config/profiles.ts";
import type { SiteTimezones } from "../../config/services.ts";
import { readVariable } from "../../config/variables.ts";
import { AnalyticsError, type ErrorCode } from "../../errors.ts";
import { sites } from "../../operations/index.ts";
import { cleanText } from "../../render/clean-text.ts";
import { findLocal } from "../../sources/local-choice.ts";
import { logs as accessLogs } from "../../sources/logs.ts";
import { listTexts } from "../../sources/named-sites.ts";
import type { LocalChoice } from "../../sources/source-types.ts";
import { exitCodes, SilentExit } from "../exit-codes.ts";
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
import {
  describeSaved,
  describeService,
  findKept,
  type Learned,
  printNext,
  type Save,
  saveProfile,
} from "./login-next.ts";
import type { Ask } from "./login-prompt.ts";
import { assertHasUse, findUnknownSites } from "./login-service.ts";

interface LoginFlags extends ServiceFlags, OutputFlags {
  site?: string[] | undefined;
}

/** `analytics-mcp login`: tries a service and its key, then saves them as a profile. */
export const command: CommandDefinition = {
  group: "Set up:",
  summary: "Save where your data is: logs, or a service and its key",
  create: (io) =>
    new ShellCommand("login")
      .withAccess([...access.serviceAndKey, ...access.savable])
      .withExamples(
        "analytics-mcp login",
        "analytics-mcp login --profile acme --base-url https://stats.example.com",
        "analytics-mcp login --service plausible",
        "analytics-mcp login --logs '/var/log/nginx/access.log*'",
        "pass show analytics | analytics-mcp login --base-url https://stats.example.com --api-key-stdin",
      )
      .description(
        "Save a service and its API key, or where your access logs are, as a profile for every command and the MCP server. At a terminal, it asks what you have: logs that it finds, their path, or the address of a service and its key, which it does not show; in a script, use --base-url with --api-key-stdin or --api-key-file. The key is tried before it is saved.",
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
  const { withPrompts } = await import("./login-prompt.ts");
  const save = await withPrompts(io, (ask) => prepare(io, ask, flags));
  await save();
}

/** Tries what the options choose. If they leave it open at a terminal, asks for it, and again for what fails. */
async function prepare(io: Io, ask: Ask, flags: LoginFlags): Promise<Save> {
  const local = findLocal({ ...flags, profile: undefined }, {});
  if (local !== undefined) return prepareGiven(io, ask, flags, local);
  const { asksForSource, askForSource, showFoundLogs } = await import("./login-source.ts");
  const name = nameProfile(io, flags);
  const earlier = io.stdin.isTTY ? describeSaved(io, name) : undefined;
  if (earlier !== undefined) {
    await printNote(io, `The profile ${name} is for ${earlier} so far. What you save now replaces it.\n`);
  }
  if (!asksForSource(io, flags)) {
    const isFinal = ({ code }: AnalyticsError) => flags.baseUrl !== undefined || FINAL.has(code);
    return repeat(io, ask, (counted) => prepareService(io, counted, flags), isFinal);
  }
  const found = await showFoundLogs(io);
  return repeat(io, ask, async (counted) => {
    const have = await askForSource(io, counted, found, readSaved(io, name), findKept(io, name));
    if ("options" in have) {
      // The timezone in the history of the logs may be a later one.
      const kept = { ...have.options, timezone: undefined, ...flags };
      const chosen = findLocal({ ...kept, profile: undefined }, {});
      if (chosen !== undefined) return prepareGiven(io, counted, kept, chosen);
    }
    if (!("logs" in have)) return prepareService(io, counted, { ...flags, ...have });
    const { askAboutLogs, offerCountries } = await import("./login-logs.ts");
    const { flags: asked, lacksCountries } = await askAboutLogs(io, counted, flags, have);
    const chosen = findLocal({ ...asked, profile: undefined }, {});
    if (chosen === undefined) throw new TypeError("--logs chooses a source.");
    const save = await prepareLocal(io, { ...flags, ...asked }, chosen);
    return async () => {
      await save();
      if (lacksCountries && !flags.json) await offerCountries(io, chosen.options);
    };
  });
}

/** Logs or another source of this machine that options choose. A person is asked what they leave open. */
async function prepareGiven(io: Io, ask: Ask, flags: LoginFlags, local: LocalChoice): Promise<Save> {
  if (!asksAboutGiven(io, flags, local)) return prepareLocal(io, flags, local);
  const { askAboutGivenLogs } = await import("./login-logs.ts");
  const hasSite = (flags.site ?? readVariable(io.environment, "ANALYTICS_SITE")) !== undefined;
  const asked = { ...flags, ...(await askAboutGivenLogs(io, ask, flags, hasSite)) };
  return prepareLocal(io, asked, findLocal({ ...asked, profile: undefined }, {}) ?? local);
}

/** Whether a person can say what the option `--logs` leaves open. */
const asksAboutGiven = ({ stdin }: Io, { json, logs }: LoginFlags, { kind }: LocalChoice) =>
  kind === accessLogs && stdin.isTTY === true && json !== true && !listTexts(logs).includes("-");

/** What another address would not change. */
const FINAL: ReadonlySet<ErrorCode> = new Set(["usage", "invalid_api_key"]);

/** Asks again for what fails. Throws what was wrong before the first question, and what is final. */
async function repeat(
  io: Io,
  ask: Ask,
  work: (ask: Ask) => Promise<Save>,
  isFinal: (error: AnalyticsError) => boolean = () => false,
): Promise<Save> {
  for (;;) {
    let isAsked = false;
    try {
      return await work((field) => {
        isAsked = true;
        return ask(field);
      });
    } catch (error) {
      if (!(error instanceof AnalyticsError) || error.code === "cancelled") throw error;
      if (!isAsked || isFinal(error)) throw error;
      const { printProblem } = await import("./login-prompt.ts");
      await printProblem(io, asAnswer(error));
    }
  }
}

/** Logs are typed as their path alone, where a command has them as an option. */
function asAnswer(error: AnalyticsError): AnalyticsError {
  const { code, message, hint = "" } = error;
  if (hint.includes("analytics-mcp ")) return error;
  const typed = hint.replaceAll("' --logs '", "', '").replace("--logs '", "'");
  return new AnalyticsError(code, message, { hint: typed, cause: error });
}

async function prepareLocal(io: Io, flags: LoginFlags, local: LocalChoice): Promise<Save> {
  const { tryLocal } = await import("./login-local.ts");
  return tryLocal(io, flags, local, nameProfile(io, flags));
}

const nameProfile = ({ environment }: Io, { profile }: LoginFlags) =>
  profile ?? readVariable(environment, "ANALYTICS_PROFILE") ?? DEFAULT_PROFILE;

async function prepareService(io: Io, ask: Ask, flags: LoginFlags): Promise<Save> {
  const { environment } = io;
  const name = nameProfile(io, flags);
  const file = findProfileFile(environment, name);
  const saved = readSaved(io, name);
  const service = await tryKey(io, ask, keepMapping(await readService(io, ask, flags, saved), name, saved));
  const { kind, baseUrl, apiKey, answer, described } = service;
  if (kind === undefined && described === undefined) assertHasUse(kind, flags.siteTimezones);
  for (const line of findUnknownSites(service.siteTimezones, answer)) await printNote(io, line);
  const mayAsk = service.isTyped && answer.sites.length > 1 && !flags.json;
  const named = await findNamed(io, answer, flags.site?.at(-1), mayAsk);
  const print = (result: Record<string, unknown>, zones: SiteTimezones = {}) => {
    const known = { ...answer, sites: answer.sites.map((each) => addTimezone(each, zones)) };
    const view = sites.view(known, {});
    // A service of one's own would have to be asked for each.
    const isDated = known.sites.some(({ data_since }) => data_since !== undefined);
    const columns = view.columns.filter(({ key }) => isDated || key !== "data_since");
    const views = [{ ...view, columns }];
    return printAnswer(io, { params: {}, result: { ...result, ...known }, views }, readOutput(io, flags));
  };
  const savedSite = findKnownSite(answer.sites, saved?.site);
  const asksForSite = named === undefined && mayAsk;
  // Printed before the question, which asks for one of these sites.
  if (asksForSite) await print({});
  const site = asksForSite ? await askForDefaultSite(ask, answer.sites, savedSite) : (named ?? savedSite);
  const learned = await learnMore(io, ask, service, {
    site,
    profile: name,
    isQuiet: flags.json === true,
  });
  return async () => {
    const content = { baseUrl, apiKey, site, service: kind?.name, ...learned.saves };
    const { sayReplaced } = saveProfile(io, name, content);
    if (!asksForSite) {
      const key = describeKey(apiKey);
      await print(
        { profile: name, base_url: baseUrl, ...learned.shows, key, site: site ?? null, file },
        learned.saves.siteTimezones,
      );
    }
    if (flags.json) return assertComplete(learned);
    await printNote(io, `\nSaved as profile ${name} for ${describeService(kind, baseUrl)}:`);
    await printNote(io, `  ${file}`);
    await sayReplaced();
    if (answer.sites.length === 0) {
      const [title, who] = kind === undefined ? ["The service", "key"] : [kind.title, "user"];
      await printNote(
        io,
        `${title} has no website that this ${who} may see, so nothing can be asked yet: add one there, or give the ${who} access to one.`,
      );
    }
    if (environment.ANALYTICS_API_KEY) {
      await printNote(
        io,
        `The key in ANALYTICS_API_KEY is still used instead, except with --profile ${name}. To use the saved key, unset that variable.`,
      );
    }
    await sayUnread(io, name, learned);
    assertComplete(learned);
    const [first, ...others] = answer.sites;
    const needsSite = site === undefined && first !== undefined && others.length > 0;
    // The service's name for a site becomes part of a command that people paste.
    await printNext(io, name, needsSite ? { site: cleanText(first.domain) } : {});
  };
}

/** Ends a login whose service cannot answer everything yet, so that a script does not go on. */
function assertComplete({ unread }: Learned): void {
  if (unread !== undefined) throw new SilentExit(exitCodes.incomplete);
}

/** Says what does not work yet, and the mapping that would help. */
async function sayUnread(io: Io, profile: string, { unread, proposal = [] }: Learned): Promise<void> {
  const options = profile === DEFAULT_PROFILE ? "" : ` --profile ${profile}`;
  const lines = [
    ...(unread === undefined
      ? []
      : [`It is saved, but ${unread} kinds of questions do not work yet, as listed above.`]),
    ...(unread !== undefined && proposal.length === 0
      ? [`To see how it is read: analytics-mcp mapping${options}`]
      : proposal),
  ];
  for (const line of lines) await printNote(io, line);
}

/** The site that was named, if the key has it. Throws AnalyticsError, unless a person can be asked for another. */
async function findNamed(
  io: Io,
  { sites, warnings }: Tried["answer"],
  asked: string | undefined,
  mayAsk: boolean,
): Promise<string | undefined> {
  const named = findKnownSite(sites, asked);
  if (asked === undefined || named !== undefined) return named;
  const unlisted = warnings?.find(({ values }) => values?.site === asked);
  const error =
    unlisted === undefined
      ? createUnknownSiteError(
          asked,
          sites.map(({ domain }) => domain),
        )
      : new AnalyticsError("usage", unlisted.detail);
  if (!mayAsk) throw error;
  const { printProblem } = await import("./login-prompt.ts");
  await printProblem(io, error);
  return undefined;
}

/** A mapping that was not given again still counts for the same address. */
function keepMapping(service: Service, name: string, saved: Profile | undefined): Service {
  if (service.mapping !== undefined || saved?.baseUrl !== service.baseUrl) return service;
  return { ...service, mapping: nameSavedMapping(name, saved.mapping) };
}

/** What else a profile keeps of a service, and what a script gets to see of it. */
async function learnMore(
  io: Io,
  ask: Ask,
  service: Service & Tried,
  asked: { site: string | undefined; profile: string; isQuiet: boolean },
): Promise<Learned> {
  const { kind, described, siteTimezones } = service;
  if (described !== undefined) {
    const { learnDescribed } = await import("./login-described.ts");
    return learnDescribed(io, ask, { ...service, described }, asked);
  }
  if (kind === undefined) return { saves: {}, shows: {} };
  return { saves: { siteTimezones }, shows: { service: kind.name, site_timezones: siteTimezones } };
}

/** A damaged profile is ignored: logging in again repairs it. */
function readSaved({ environment }: Io, name: string): Profile | undefined {
  if (!listProfiles(environment).includes(name)) return undefined;
  try {
    return readProfile(environment, name);
  } catch {
    return undefined;
  }
}
