import { resolve } from "node:path";
import { type ChosenSite, chooseSite, findProfileName } from "../config/access.ts";
import { readProfileOptions } from "../config/profiles.ts";
import { type Environment, readVariable } from "../config/variables.ts";
import { AnalyticsError, createSwallowedError } from "../errors.ts";
import { readMember } from "../member.ts";
import { localKinds, optionsOf } from "./local-kinds.ts";
import { listNamedSites, listTexts, splitSite } from "./named-sites.ts";
import type { LocalChoice, LocalKind, SourceFlags, SourceOption } from "./source-types.ts";

/** The options for a service and its key, which exclude a local source. */
const SERVICE_OPTIONS = [
  "--base-url",
  "--service",
  "--mapping",
  "--profile",
  "--api-key-file",
  "--api-key-stdin",
];
const SERVICE_VARIABLES = ["ANALYTICS_BASE_URL", "ANALYTICS_SERVICE", "ANALYTICS_API_KEY"];

/**
 * The source in this process that was chosen: on the command line, else in the environment, else by a profile. Undefined if
 * a service was chosen. Throws AnalyticsError `usage` if two sources were chosen in the same place, or if an option is given
 * that only another source takes.
 */
export function findLocal(flags: SourceFlags, environment: Environment): LocalChoice | undefined {
  const chosen = findChosen(flags, environment);
  assertOwnSettings(flags, chosen);
  return chosen;
}

function findChosen(flags: SourceFlags, environment: Environment): LocalChoice | undefined {
  const kind = localKinds.find(({ option }) => isNamed(flags, option.flag));
  if (kind !== undefined) {
    assertOneSource(flags, kind);
    assertNoSwallowedOption(flags, kind);
    return choose(kind, flags, kind.option.flag);
  }
  return SERVICE_OPTIONS.some((flag) => isNamed(flags, flag))
    ? findInProfile(flags, environment)
    : (findInEnvironment(flags, environment) ?? findInProfile(flags, environment));
}

function findInEnvironment(flags: SourceFlags, environment: Environment): LocalChoice | undefined {
  for (const kind of localKinds) {
    const { name = "", read } = kind.variable ?? {};
    const text = readVariable(environment, name);
    if (text === undefined || read === undefined) continue;
    const other = SERVICE_VARIABLES.find((variable) => readVariable(environment, variable) !== undefined);
    if (other !== undefined) {
      throw new AnalyticsError("usage", `${name} and ${other} are both set, but choose different sources.`, {
        hint: `Unset one of them, or choose with ${kind.option.flag} or --profile.`,
      });
    }
    return choose(kind, { ...flags, ...read(text) }, name);
  }
  return undefined;
}

/** A profile of a local source has its options in place of address and key. */
function findInProfile(flags: SourceFlags, environment: Environment): LocalChoice | undefined {
  const { profile } = flags;
  if (SERVICE_OPTIONS.some((flag) => flag !== "--profile" && isNamed(flags, flag))) return undefined;
  const name = profile ?? findDefaultProfile(environment);
  const saved = name === undefined ? undefined : readProfileOptions(environment, name);
  if (name === undefined || saved === undefined) return undefined;
  const kind = localKinds.find(({ option }) => readMember(saved, nameAttribute(option.flag)) !== undefined);
  if (kind === undefined) return undefined;
  // The site of a question does not take the names from the others.
  const names = flags.site === undefined ? [] : listNamedSites(saved.site);
  const site = names.length > 0 && { site: [...names, ...listTexts(flags.site)] };
  const chosen = choose(kind, { ...saved, ...definedOf(flags), ...site }, `profile ${name}`);
  return {
    ...chosen,
    options: profile === undefined ? [] : ["--profile", name],
    profile: name,
    isSavedSite: flags.site === undefined,
  };
}

function findDefaultProfile(environment: Environment): string | undefined {
  if (SERVICE_VARIABLES.some((variable) => readVariable(environment, variable) !== undefined))
    return undefined;
  try {
    return findProfileName(environment);
  } catch {
    // Several profiles: the service's source says so.
    return undefined;
  }
}

const definedOf = (flags: SourceFlags) =>
  Object.fromEntries(Object.entries(flags).filter(([, value]) => value !== undefined));

function choose(kind: LocalKind, flags: SourceFlags, from: string): LocalChoice {
  return { kind, flags, options: listWords(kind, flags), from };
}

/** The site of a source whose data does not name one. */
const SITE: SourceOption = { flag: "--site", value: "<site>", description: "" };

/** The values of a source's own options, as a profile keeps them. */
export function pickOptions({ kind, flags }: Pick<LocalChoice, "kind" | "flags">): Record<string, unknown> {
  return Object.fromEntries(
    [...optionsOf(kind), SITE].flatMap(({ flag, isPath }) => {
      const value = readMember(flags, nameAttribute(flag));
      if (value === undefined) return [];
      const full = isPath ? listOf(value).map(resolvePath) : value;
      return [[nameAttribute(flag), Array.isArray(value) ? full : listOf(full)[0]]];
    }),
  );
}

/**
 * The site of questions that name none: the only one that was named for the source. A variable asks about a site of a profile's
 * source, and does not name it anew.
 */
export function findDefaultSite(
  { kind, flags, from, options, isSavedSite }: LocalChoice,
  environment: Environment,
): ChosenSite {
  if (kind.site !== undefined || kind.takesSite !== true) return { site: kind.site, source: from };
  const named = listTexts(flags.site);
  const site = named.length === 1 ? splitSite(named[0] ?? "").site : undefined;
  const saved = { site, source: isSavedSite ? from : "--site" };
  return chooseSite(environment, saved, !isSavedSite || options.length > 0);
}

/** The words that choose a source and its site, for the command line of a server, which has no query to name the site. */
export const listAllWords = ({ flags, options }: LocalChoice): string[] =>
  options.length === 0 ? [] : [...options, ...(options[0] === "--profile" ? [] : wordsOf([SITE], flags))];

const listWords = (kind: LocalKind, flags: SourceFlags): string[] => wordsOf(optionsOf(kind), flags);

function wordsOf(known: readonly SourceOption[], flags: SourceFlags): string[] {
  return known.flatMap(({ flag, value, isPath }) => {
    const given = readMember(flags, nameAttribute(flag));
    if (given === undefined) return [];
    if (value === undefined) return [flag];
    return listOf(given).flatMap((text) => [flag, isPath ? resolvePath(text) : String(text)]);
  });
}

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [value]);

/** A program that is started in another folder needs absolute paths. In `example.com=logs/*`, the path follows the equals sign. */
function resolvePath(value: unknown): string {
  const [, site = "", path = ""] = /^([\w.-]+=)?(.*)$/s.exec(String(value)) ?? [];
  return path === "-" ? String(value) : `${site}${resolve(path)}`;
}

/**
 * Throws AnalyticsError `usage` if a source would read standard input, which `-` in place of a path stands for.
 *
 * @param who Who cannot read it, such as `The MCP server`.
 */
export function assertNotStdin(local: Pick<LocalChoice, "kind" | "flags"> | undefined, who: string): void {
  if (local === undefined) return;
  const { kind, flags } = local;
  const found = optionsOf(kind).find(
    ({ flag, isPath }) =>
      isPath &&
      listOf(readMember(flags, nameAttribute(flag))).some((value) => /^(?:[\w.-]+=)?-$/.test(String(value))),
  );
  if (found === undefined) return;
  throw new AnalyticsError("usage", `${who} cannot read ${found.flag} from standard input.`, {
    hint: `Name files: ${found.flag} ${found.value ?? ""}`,
  });
}

/** `--logs --site example.com`: commander takes the next option for the value. Throws AnalyticsError `usage`. */
function assertNoSwallowedOption(flags: SourceFlags, kind: LocalKind): void {
  for (const { flag, value = "" } of optionsOf(kind)) {
    const option = listOf(readMember(flags, nameAttribute(flag))).find((text) =>
      /^--[a-z]/.test(String(text)),
    );
    if (option !== undefined) throw createSwallowedError(flag, value, String(option));
  }
}

/** Throws AnalyticsError `usage` if the flags choose another source as well. */
function assertOneSource(flags: SourceFlags, { option: { flag }, about }: LocalKind): void {
  const others = [...localKinds.map(({ option }) => option.flag), ...SERVICE_OPTIONS];
  const other = others.find((option) => option !== flag && isNamed(flags, option));
  if (other === undefined) return;
  throw new AnalyticsError("usage", `Use ${flag} or ${other}, not both.`, {
    hint: `${flag} answers from ${about.label} in this program. Leave it out to query your service.`,
  });
}

/** Ignoring an option would give a wrong number, such as one in another timezone. */
function assertOwnSettings(flags: SourceFlags, chosen: LocalChoice | undefined): void {
  const own = new Set(chosen === undefined ? [] : optionsOf(chosen.kind).map(({ flag }) => flag));
  const foreign = localKinds
    .flatMap(({ settings = [] }) => settings)
    .find(({ flag }) => !own.has(flag) && isNamed(flags, flag));
  if (foreign === undefined) return;
  const takers = localKinds.flatMap((kind) =>
    optionsOf(kind).some(({ flag }) => flag === foreign.flag) ? [kind.option.flag] : [],
  );
  const instead = foreign.flag === "--where" ? " To count only a part, use --filter." : "";
  throw new AnalyticsError("usage", `${foreign.flag} is for ${takers.join(" and ")}.`, {
    hint:
      chosen === undefined
        ? `Add ${takers.join(" or ")}, or leave out ${foreign.flag}.${instead}`
        : `The answers come from ${chosen.kind.about.label} (${chosen.from}): leave out ${foreign.flag}.${instead}`,
  });
}

const isNamed = (flags: SourceFlags, flag: string) => readMember(flags, nameAttribute(flag)) !== undefined;

/** The attribute that commander gives an option: `baseUrl` for `--base-url`. */
const nameAttribute = (flag: string) =>
  flag.slice(2).replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
