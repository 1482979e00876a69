import { type Dimension, dimensions } from "../../../operations/dimensions.ts";
import type { SiteLog } from "./site-log.ts";

/** The dimensions that most page views record. An answer about the others would be nulls that look like a result. */
export function listRecorded({ fields, places }: SiteLog): Dimension[] {
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
      default:
        return isOfPlace(dimension) ? places.has(dimension) : true;
    }
  };
  return dimensions.filter(isRecorded);
}

/** Whether a dimension is about places, which logs do not have. */
export const isOfPlace = (dimension: Dimension): dimension is "countries" | "regions" | "cities" =>
  dimension === "countries" || dimension === "regions" || dimension === "cities";

/** The dimensions that are not recorded. */
export function listUnrecorded(log: SiteLog): Dimension[] {
  const recorded = new Set(listRecorded(log));
  return dimensions.filter((dimension) => !recorded.has(dimension));
}
