import { createCodeNames } from "../../names/code-names.ts";
import { nameNone } from "../../names/value-names.ts";
import type { Dimension } from "../../operations/dimensions.ts";
import type { Fixtures } from "./fixture-types.ts";

export type Labels = (dimension: Dimension, value: string | null) => string;

/** Creates the names of values for people. */
export function createLabels({ sources, places }: Fixtures): Labels {
  const byDimension: Partial<Record<Dimension, Map<string | null, string | undefined>>> = {
    referrers: new Map(Object.values(sources).map((source) => [source.referrer, source.label])),
    regions: new Map(Object.values(places).map((place) => [place.region, place.region_label])),
    cities: new Map(Object.values(places).map((place) => [place.city, place.city_label])),
  };
  const nameCode = createCodeNames();
  return (dimension, value) => {
    if (value === null) return nameNone(dimension);
    return nameCode(dimension, value) ?? byDimension[dimension]?.get(value) ?? value;
  };
}
