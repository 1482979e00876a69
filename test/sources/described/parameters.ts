import { singularOf } from "./names.ts";
import type { Shape, UsedDimension } from "./shape.ts";

export const MAX_DAYS = 180;
export const MAX_LIMIT = 100;
export const DAYS_OF_THREE = [7, 30, 90];
export const SITES_PATH = "/sites";

export const ALL_DIMENSIONS: UsedDimension[] = [
  "pages",
  "referrers",
  "countries",
  "browsers",
  "devices",
  "operating_systems",
];

export const dimensionNames = ({ dimensionParam }: Shape): string[] =>
  ALL_DIMENSIONS.map((name) => (dimensionParam === "plural" ? name : singularOf(name).replace(" ", "_")));

/** The parameters that a service takes, by path. */
export function parametersOf(shape: Shape): Record<string, string[]> {
  const days = shape.breakdownDays === "none" ? [] : ["days"];
  const pages = { all: [], next: ["page"], link: ["page"], cursor: ["cursor"], page: ["page"] };
  return {
    [SITES_PATH]: pages[shape.sites.pages],
    "/stats": ["site", "days"],
    "/timeseries": ["site", "days"],
    "/breakdown": ["site", "dimension", "limit", ...days],
    "/realtime": ["site"],
    "/openapi.json": [],
  };
}

/** The values that `days` takes, if they are a few. */
export const daysAllowed = ({ days }: Shape): number[] | undefined =>
  days === "three" ? DAYS_OF_THREE : undefined;
