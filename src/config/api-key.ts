import { AnalyticsError } from "../errors.ts";

/** What manuals, templates and chat answers write where a key should stand. Each takes linear time. */
const PLACEHOLDERS = [
  /^[<[({].*[>\])}]$/,
  /^\$[a-z_]\w*$|^\$\(.*\)$|^%\w+%$/i,
  /\.{3}|…|\*{3}|•{2}/,
  /^([a-z0-9]{1,8}[-_])*x{3,}$/i,
  /^(your|my|insert|enter|paste|put|add|replace)[a-z_ -]*(key|token|secret)([-_ ]?here)?$/i,
  /^[a-z_-]*api[-_ ]?key([-_ ]?here)?$/i,
  /^(change|replace)[-_ ]?me$|^(todo|tbd|none|null|undefined|redacted|placeholder|key|token|secret)$/i,
];

export function isPlaceholder(text: string): boolean {
  const trimmed = text.trim().slice(0, 200);
  return PLACEHOLDERS.some((each) => each.test(trimmed));
}

/**
 * A key as it was given in `source`, trimmed. Throws AnalyticsError `no_api_key` where nothing was, and
 * `invalid_api_key` for what cannot be one; no message repeats it.
 */
export function readApiKey(given: string, source: string): string {
  const apiKey = given.trim();
  if (apiKey === "") {
    throw new AnalyticsError("no_api_key", `${source} gives an empty API key.`, {
      hint: "Keys are made in your analytics dashboard under API keys.",
    });
  }
  if (isPlaceholder(apiKey)) {
    throw new AnalyticsError(
      "invalid_api_key",
      `${source} holds a placeholder in place of a key; nothing was sent.`,
      { hint: "Make a key in your analytics dashboard under API keys, and put that there." },
    );
  }
  if (/[^\x21-\x7e]|^["'].*["']$/.test(apiKey)) {
    throw new AnalyticsError("invalid_api_key", `${source} holds characters that no key has.`, {
      hint: "Copy the key again, alone: without quotation marks, spaces and the word Bearer.",
    });
  }
  return apiKey;
}

const LONG_ENOUGH = 20;

/** Tells a person which key it is without giving it away: of a short one, four characters would be too much. */
export function describeKey(apiKey: string): string {
  return apiKey.length < LONG_ENOUGH ? "too short to show any of it" : `ends in ${apiKey.slice(-4)}`;
}
