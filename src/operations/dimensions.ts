/** What a breakdown can rank by. */
export const dimensions = [
  "pages",
  "entry_pages",
  "exit_pages",
  "hostnames",
  "referrers",
  "channels",
  "utm_sources",
  "utm_mediums",
  "utm_campaigns",
  "utm_terms",
  "utm_contents",
  "countries",
  "regions",
  "cities",
  "languages",
  "devices",
  "browsers",
  "operating_systems",
  "events",
] as const;

export type Dimension = (typeof dimensions)[number];

/** Countries, devices and the like are derived by the service; all else is text that a visitor can choose. */
export function isWrittenByVisitors(dimension: string): boolean {
  return !DERIVED_DIMENSIONS.has(dimension);
}

const DERIVED_DIMENSIONS = new Set<string>([
  "channels",
  "countries",
  "regions",
  "cities",
  "languages",
  "devices",
  "browsers",
  "operating_systems",
] satisfies Dimension[]);

/** For which dimensions a value is a code that every language has its own name for. */
export function nameCodes(dimension: string): { names?: "region" | "language" } {
  if (dimension === "countries") return { names: "region" };
  return dimension === "languages" ? { names: "language" } : {};
}
