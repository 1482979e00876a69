import { AnalyticsError, quoteWord } from "../errors.ts";
import { quoteForShell } from "../operations/shell-command.ts";
import { createKey, createKeyId, findIssuedKey, hashKey } from "./issued-key.ts";
import type { KeysChange } from "./keys-change.ts";
import { isOrganizationName, type Organization } from "./keys-file.ts";
import { readSitePattern } from "./site-patterns.ts";

type Organizations = readonly Organization[];

/**
 * Adds a key to an organization, which is added with its sites if there is none of the name. Throws AnalyticsError
 * `usage`.
 *
 * @param sites Separated by commas.
 * @param now Milliseconds since 1970.
 */
export function addKey(
  organizations: Organizations,
  name: string,
  sites: string | undefined,
  now: number,
): KeysChange<{ key: string; id: string; sites: string[] }> {
  assertNotKey(name, "keys add");
  if (!isOrganizationName(name)) throw createNameError(name);
  const given = sites === undefined ? undefined : readSites(sites);
  const known = organizations.find((candidate) => candidate.name === name);
  if (known !== undefined && given !== undefined && !isSame(known.sites, given))
    throw createOtherSitesError(known, given);
  const own = known?.sites ?? given;
  if (own === undefined) {
    throw new AnalyticsError("usage", `There is no organization ${name} yet: name its sites.`, {
      hint: `For example: analytics-mcp keys add ${name} --sites '${name}.example,*.${name}.example'`,
    });
  }
  const key = createKey();
  const sha256 = hashKey(key);
  const created = new Date(now).toISOString().replace(/\.\d+Z$/, "Z");
  const organization = { name, sites: own, keys: [...(known?.keys ?? []), { sha256, created }] };
  return {
    organizations: known
      ? organizations.map((candidate) => (candidate === known ? organization : candidate))
      : [...organizations, organization],
    result: { key, id: createKeyId(sha256), sites: own },
  };
}

/** Gives all keys of an organization other sites. Throws AnalyticsError `usage` if there is no such organization. */
export function changeSites(
  organizations: Organizations,
  name: string,
  text: string,
): KeysChange<{ sites: string[]; count: number }> {
  assertNotKey(name, "keys sites");
  const sites = readSites(text);
  const found = organizations.find((candidate) => candidate.name === name);
  if (found === undefined) {
    throw new AnalyticsError("usage", `There is no organization named ${quoteWord(name)}.`, {
      hint: "See analytics-mcp keys list.",
    });
  }
  return {
    organizations: organizations.map((each) => (each === found ? { ...each, sites } : each)),
    result: { sites, count: found.keys.length },
  };
}

/**
 * Removes an organization, or one key by its id; an organization goes with its last key. Throws AnalyticsError `usage` if
 * there is neither.
 */
export function removeKeys(
  organizations: Organizations,
  name: string,
): KeysChange<{ organization: string; count: number; isGone: boolean }> {
  assertNotKey(name, "keys remove");
  const found = organizations.find(
    (candidate) => candidate.name === name || listIds(candidate).includes(name),
  );
  if (found === undefined) {
    throw new AnalyticsError("usage", `There is no organization or key named ${quoteWord(name)}.`, {
      hint: "See analytics-mcp keys list.",
    });
  }
  const left = found.name === name ? [] : found.keys.filter(({ sha256 }) => createKeyId(sha256) !== name);
  const isGone = left.length === 0;
  return {
    organizations: isGone
      ? organizations.filter((candidate) => candidate !== found)
      : organizations.map((candidate) => (candidate === found ? { ...candidate, keys: left } : candidate)),
    result: { organization: found.name, count: found.keys.length - left.length, isGone },
  };
}

export interface ListedKey {
  organization: string;
  sites: string[];
  /** The key's id; null for an organization without keys. */
  key: string | null;
  created: string | null;
}

/** Lists each key, and each organization without any. */
export const listKeys = (organizations: Organizations): ListedKey[] =>
  organizations.flatMap(({ name, sites, keys }): ListedKey[] => {
    const row = { organization: name, sites };
    if (keys.length === 0) return [{ ...row, key: null, created: null }];
    return keys.map(({ sha256, created }) => ({ ...row, key: createKeyId(sha256), created }));
  });

const listIds = ({ keys }: Organization) => keys.map(({ sha256 }) => createKeyId(sha256));

function readSites(text: string): string[] {
  const parts = text.split(",").filter((part) => part.trim() !== "");
  if (parts.length > 0) return [...new Set(parts.map(readSitePattern))];
  throw new AnalyticsError("usage", "--sites names no site.", {
    hint: "For example: --sites 'acme.example,*.acme.example'",
  });
}

const isSame = (one: readonly string[], other: readonly string[]) =>
  [...one].sort().join() === [...other].sort().join();

const createOtherSitesError = ({ name, sites }: Organization, given: readonly string[]): AnalyticsError =>
  new AnalyticsError("usage", `${name} has other sites already: ${sites.join(", ")}.`, {
    hint: `Leave out --sites to add a key. To change the sites of all its keys: ${nameSitesCommand(name, given)}`,
  });

/** The command that gives an organization other sites. */
export const nameSitesCommand = (name: string, sites?: readonly string[]): string =>
  `analytics-mcp keys sites ${name} --sites ${sites === undefined ? "<sites>" : quoteForShell(sites.join(","))}`;

const createNameError = (name: string): AnalyticsError =>
  new AnalyticsError("usage", `${quoteWord(name)} cannot be the name of an organization.`, {
    hint: "Use up to 50 lower-case letters, digits, - and _, such as acme; it must not start with key_.",
  });

/** Refuses a key, without repeating it: other users of the machine can see a command's arguments. */
function assertNotKey(word: string, command: string): void {
  const key = findIssuedKey(word);
  if (key === undefined) return;
  throw new AnalyticsError(
    "usage",
    `${command} takes no key, because other users can see a command's arguments.`,
    {
      hint: `The given key has the id ${createKeyId(hashKey(key))}. If it may have leaked: analytics-mcp keys remove ${createKeyId(hashKey(key))}`,
    },
  );
}
