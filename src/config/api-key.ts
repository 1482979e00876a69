import { AnalyticsError } from "../errors.ts";
import { SAVE_INSTEAD } from "./variables.ts";

/** What manuals, templates and chat answers write instead of a key. Each pattern takes linear time. */
const PLACEHOLDERS = [
  /^[<[({].*[>\])}]$/,
  /^\$[a-z_]\w*$|^\$\(.*\)$|^%\w+%$/i,
  /\.{3}|…|\*{3}|•{2}/,
  /^([a-z0-9]{1,8}[-_])*x{3,}$/i,
  /^(your|my|insert|enter|paste|put|add|replace)[a-z_ -]*(key|token|secret)([-_ ]?here)?$/i,
  /^[a-z_-]*api[-_ ]?key([-_ ]?here)?$/i,
  /^(change|replace)[-_ ]?me$|^(todo|tbd|none|null|undefined|redacted|placeholder|key|token|secret)$/i,
];

/** What a header can carry. */
export const HEADER_VALUE = /^[\x21-\x7e]+$/;

export function isPlaceholder(text: string): boolean {
  const trimmed = text.trim().slice(0, 200);
  return PLACEHOLDERS.some((pattern) => pattern.test(trimmed));
}

/**
 * Trims and checks the key that `source` gives. Throws AnalyticsError `no_api_key` if it is empty and
 * `invalid_api_key` if it cannot be a key; no message repeats it.
 *
 * @param where Where a service with an API of its own keeps people's keys.
 */
export function readApiKey(given: string, source: string, where?: string): string {
  const apiKey = given.trim();
  const create =
    where === undefined
      ? "Create a key in your analytics dashboard under API keys"
      : `Find it here: ${where}`;
  if (apiKey === "") {
    throw new AnalyticsError("no_api_key", `${source} contains no API key.`, {
      hint: `${create}.`,
    });
  }
  if (isPlaceholder(apiKey)) {
    const forEntry = source === "ANALYTICS_API_KEY" ? ` Or ${SAVE_INSTEAD}.` : "";
    throw new AnalyticsError(
      "invalid_api_key",
      `${source} contains a placeholder, not a key; nothing was sent.`,
      { hint: where === undefined ? `${create}, and use it instead.${forEntry}` : `${create}.` },
    );
  }
  if (!HEADER_VALUE.test(apiKey) || /^["'].*["']$/.test(apiKey)) {
    throw new AnalyticsError("invalid_api_key", `${source} contains characters that no key has.`, {
      hint: "Copy only the key: no quotation marks, no spaces, no word Bearer.",
    });
  }
  return apiKey;
}

const MIN_LENGTH_TO_SHOW = 20;

/** Shows which key it is without giving it away: four characters of a short key would be too many. */
export const describeKey = (apiKey: string): string =>
  apiKey.length < MIN_LENGTH_TO_SHOW ? "too short to show any of it" : `ends in ${apiKey.slice(-4)}`;
