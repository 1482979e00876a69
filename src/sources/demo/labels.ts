import type { Dimension } from "../../operations/dimensions.ts";
import type { Fixtures } from "./fixture-types.ts";

export type Labels = (dimension: Dimension, value: string | null) => string;

/** Creates the names of values for people. The formatters are created when first needed, since Intl is slow. */
export function createLabels({ sources, places }: Fixtures): Labels {
  const byDimension: Partial<Record<Dimension, Map<string | null, string | undefined>>> = {
    referrers: new Map(Object.values(sources).map((source) => [source.referrer, source.label])),
    regions: new Map(Object.values(places).map((place) => [place.region, place.region_label])),
    cities: new Map(Object.values(places).map((place) => [place.city, place.city_label])),
  };
  let countries: Intl.DisplayNames | undefined;
  let languages: Intl.DisplayNames | undefined;
  return (dimension, value) => {
    if (value === null) return NULL_LABELS[dimension] ?? "(none)";
    if (dimension === "countries") {
      countries ??= new Intl.DisplayNames("en", { type: "region" });
      return countries.of(value) ?? value;
    }
    if (dimension === "languages") {
      languages ??= new Intl.DisplayNames("en", { type: "language" });
      return languages.of(value) ?? value;
    }
    return byDimension[dimension]?.get(value) ?? value;
  };
}

/** The dimensions in which null does not just mean "none". */
const NULL_LABELS: Partial<Record<Dimension, string>> = {
  referrers: "(direct or none)",
  countries: "(unknown)",
  regions: "(unknown)",
  cities: "(unknown)",
  languages: "(unknown)",
};
