import type { Dimension } from "../../../operations/dimensions.ts";
import { type Column, increase } from "./columns.ts";
import { createValues, type Values } from "./values.ts";

/*
 * Anyone who sends requests chooses their texts. These limits bound what they can make this program keep: of each text, and
 * of different texts. docs/logs.md states them.
 */

/** In UTF-16 code units. */
const MAX_TEXT_LENGTH = 500;
/** How many values a dimension has on a day. */
export const MAX_VALUES = 100_000;
/** How many values, and combinations of them, one sender can add to a day. */
const MAX_VALUES_OF_SENDER = 2_000;

/** In place of all values beyond the limits. */
export const OTHER = "(other)";

/** Cuts a text to what is kept of it. Half of a surrogate pair has no form in UTF-8, so it becomes U+FFFD. */
export const limitText = (text: string): string => text.slice(0, MAX_TEXT_LENGTH).toWellFormed();

/** What has values: a dimension, or the paths of what was not found. */
type Space = Dimension | "not_found";

/** The values of a day, by dimension, as far as visitors choose them. */
export interface LimitedValues {
  of(dimension: Space): Values;
  /** The value itself; `OTHER` if it is new and the sender, or the day, has too many. */
  limit(dimension: Space, value: string | null, sender: number): string | null;
  /** Counts a new combination of values as one more; false if the sender has too many. */
  addCombination(sender: number): boolean;
}

/** @param added How many values each sender has added. */
export function createLimitedValues(added: Column): LimitedValues {
  const spaces = new Map<Space, Values>();
  const find = (dimension: Space) => {
    let values = spaces.get(dimension);
    if (values === undefined) {
      values = createValues();
      spaces.set(dimension, values);
    }
    return values;
  };
  const hasTooMany = (sender: number) => (added.values[sender] ?? 0) >= MAX_VALUES_OF_SENDER;
  return {
    of: find,
    limit: (dimension, value, sender) => {
      if (value === null) return null;
      const values = find(dimension);
      if (values.find(value) !== undefined) return value;
      if (values.size > MAX_VALUES || hasTooMany(sender)) return OTHER;
      values.number(value);
      increase(added, sender, 1);
      return value;
    },
    addCombination: (sender) => {
      if (hasTooMany(sender)) return false;
      increase(added, sender, 1);
      return true;
    },
  };
}
