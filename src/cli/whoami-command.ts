import { Command } from "commander";
import { createClient } from "../client/client.ts";
import { type Access, readAccess } from "../config/access.ts";
import { describeKey } from "../config/api-key.ts";
import type { Flags } from "../config/config.ts";
import { readGivenKey } from "../config/given-key.ts";
import { listProfiles, readProfile } from "../config/profiles.ts";
import { sites } from "../operations/index.ts";
import type { View } from "../operations/view.ts";
import { refuseDemoWithService } from "./access-options.ts";
import { openAccess, openDemo } from "./connect.ts";
import type { Io } from "./io.ts";
import { type Format, printNote } from "./output.ts";
import { printAnswer } from "./print-answer.ts";

interface WhoamiFlags extends Flags, Format {
  all?: boolean | undefined;
}

const MOST_NAMED = 5;

/** `analytics-mcp whoami`: which service is asked, with which key, and where that was decided. */
export function createWhoamiCommand(io: Io): Command {
  return new Command("whoami")
    .description(
      "Show which service is asked, with which key (never the key itself), where each was found, and the sites that the key sees.",
    )
    .option("--all", "list the profiles that login has saved; asks no service")
    .option("--json", "print as JSON")
    .action(async (_, self: Command) => {
      const flags = self.optsWithGlobals<WhoamiFlags>();
      await (flags.all ? printProfiles(io, flags) : printIdentity(io, flags));
    });
}

async function printIdentity(io: Io, flags: WhoamiFlags): Promise<void> {
  const { access, target } = await openIdentity(io, flags);
  for (const warning of access.warnings) await printNote(io, `warning: ${warning}`);
  const answer = await createClient({ readTarget: () => target, clock: io.clock }).call(sites, {});
  const domains = answer.sites.map(({ domain }) => domain);
  const result = {
    profile: access.profile ?? null,
    base_url: access.baseUrl,
    base_url_from: access.sources.baseUrl,
    key: flags.demo ? "the demo needs none" : describeKey(access.apiKey),
    key_from: access.sources.apiKey,
    site: access.site ?? null,
    site_from: access.sources.site ?? null,
    sites: domains,
  };
  const more = domains.length > MOST_NAMED ? ` and ${domains.length - MOST_NAMED} more` : "";
  const rows = [
    { setting: "profile", value: result.profile, from: null },
    { setting: "base URL", value: result.base_url, from: result.base_url_from },
    { setting: "key", value: result.key, from: result.key_from },
    { setting: "site", value: result.site, from: result.site_from },
    { setting: "sites", value: `${domains.slice(0, MOST_NAMED).join(", ")}${more}`, from: null },
  ];
  await printAnswer(
    io,
    { params: {}, result, views: [buildView(["setting", "value", "from"], rows)] },
    flags,
  );
}

async function openIdentity(io: Io, flags: WhoamiFlags) {
  refuseDemoWithService(flags);
  if (flags.demo) {
    const target = await openDemo(io);
    const { apiKey, baseUrl } = target;
    const sources = { apiKey: "--demo", baseUrl: "--demo" };
    const access: Access = { apiKey, baseUrl, sources, warnings: [] };
    return { access, target };
  }
  const access = readAccess(flags, io.environment, await readGivenKey(flags, io.stdin));
  return { access, target: await openAccess(io.environment, access) };
}

async function printProfiles(io: Io, flags: WhoamiFlags): Promise<void> {
  const used = findUsed(io, flags);
  const rows = listProfiles(io.environment).map((name) => {
    const isUsed = name === used ? "yes" : "";
    try {
      const { baseUrl, apiKey, site = null } = readProfile(io.environment, name);
      return { profile: name, base_url: baseUrl, key: describeKey(apiKey), site, used: isUsed };
    } catch {
      return { profile: name, base_url: null, key: "damaged: log in again", site: null, used: isUsed };
    }
  });
  const view = buildView(["profile", "base_url", "key", "site", "used"], rows);
  if (rows.length === 0) view.notes.push("No profiles yet: analytics-mcp login makes one.");
  await printAnswer(io, { params: {}, result: { profiles: rows }, views: [view] }, flags);
}

function findUsed({ environment }: Io, flags: WhoamiFlags): string | undefined {
  try {
    return readAccess(flags, environment).profile;
  } catch {
    return undefined;
  }
}

function buildView(keys: string[], rows: View["rows"]): View {
  return { headline: "", columns: keys.map((key) => ({ key, label: key, kind: "text" })), rows, notes: [] };
}
