import type { Dimension } from "../../operations/dimensions.ts";
import { columnsOf } from "../hits.ts";

/** SQL expressions for what queries need of a table. None has a value of a person's or a visitor's. */
export interface Table {
  /** What follows FROM. */
  from: string;
  /** Whether a row is a page view, an event, a request of a known crawler, or marks a loaded day. */
  isPageview: string;
  isEvent: string;
  isCrawler: string;
  isDay: string;
  value(dimension: Dimension): string;
}

export function createTable(database: string, table: string): Table {
  return {
    // FINAL: a hit that was loaded twice counts once.
    from: `${quoteName(database)}.${quoteName(table)} FINAL`,
    isPageview: "kind = 'pageview'",
    isEvent: "kind = 'event'",
    isCrawler: "kind = 'bot' AND crawler != ''",
    isDay: "kind = 'day'",
    value: (dimension) => columnsOf[dimension],
  };
}

/** @param name Letters, digits and `_`. */
const quoteName = (name: string) => `\`${name}\``;
