/** Maximum length of an answer in tokens (o200k): text and structured content together, since some hosts forward both. */
const MAX_TOKENS = 8_000;
/** Maximum for one of the two forms. */
export const MAX_FORM_TOKENS = MAX_TOKENS / 2;
/** Reserved in both forms for everything but the rows: site, period, totals, receipt. */
const HEAD_TOKENS = 800;
export const MAX_ROW_TOKENS = MAX_TOKENS - HEAD_TOKENS;

/**
 * Counts how many rows fit into an answer, from one end. JSON's member names and numbers are counted as a tokenizer
 * splits them. Text from visitors is counted at its highest cost, because they may choose text that is expensive.
 *
 * @param rows Each row in all of its forms.
 */
export function countFitting(rows: readonly (readonly unknown[])[], from: "first" | "last"): number {
  const ordered = from === "first" ? rows : rows.toReversed();
  let left = MAX_ROW_TOKENS;
  const tooMany = ordered.findIndex((forms) => {
    left -= forms.reduce<number>((sum, form) => sum + estimateTokens(form) + 1, 0);
    return left < 0;
  });
  return tooMany === -1 ? rows.length : tooMany;
}

/** Estimates the tokens of a value as JSON: about what an o200k tokenizer counts, or more. */
export function estimateTokens(value: unknown): number {
  if (typeof value === "string") return isDate(value) ? DATE_TOKENS : 2 + estimateText(value);
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + estimateTokens(item) + 0.5, 1);
  if (typeof value !== "object" || value === null) return Math.ceil(String(value).length / 3);
  const members = Object.entries(value);
  return members.reduce(
    (sum, [key, member]) => sum + Math.ceil(key.length / 8) + 1.5 + estimateTokens(member),
    1,
  );
}

const DATE_TOKENS = 6.5;
const isDate = (text: string) => /^\d{4}-\d\d-\d\d$/.test(text);

function estimateText(text: string): number {
  let tokens = 0;
  for (const character of text) tokens += estimateCharacter(character.codePointAt(0) ?? 0);
  return tokens;
}

/** Common scripts are in the tokenizer's vocabulary; in the others, each UTF-8 byte may be a token. */
function estimateCharacter(code: number): number {
  if (code < 0x80) return 0.75;
  if (code < 0x800 || (code >= 0x3040 && code < 0x3100) || (code >= 0x4e00 && code < 0xd7b0)) return 1.5;
  return code < 0x10000 ? 3 : 4;
}
