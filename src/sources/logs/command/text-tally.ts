import { compareValues } from "../../../operations/row-order.ts";
import { copyText } from "../copy-text.ts";

/** Counts texts, such as paths. */
export interface TextTally {
  add(text: string, count?: number): void;
  /** The most frequent texts; equally frequent ones in alphabetical order. */
  top(limit: number): { text: string; count: number }[];
}

/** Further texts are not counted: a report shows only a few of the most frequent. */
const MAX_TEXTS = 20_000;

export function createTextTally(maxTexts = MAX_TEXTS): TextTally {
  const counts = new Map<string, number>();
  return {
    add: (text, count = 1) => {
      const known = counts.get(text);
      if (known !== undefined) counts.set(text, known + count);
      else if (counts.size < maxTexts) counts.set(copyText(text), count);
    },
    top: (limit) =>
      [...counts]
        .map(([text, count]) => ({ text, count }))
        .sort((a, b) => b.count - a.count || compareValues(a.text, b.text))
        .slice(0, limit),
  };
}
