import { readFileSync } from "node:fs";
import {
  DEFAULT_PROFILE,
  findProfileFile,
  type LocalProfile,
  listProfiles,
  type Profile,
  readProfile,
  writeProfile,
} from "../../config/profiles.ts";
import { formatCommand } from "../../operations/shell-command.ts";
import { cleanText } from "../../render/clean-text.ts";
import { findInstalledClients } from "../../setup/installed-clients.ts";
import type { GatewayKind } from "../../sources/gateways/gateway.ts";
import { findGateway } from "../../sources/gateways/gateway-kinds.ts";
import { findLocal, pickOptions } from "../../sources/local-choice.ts";
import type { Io } from "../io.ts";
import { printNote } from "../output/streams.ts";

/** Saves a profile and says so, once all questions are answered. */
export type Save = () => Promise<void>;

/** What a profile keeps of a service beside address and key, what a script gets to see of it, and what does not work yet. */
export interface Learned {
  saves: Pick<Profile, "siteTimezones" | "mapping">;
  shows: Record<string, unknown>;
  unread?: string | undefined;
  proposal?: string[];
}

const MAX_CLIENTS = 3;
const MAX_PLACES = 3;
const MAX_LENGTH = 300;

export const describeService = (kind: GatewayKind | undefined, baseUrl: string): string =>
  kind === undefined ? new URL(baseUrl).origin : `${kind.title} at ${baseUrl}`;

/** What a saved profile is for, without its key; undefined if there is none that can be read. */
export function describeSaved(io: Io, name: string): string | undefined {
  const kept = findKept(io, name);
  if (kept !== undefined) return `${kept.label} (${kept.text})`;
  if (!listProfiles(io.environment).includes(name)) return undefined;
  try {
    const { service, baseUrl } = readProfile(io.environment, name);
    return describeService(service && findGateway(service), baseUrl);
  } catch {
    return undefined;
  }
}

/** A saved profile of data on this machine: what it reads, and its options. */
export interface Kept {
  label: string;
  text: string;
  options: Record<string, unknown>;
}

/** Undefined if there is no such profile that can be read. */
export function findKept({ environment }: Io, name: string): Kept | undefined {
  if (!listProfiles(environment).includes(name)) return undefined;
  try {
    const local = findLocal({ profile: name }, environment);
    if (local === undefined) return undefined;
    const options = pickOptions(local);
    const places = [Object.values(options)[0]].flat().slice(0, MAX_PLACES);
    return { label: local.kind.about.label, text: cleanText(places.join(", "), MAX_LENGTH), options };
  } catch {
    return undefined;
  }
}

/** Saves a profile. Returns its file, and says what it replaces. */
export function saveProfile(
  io: Io,
  name: string,
  content: Profile | LocalProfile,
): { file: string; sayReplaced: () => Promise<void> } {
  const earlier = describeSaved(io, name);
  const before = earlier && readFileSync(findProfileFile(io.environment, name), "utf8");
  // A server that uses another profile, or this one as it was, goes on with that. One that has none finds this one.
  const wasOther =
    earlier === undefined && name === DEFAULT_PROFILE && listProfiles(io.environment).length > 0;
  const file = writeProfile(io.environment, name, content);
  const isReplaced = earlier !== undefined && readFileSync(file, "utf8") !== before;
  const isSame = earlier === undefined || earlier === describeSaved(io, name);
  const replaces = isSame ? "" : `It replaces ${earlier}. `;
  return {
    file,
    sayReplaced: async () => {
      if (isReplaced || wasOther)
        await printNote(io, `${replaces}Assistants that are running use it once they are restarted.`);
    },
  };
}

/**
 * Prints what to do after a login. Commands stand on lines of their own, so that no terminal breaks them.
 *
 * @param params Of the first question, if it must name a site.
 */
export async function printNext(io: Io, profile: string, params: { site?: string }): Promise<void> {
  const { ANALYTICS_API_KEY, ANALYTICS_PROFILE } = io.environment;
  // These would choose another key.
  const isNamed = profile !== DEFAULT_PROFILE || ANALYTICS_API_KEY || ANALYTICS_PROFILE;
  const options = isNamed ? ["--profile", profile] : [];
  const installed = findInstalledClients(io.environment).slice(0, MAX_CLIENTS);
  const commands = installed.map(({ id, isWritable }) => [
    ...["analytics-mcp config", id, ...options],
    ...(isWritable ? ["--write"] : []),
  ]);
  await printNote(io, "Next:");
  await printNote(io, `  ${formatCommand({ name: "overview" }, params, options)}`);
  // Without an argument, it lists the clients that it knows.
  for (const words of commands.length > 0 ? commands : [["analytics-mcp config", ...options]]) {
    await printNote(io, `  ${words.join(" ")}`);
  }
}
