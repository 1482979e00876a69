/**
 * Text in which a service, or what stands before it, repeats the key, without it: in any case, as in the name of a
 * host, and as encoders of JSON escape what is neither letter nor digit.
 */
export function hideKey(text: string, apiKey: string): string {
  const characters = apiKey.replace(/[^a-z0-9]/gi, (character) => {
    const code = character.charCodeAt(0).toString(16).padStart(4, "0");
    return `(?:\\\\?\\x${code.slice(2)}|\\\\u${code})`;
  });
  return text.replace(new RegExp(characters, "gi"), "[key]");
}
