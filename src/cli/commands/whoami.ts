import { type Access, readAccess } from "../../config/access.ts";
import { describeKey } from "../../config/api-key.ts";
import { listProfiles, readProfile } from "../../config/profiles.ts";
import { formatSiteTimezones } from "../../config/services.ts";
import { sites } from "../../operations/index.ts";
import { listSites } from "../../operations/site-name.ts";
import type { Column } from "../../operations/view.ts";
import { findDefaultSite, findLocal, pickOptions } from "../../sources/local-choice.ts";
import { listTexts } from "../../sources/named-sites.ts";
import type { Source, SourceFlags } from "../../sources/source-types.ts";
import type { Io } from "../io.ts";
import { createFormatOption, type OutputFlags } from "../output/output-format.ts";
import { printTable } from "../output/print-answer.ts";
import { openSource } from "../source.ts";
import { access, type CommandDefinition, ShellCommand } from "./command.ts";

interface WhoamiFlags extends SourceFlags, OutputFlags {
  all?: boolean | undefined;
}

const MAX_NAMED = 5;

/** `analytics-mcp whoami`: shows which service and key are used, and where both come from. */
export const command: CommandDefinition = {
  group: "Set up:",
  summary: "Show which service and key are used, and why",
  create: (io) =>
    new ShellCommand("whoami")
      .withAccess(access.all)
      .withExamples("analytics-mcp whoami", "analytics-mcp whoami --all")
      .description(
        "Show which service and key are used (not the key itself), where both come from, and the key's sites.",
      )
      .option("--all", "list the saved profiles, without asking a service")
      .addOption(createFormatOption())
      .option("--json", "print as JSON")
      .action(async (_, self: ShellCommand) => {
        const flags = self.optsWithGlobals<WhoamiFlags>();
        await (flags.all ? printProfiles(io, flags) : printIdentity(io, flags));
      }),
};

async function printIdentity(io: Io, flags: WhoamiFlags): Promise<void> {
  const source = openSource(io, flags);
  const access = source.kind === "service" ? await source.readAccess() : undefined;
  const asked = await findAsked(io, source);
  // Where it fails, the settings are what one looks for: they are printed above the error.
  const answer = await source.call(sites, {}).catch((error: unknown) => ({ error }));
  const domains = "error" in answer ? null : answer.sites.map(({ domain }) => domain);
  const result = {
    source: source.about.label,
    service: access?.service ?? null,
    profile: access?.profile ?? null,
    base_url: access?.baseUrl ?? null,
    base_url_from: access?.sources.baseUrl ?? null,
    key: access === undefined ? null : describeKey(access.apiKey),
    key_from: access?.sources.apiKey ?? null,
    mapping: access?.mapping?.name ?? null,
    site_timezones: access?.siteTimezones ?? null,
    site: asked.site ?? null,
    site_from: asked.source ?? null,
    options: source.kind === "local" ? pickOptions(source.local) : null,
    sites: domains,
  };
  const rows =
    access === undefined ? listLocal(source, asked.site !== undefined) : listAccess(source, access);
  if (access !== undefined || asked.site !== undefined)
    rows.push({ setting: "site", used: result.site, from: result.site_from });
  if (domains !== null) rows.push({ setting: "sites", used: listSites(domains, MAX_NAMED), from: null });
  await printTable(io, flags, result, { columns: listColumns("setting", "used", "from"), rows });
  if ("error" in answer) throw answer.error;
}

/** The site of questions that name none, and where it is from; nothing if there is none. */
async function findAsked(
  { environment }: Io,
  source: Source,
): Promise<{ site?: string | undefined; source?: string | undefined }> {
  if (source.kind === "service") {
    const { site, sources } = await source.readAccess();
    return { site, source: sources.site };
  }
  const chosen = findDefaultSite(source.local, environment);
  return chosen.site === undefined ? {} : chosen;
}

type Setting = {
  setting: string;
  used: string | null;
  from: string | null;
};

/** Which service is asked, with which key. */
function listAccess(
  { about }: Source,
  { profile, service, baseUrl, apiKey, mapping, siteTimezones, sources }: Access,
): Setting[] {
  return [
    { setting: "profile", used: profile ?? null, from: null },
    ...(service === undefined ? [] : [{ setting: "service", used: about.label, from: null }]),
    { setting: "base URL", used: baseUrl, from: sources.baseUrl },
    { setting: "key", used: describeKey(apiKey), from: sources.apiKey },
    ...(mapping === undefined ? [] : [{ setting: "mapping", used: mapping.name, from: null }]),
    ...(siteTimezones === undefined
      ? []
      : [{ setting: "timezones", used: formatSiteTimezones(siteTimezones).replace(/^\*=/, ""), from: null }]),
  ];
}

/** Where a source of this machine is: its options, with whole paths; without the site if that has its own row. */
function listLocal(source: Source, hasSite: boolean): Setting[] {
  if (source.kind !== "local") return [];
  const options = Object.entries(pickOptions(source.local))
    .filter(([name]) => !(hasSite && name === "site"))
    .map(([name, value]) => ({ setting: name, used: [value].flat().join(", "), from: null }));
  return [{ setting: "source", used: source.about.label, from: source.local.from }, ...options];
}

async function printProfiles(io: Io, flags: WhoamiFlags): Promise<void> {
  const used = findUsed(io, flags);
  const rows = listProfiles(io.environment).map((name) => {
    const isUsed = name === used ? "yes" : "";
    const local = findLocal({ profile: name }, io.environment);
    if (local !== undefined) {
      const source = local.kind.about.label;
      const site = listTexts(local.flags.site).join(", ") || null;
      return { profile: name, base_url: source, key: "none needed", site, used: isUsed };
    }
    try {
      const { baseUrl, apiKey, site = null } = readProfile(io.environment, name);
      return { profile: name, base_url: baseUrl, key: describeKey(apiKey), site, used: isUsed };
    } catch {
      return { profile: name, base_url: null, key: "damaged: log in again", site: null, used: isUsed };
    }
  });
  const columns = listColumns("profile", "base_url", "key", "site", "used");
  const notes = rows.length === 0 ? ["No profiles yet: analytics-mcp login creates one."] : [];
  await printTable(io, flags, { profiles: rows }, { columns, rows, notes });
}

function findUsed({ environment }: Io, flags: WhoamiFlags): string | undefined {
  try {
    return findLocal(flags, environment)?.profile ?? readAccess(flags, environment).profile;
  } catch {
    return undefined;
  }
}

const listColumns = (...keys: string[]) =>
  keys.map((key): Column => ({ key, label: key, kind: key === "from" ? "word" : "text" }));
