import { createHash } from "node:crypto";

/** The id of a site that has none of its own: the same whenever and wherever its domain is read. */
export const identifySite = (domain: string): string =>
  `site_${createHash("sha256").update(domain).digest("hex").slice(0, 12)}`;
