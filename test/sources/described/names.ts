import type { Shape, UsedDimension } from "./shape.ts";
import { listWords, spell } from "./words.ts";

/** The names of a service, as it spells them. */
export interface Spelled {
  (words: string): string;
  /** What the rows of a dimension are called by. */
  row(dimension: UsedDimension): string;
  /** Names of metrics, in this order: visitors, page views, events. */
  visitors: string;
  pageviews: string;
  events: string;
}

const SINGULARS: Record<UsedDimension, string> = {
  pages: "page",
  referrers: "referrer",
  countries: "country",
  browsers: "browser",
  devices: "device",
  operating_systems: "operating system",
};

export const singularOf = (dimension: UsedDimension): string => SINGULARS[dimension];

export function spellNames({ spelling, names, unclear, rows, seed }: Shape): Spelled {
  const say = (words: string) => spell(words, spelling);
  return Object.assign(say, {
    visitors: say(unclear === "visitors" ? names.count : names.visitors),
    pageviews: say(unclear === "pageviews" ? names.count : names.pageviews),
    events: say(names.events),
    row: (dimension: UsedDimension) => {
      const taken = [names.visitors, names.pageviews, names.events, names.count, ...names.tempting];
      if (rows.valueBy === "general") return say(names.value);
      if (rows.valueBy === "plural") return say(dimension.replaceAll("_", " "));
      const words = [SINGULARS[dimension], ...listWords(dimension)].filter((word) => !taken.includes(word));
      return say(words[seed.length % words.length] ?? SINGULARS[dimension]);
    },
  });
}
