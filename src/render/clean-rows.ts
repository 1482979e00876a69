import { cleanText, MAX_TEXT_LENGTH } from "./clean-text.ts";

/** The members that name a row of a list. */
const NAMES = ["value", "label"] as const;

/** Explains the numbers of `cleanRows` to a reader. */
export const NUMBER_NOTE =
  "A name that ends in a number in brackets, such as (2), looks like another name but is not the same.";

/**
 * Cleans the names of a list's rows. No two rows have the same value, so names that become equal by cleaning or cutting
 * are numbered: `Paris` and `Paris (2)`.
 */
export function cleanRows<T extends object>(rows: readonly T[], maxLength = MAX_TEXT_LENGTH): T[] {
  const cleaned = NAMES.map((name) => {
    // Without a label, a row shows its value.
    const texts = rows.map((row): unknown => Reflect.get(row, name) ?? Reflect.get(row, "value"));
    return [name, distinguish(texts, (text, spare) => cleanText(text, maxLength - spare))] as const;
  });
  return rows.map((row, index) => ({
    ...row,
    ...Object.fromEntries(
      cleaned.flatMap(([name, texts]) =>
        typeof Reflect.get(row, name) === "string" ? [[name, texts[index]]] : [],
      ),
    ),
  }));
}

/** Whether `cleanRows` numbers a row. */
export const hasLookalikes = (rows: readonly object[], maxLength = MAX_TEXT_LENGTH): boolean =>
  cleanRows(rows, maxLength).some((row, index) =>
    NAMES.some((name) => {
      const raw: unknown = Reflect.get(rows[index] ?? {}, name);
      return typeof raw === "string" && Reflect.get(row, name) !== cleanText(raw, maxLength);
    }),
  );

/**
 * Shortens texts so that they stay different, by a number where two would be the same. A text that needs no change gets
 * no number, so an imitation of it does.
 *
 * @param shorten Makes a text fit, and leaves room for a number (`spare`).
 */
export function distinguish(
  texts: readonly unknown[],
  shorten: (text: string, spare: number) => string,
): (string | undefined)[] {
  const shown = texts.map((text) => (typeof text === "string" ? shorten(text, 0) : undefined));
  const taken = new Set<string>();
  const changed: number[] = [];
  for (const [index, text] of shown.entries()) {
    if (text === undefined) continue;
    if (text === texts[index] && !taken.has(text)) taken.add(text);
    else changed.push(index);
  }
  // A text of invisible characters alone becomes empty, so it gets a number to be seen.
  taken.add("");
  const numbers = new Map<string, number>();
  for (const index of changed) {
    const base = shown[index] ?? "";
    let [name, number] = [base, numbers.get(base) ?? 1];
    while (taken.has(name)) {
      const mark = ` (${++number})`;
      name = (shorten(String(texts[index]), mark.length) + mark).trimStart();
    }
    numbers.set(base, number);
    taken.add(name);
    shown[index] = name;
  }
  return shown;
}
