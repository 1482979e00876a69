/**
 * Characters that change how text is shown, or hide in it: controls (C0, DEL, C1), line and paragraph
 * separators, bidirectional marks, zero-width and other invisible format characters, lone surrogates, and the
 * tag characters in which text can be smuggled to a model. Variation selectors and the zero-width joiner of
 * emoji fall too: a glyph may change, the meaning does not.
 */
const INVISIBLE =
  /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\u115f\u1160\u3164\uffa0]|[\ufe00-\ufe0f]|[\u{e0100}-\u{e01ef}]/gu;

/** Most texts are, and are found to be so ten times faster. */
const PLAIN = /^[\x20-\x7e]*$/;

const MAX_TEXT_LENGTH = 200;

/**
 * Text that a visitor can write (paths, referrers, campaigns, event names), made safe where it leaves for a
 * terminal, a CSV cell or a model: invisible characters removed, the rest capped. Everything inside keeps the
 * raw text.
 */
export function cleanText(text: string, maxLength = MAX_TEXT_LENGTH): string {
  const visible = PLAIN.test(text) ? text : text.replace(INVISIBLE, "");
  if (visible.length <= maxLength) return visible;
  const characters = [...visible.slice(0, 2 * maxLength + 1)];
  return characters.length <= maxLength ? visible : `${characters.slice(0, maxLength - 1).join("")}…`;
}

/** A value with every text in it cleaned, member names too. */
export function cleanValue<T>(value: T, maxLength = MAX_TEXT_LENGTH): T {
  if (typeof value === "string") return cleanText(value, maxLength) as T;
  if (Array.isArray(value)) return value.map((each) => cleanValue(each, maxLength)) as T;
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value);
  return Object.fromEntries(
    entries.map(([key, each]) => [cleanText(key, maxLength), cleanValue(each, maxLength)]),
  ) as T;
}

/** JSON with every invisible character escaped: nothing is lost, and a terminal shows it as it is. */
export function formatJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent).replace(INVISIBLE, (character) => {
    if (character === "\n") return character;
    return [...Array(character.length).keys()]
      .map((index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, "0")}`)
      .join("");
  });
}
