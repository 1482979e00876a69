import { type Dimension, dimensions } from "../../operations/dimensions.ts";
import type { SiteLog } from "./site-log.ts";

/** What most page views record; the rest would be an answer of nulls that looks like a number. */
export function listRecorded({ fields, values }: SiteLog): Dimension[] {
  const isLogged = ({ present, absent }: { present: number; absent: number }) => present > absent;
  const isRecorded = (dimension: Dimension): boolean => {
    switch (dimension) {
      case "hostnames":
        return isLogged(fields.host);
      case "referrers":
      case "channels":
        return isLogged(fields.referrer);
      case "languages":
        return isLogged(fields.language);
      case "browsers":
      case "devices":
      case "operating_systems":
        return isLogged(fields.agent);
      case "countries":
      case "regions":
      case "cities":
        // One is null.
        return values(dimension).size > 1;
      default:
        return true;
    }
  };
  return dimensions.filter(isRecorded);
}

/** Whether a dimension is about where visitors are, which no log says. */
export const isOfPlace = (dimension: Dimension): boolean =>
  dimension === "countries" || dimension === "regions" || dimension === "cities";

/** The other dimensions. */
export function listUnrecorded(log: SiteLog): Dimension[] {
  const recorded = new Set(listRecorded(log));
  return dimensions.filter((dimension) => !recorded.has(dimension));
}
