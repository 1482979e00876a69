import { createHash } from "node:crypto";

/** The id of a site that has none of its own, derived from its domain: the same at any time and on any machine. */
export const identifySite = (domain: string): string =>
  `site_${createHash("sha256").update(domain).digest("hex").slice(0, 12)}`;
