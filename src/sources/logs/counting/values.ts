import { type Dimension, dimensions } from "../../../operations/dimensions.ts";
import { copyText } from "../copy-text.ts";

/** Numbers the values of a dimension in the order of their first appearance; null is 0. */
export interface Values {
  number(value: string | null): number;
  at(number: number): string | null;
  /** Including null. */
  readonly size: number;
}

function createValues(known: Iterable<string> = []): Values {
  const list: string[] = [...known];
  const numbers = new Map(list.map((value, index) => [value, index + 1]));
  return {
    number: (value) => {
      if (value === null) return 0;
      let number = numbers.get(value);
      if (number === undefined) {
        const copy = copyText(value);
        list.push(copy);
        number = list.length;
        numbers.set(copy, number);
      }
      return number;
    },
    at: (number) => (number === 0 ? null : (list[number - 1] ?? null)),
    get size() {
      return list.length + 1;
    },
  };
}

/** What numbers a dimension's values: the three dimensions of pages share their paths. */
export type ValueSpace = Exclude<Dimension, "entry_pages" | "exit_pages">;

export const valueSpaces = dimensions.filter(
  (dimension): dimension is ValueSpace => dimension !== "entry_pages" && dimension !== "exit_pages",
);

export const spaceOf = (dimension: Dimension): ValueSpace =>
  dimension === "entry_pages" || dimension === "exit_pages" ? "pages" : dimension;

/** The values of all dimensions of a site. */
export type SiteValues = (space: ValueSpace) => Values;

/** @param readKnown The values of an earlier process, by number from 1 up. */
export function createSiteValues(readKnown: (space: ValueSpace) => Iterable<string> = () => []): SiteValues {
  const spaces = new Map<ValueSpace, Values>();
  return (space) => {
    let values = spaces.get(space);
    if (values === undefined) {
      values = createValues(readKnown(space));
      spaces.set(space, values);
    }
    return values;
  };
}
