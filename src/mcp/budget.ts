/** Maximum length of an answer in tokens (o200k): text and structured content together, since some hosts forward both. */
const MAX_TOKENS = 8_000;
/** What one form of an answer may take. */
export const MAX_FORM_TOKENS = MAX_TOKENS / 2;
/** Reserved in both forms for everything but the rows: site, period, totals, receipt. */
const HEAD_TOKENS = 800;
export const ROW_TOKENS = MAX_TOKENS - HEAD_TOKENS;

/**
 * How many of the rows fit into an answer, counted from one end. JSON's member names and numbers are counted as a
 * tokenizer splits them. Text from visitors is counted at its worst, because they may choose it to be costly.
 *
 * @param rows Each in all of its forms.
 */
export function countFitting(rows: readonly (readonly unknown[])[], from: "first" | "last"): number {
  const ordered = from === "first" ? rows : rows.toReversed();
  let left = ROW_TOKENS;
  const tooMany = ordered.findIndex((forms) => {
    left -= forms.reduce<number>((sum, form) => sum + estimateTokens(form) + 1, 0);
    return left < 0;
  });
  return tooMany === -1 ? rows.length : tooMany;
}

/** Estimates the tokens of a value as JSON, at least about as many as an o200k tokenizer counts. */
export function estimateTokens(value: unknown): number {
  if (typeof value === "string") return isDate(value) ? DATE_TOKENS : 2 + estimateText(value);
  if (Array.isArray(value)) return value.reduce<number>((sum, each) => sum + estimateTokens(each) + 0.5, 1);
  if (typeof value !== "object" || value === null) return Math.ceil(String(value).length / 3);
  const members = Object.entries(value);
  return members.reduce(
    (sum, [key, each]) => sum + Math.ceil(key.length / 8) + 1.5 + estimateTokens(each),
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
