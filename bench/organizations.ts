import { createHash } from "node:crypto";
import type { Fixtures } from "../src/sources/demo/fixture-types.ts";
import { readFixtures } from "../src/sources/demo/fixtures.ts";

/** One customer of the service: a key, and one site with numbers that no other site has. */
export interface Organization {
  key: string;
  site: string;
  domain: string;
}

export const describeOrganization = (index: number): Organization => ({
  key: `key-of-load-${index}`,
  site: `site_load${index}`,
  domain: `load-${index}.example`,
});

/** Quota of each key: more than any bench sends. */
export const QUOTA = 1_000_000_000;

/** Each site's visits are seeded by its id, so an answer that belongs to another grant is noticed. */
export function buildFixtures(count: number): Fixtures {
  const fixtures = readFixtures();
  const pattern = fixtures.sites.find(({ id }) => id === "site_glbx");
  if (!pattern) throw new Error("The fixtures have no site to copy.");
  const all = Array.from({ length: count }, (_, index) => describeOrganization(index));
  return {
    ...fixtures,
    organizations: all.map(({ key, site }, index) => ({
      id: `org_load${index}`,
      name: `Load ${index}`,
      keys: [{ id: `key_load${index}`, sha256: createHash("sha256").update(key).digest("hex") }],
      sites: [site],
    })),
    sites: all.map(({ site, domain }) => ({
      ...pattern,
      id: site,
      domain,
      name: domain,
      hostnames: { [domain]: 1 },
      visitors: 60,
    })),
  };
}
