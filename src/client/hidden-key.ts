/**
 * Replaces the key wherever a service, or a proxy in front of it, repeats it. Finds it in any letter case, as in a host
 * name, and with the escapes that JSON encoders use for punctuation. Without a key, there is nothing to replace. One that is too short
 * to be a key is only replaced where it stands alone, not inside other words.
 */
export function hideKey(text: string, apiKey: string): string {
  if (apiKey === "") return text;
  const characters = apiKey.replace(/[^a-z0-9]/gi, (character) => {
    const code = character.charCodeAt(0).toString(16).padStart(4, "0");
    return `(?:\\\\?\\u${code}|\\\\u${code})`;
  });
  const pattern = apiKey.length < MIN_KEY_LENGTH ? `(?<![a-z0-9])${characters}(?![a-z0-9])` : characters;
  return text.replace(new RegExp(pattern, "gi"), "[key]");
}

/** No service has shorter keys or passwords. */
const MIN_KEY_LENGTH = 8;
