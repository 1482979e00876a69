import { quoteIfNeeded } from "../errors.ts";
import type { Operation } from "../operations/operation.ts";
import type { Ask } from "./probe.ts";
import { type Read, read, type Subject } from "./subject.ts";
import { MAX_SITES, type Site } from "./survey.ts";
import { Breach, Skip } from "./verdict.ts";

/** The chosen site, then one for each other timezone, then the rest; at most `MAX_SITES`. */
export function sampleSites({ site: chosen, sites }: Subject): [Site, ...Site[]] {
  const rest = sites.filter(({ id }) => id !== chosen.id);
  const zones = new Set([chosen.timezone]);
  const abroad = rest.filter(({ timezone }) => !zones.has(timezone) && zones.add(timezone));
  return [chosen, ...[...new Set([...abroad, ...rest])].slice(0, MAX_SITES - 1)];
}

/** A listed site whose data begins after a day. Throws Skip if there is none. */
export function findSiteSince({ sites }: Subject, day: string): Site {
  const site = sites.find(({ data_since }) => data_since === null || data_since > day);
  if (site === undefined) throw new Skip("every site has data for a whole year");
  return site;
}

/** The answer about a listed site. Throws Skip if it is not answered, which is a separate rule. */
export async function readListed<O extends Operation>(
  subject: Subject,
  operation: O,
  params: { site: string } & Record<string, string | number>,
  how?: Ask,
): Promise<Read<O>> {
  return read(subject, operation, params, how).catch((error: unknown) => {
    if (!(error instanceof Breach)) throw error;
    throw new Skip(`the site ${quoteIfNeeded(params.site)} is not answered: see sites.listed-answered`);
  });
}
