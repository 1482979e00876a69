import type { Organization } from "../config/keys-file.ts";
import { nameSitesCommand } from "../config/organizations.ts";
import { selectSites } from "../config/site-patterns.ts";
import { listSites } from "../operations/site-name.ts";
import { findNearestSite } from "../suggest.ts";
import { findLocal } from "./local-choice.ts";
import type { ListOwnSites, LocalContext, SourceFlags } from "./source-types.ts";

const EVERY_SITE = selectSites(["*"]);
const MAX_LISTED = 5;

/**
 * Says of each organization which of its sites the data has no visit to, while it has others: if that is all of them, or if one looks
 * mistyped. For whoever gives out keys. Rejects as `listOwn`.
 */
export async function describeStrange(
  organizations: readonly Pick<Organization, "name" | "sites">[],
  listOwn: ListOwnSites,
): Promise<string[]> {
  const all = await listOwn(EVERY_SITE);
  if (all.length === 0) return [];
  const told: string[] = [];
  for (const { name, sites } of organizations) {
    const strange: Strange[] = [];
    for (const site of sites) {
      const selection = selectSites([site]);
      // A site that is small on the whole server counts for whoever has no others.
      const isKnown = all.some(selection.includes) || (await listOwn(selection)).length > 0;
      if (!isKnown) strange.push({ site, meant: findMeant(site, sites, all) });
    }
    if (strange.length === sites.length || strange.some(({ meant }) => meant !== undefined))
      told.push(describe(name, sites, strange, all));
  }
  return told;
}

interface Strange {
  site: string;
  /** The site of the data that it looks like. */
  meant: string | undefined;
}

/** Another site of the organization is not meant: it is named already. */
function findMeant(site: string, sites: readonly string[], all: readonly string[]): string | undefined {
  const nearest = findNearestSite(site.replace("*.", ""), all);
  return nearest === undefined || sites.includes(nearest) ? undefined : nearest;
}

function describe(
  name: string,
  sites: readonly string[],
  strange: readonly Strange[],
  all: readonly string[],
): string {
  const near = new Map(strange.map(({ site, meant }) => [site, meant]));
  const meant = sites.map((site) => near.get(site) ?? site);
  const isNear = strange.some((each) => each.meant !== undefined);
  const guess = isNear
    ? `Did you mean ${listSites(meant, MAX_LISTED)}?`
    : `The data has ${listSites(all, MAX_LISTED)}.`;
  const lacking = strange.map(({ site }) => site);
  const command = nameSitesCommand(name, isNear ? meant : undefined);
  return `Organization ${name}: the data has no visit to ${listSites(lacking, MAX_LISTED)}. ${guess} To change its sites: ${command}`;
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
