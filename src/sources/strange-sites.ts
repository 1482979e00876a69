import type { Organization } from "../config/keys-file.ts";
import { nameSitesCommand } from "../config/organizations.ts";
import { selectSites } from "../config/site-patterns.ts";
import { listSites } from "../operations/site-name.ts";
import { findNearest } from "../suggest.ts";
import { findLocal } from "./local-choice.ts";
import type { ListOwnSites, LocalContext, SourceFlags } from "./source-types.ts";

const EVERY_SITE = selectSites(["*"]);
const MAX_LISTED = 5;

/** Says of each organization of whose sites the data has none, while it has others: for whoever gives out keys. Rejects as `listOwn`. */
export async function describeStrange(
  organizations: readonly Pick<Organization, "name" | "sites">[],
  listOwn: ListOwnSites,
): Promise<string[]> {
  const all = await listOwn(EVERY_SITE);
  if (all.length === 0) return [];
  const told: string[] = [];
  for (const { name, sites } of organizations) {
    const selection = selectSites(sites);
    // A site that is small on the whole server counts for whoever has no others.
    const isKnown = all.some(selection.includes) || (await listOwn(selection)).length > 0;
    if (!isKnown) told.push(describe(name, sites, all));
  }
  return told;
}

function describe(name: string, sites: readonly string[], all: readonly string[]): string {
  const nearest = sites.map((site) => findNearest(site.replace("*.", ""), all));
  const meant = sites.map((site, index) => nearest[index] ?? site);
  const isNear = nearest.some((site) => site !== undefined);
  const guess = isNear
    ? `Did you mean ${listSites(meant, MAX_LISTED)}?`
    : `It has ${listSites(all, MAX_LISTED)}.`;
  const command = nameSitesCommand(name, isNear ? meant : undefined);
  return `The data has no visit to the sites of ${name}: ${listSites(sites, MAX_LISTED)}. ${guess} To change them: ${command}`;
}

/** The sites of the source that is used without further options, as far as they are known without reading it. Never rejects. */
export async function recallSites(
  flags: SourceFlags,
  { environment, clock }: Pick<LocalContext, "environment" | "clock">,
): Promise<ListOwnSites | undefined> {
  try {
    const local = findLocal(flags, environment);
    return await local?.kind.recallSites?.({ flags: local.flags, environment, clock });
  } catch {
    // Nothing else here needs the source.
    return undefined;
  }
}
