import { formatSiteTimezones, type SiteTimezones } from "../../config/services.ts";
import type { Described } from "../../sources/described/capabilities.ts";
import { readMapping } from "../../sources/described/mapping-file.ts";
import { type Proposal, summarizeService } from "../../sources/described/service-summary.ts";
import {
  isOpen,
  listLacks,
  listProblems,
  listProposal,
  listReadings,
  showMapping,
} from "../../sources/described/summary-text.ts";
import type { Io } from "../io.ts";
import { printNote } from "../output/streams.ts";
import { askSites, type Service } from "./login-input.ts";
import type { Learned } from "./login-next.ts";
import { type Ask, askYesOrNo } from "./login-prompt.ts";
import { readTimezones } from "./login-service.ts";

interface Asked {
  site: string | undefined;
  profile: string;
  isQuiet: boolean;
}

/** Asks a service that only describes itself for a few numbers, says where they were found, and asks for what it does not say. */
export async function learnDescribed(
  io: Io,
  ask: Ask,
  service: Service & { described: Described },
  asked: Asked,
): Promise<Learned> {
  const { described, baseUrl, mapping: given, siteTimezones, isTyped } = service;
  const { site, profile, isQuiet } = asked;
  const summary = await summarizeService(described, site, {});
  const asks = isTyped && !isQuiet;
  const asksForZone = asks && summary.lacks.timezone;
  if (!isQuiet && summary.site !== undefined) {
    await printNote(io, "\nThis is how the service's own field names are read:");
    for (const line of listReadings(summary)) await printNote(io, `- ${line}`);
    // What is asked for needs no command.
    const lacks = { ...summary.lacks, timezone: summary.lacks.timezone && !asksForZone };
    for (const line of listLacks({ ...summary, lacks }, { profile, baseUrl })) await printNote(io, line);
  }
  for (const line of listProblems(summary)) await printNote(io, line);
  const { problems, tried, proposal } = summary;
  if (asks && proposal !== undefined && (await askForMapping(io, ask, proposal))) {
    const mapping = { text: JSON.stringify(proposal.mapping), name: "The mapping" };
    const chosen = { ...service, mapping };
    const { described: again = described } = await askSites(io, chosen);
    return learnDescribed(io, ask, { ...chosen, described: again }, asked);
  }
  const timezones = asksForZone ? await askForTimezones(ask) : siteTimezones;
  return {
    /** Of the questions that were tried, how many do not work. */
    unread: problems.length === 0 ? undefined : `${problems.length} of ${tried}`,
    proposal: listProposal(summary, { profile, baseUrl }),
    saves: { siteTimezones: timezones, mapping: given && readMapping(given) },
    shows: { site_timezones: timezones, mapping: summary.mapping },
  };
}

/** Shows a mapping that would choose what is unclear. Nothing is chosen unless the person says so; a place may be left open in it. */
async function askForMapping(io: Io, ask: Ask, proposal: Proposal): Promise<boolean> {
  if (isOpen(proposal)) return false;
  await printNote(io, "This mapping would choose:");
  await printNote(io, showMapping(proposal.mapping));
  return askYesOrNo(ask, "Is it right", "no");
}

const NO_TIMEZONE = "none";

/** Asks whose days the service means. Nothing is suggested: a wrong timezone would shift them. */
async function askForTimezones(ask: Ask): Promise<SiteTimezones | undefined> {
  const label = "Timezone for its days, which it does not name, such as Europe/Berlin";
  const read = (text: string) =>
    text === NO_TIMEZONE ? "" : formatSiteTimezones(readTimezones(text, "What you typed"));
  const given = await ask({ label, fallback: NO_TIMEZONE, read });
  return given === "" ? undefined : readTimezones(given, "What you typed");
}
