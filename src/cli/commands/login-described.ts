import { formatSiteTimezones, type SiteTimezones } from "../../config/services.ts";
import type { Described } from "../../sources/described/capabilities.ts";
import { readMapping } from "../../sources/described/mapping-file.ts";
import { summarizeService } from "../../sources/described/service-summary.ts";
import { listLacks, listProblems, listProposal, listReadings } from "../../sources/described/summary-text.ts";
import type { Io } from "../io.ts";
import { printNote } from "../output/streams.ts";
import type { Service } from "./login-input.ts";
import type { Ask } from "./login-prompt.ts";
import { readTimezones } from "./login-service.ts";

/** Asks a service that only describes itself for a few numbers, says where they were found, and asks for what it does not say. */
export async function learnDescribed(
  io: Io,
  ask: Ask,
  { described, baseUrl, mapping: given, siteTimezones, isTyped }: Service & { described: Described },
  { site, profile, isQuiet }: { site: string | undefined; profile: string; isQuiet: boolean },
) {
  const summary = await summarizeService(described, site, {});
  if (!isQuiet && summary.site !== undefined) {
    await printNote(io, "\nThis is how the service's own field names are read:");
    for (const line of listReadings(summary)) await printNote(io, `- ${line}`);
    for (const line of listLacks(summary, { profile, baseUrl })) await printNote(io, line);
  }
  for (const line of listProblems(summary)) await printNote(io, line);
  const asks = summary.lacks.timezone && isTyped && !isQuiet;
  const timezones = asks ? await askForTimezones(ask) : siteTimezones;
  const { problems, tried } = summary;
  return {
    /** Of the questions that were tried, how many do not work. */
    unread: problems.length === 0 ? undefined : `${problems.length} of ${tried}`,
    proposal: listProposal(summary, { profile, baseUrl }),
    saves: { siteTimezones: timezones, mapping: given && readMapping(given) },
    shows: { site_timezones: timezones, mapping: summary.mapping },
  };
}

const NO_TIMEZONE = "none";

/** Asks whose days the service means. Nothing is suggested: a wrong timezone would shift them. */
async function askForTimezones(ask: Ask): Promise<SiteTimezones | undefined> {
  const label = "Timezone for its days, if you know it, such as Europe/Berlin";
  const read = (text: string) =>
    text === NO_TIMEZONE ? "" : formatSiteTimezones(readTimezones(text, "What you typed"));
  const given = await ask({ label, fallback: NO_TIMEZONE, read });
  return given === "" ? undefined : readTimezones(given, "What you typed");
}
