import type { Column } from "./view.ts";

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

/** Why there is no list of places in logs, whose addresses have none of their own. */
export const NO_PLACES = "this source has no country database";

/** The service derives countries, devices and so on; visitors can choose the text of all other dimensions. */
function isWrittenByVisitors(dimension: string): boolean {
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

/** Marks dimensions whose values are codes that have a name in each language. */
function nameCodes(dimension: string): { names?: "region" | "language" } {
  if (dimension === "countries") return { names: "region" };
  return dimension === "languages" ? { names: "language" } : {};
}

/** The columns of a list of values: of each its value for programs, and its label. */
export function nameColumns(dimension: string, label = dimension): Column[] {
  return [
    { key: "value", label: "value", kind: "text", machine: true, filters: true },
    {
      key: "label",
      label,
      kind: "text",
      ...(isWrittenByVisitors(dimension) && { untrusted: true }),
      ...nameCodes(dimension),
    },
  ];
}
