import picomatch from "picomatch";
import { limitText } from "./limits.ts";

/** In bytes, most of them percent-encoded: longer paths are cut. */
const MAX_PATH_LENGTH = 1_500;

/** The path of a page as it is counted: decoded, and without what may be a secret. */
export function cleanPath(path: string): string {
  return limitText(hideTokens(decodePath(path.slice(0, MAX_PATH_LENGTH))));
}

/** Control characters, spaces without width and marks of direction: outputs leave them out, so they stay encoded. */
const LOST = /[\p{Cc}\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]/gu;

function decodePath(path: string): string {
  if (!path.includes("%")) return path;
  try {
    return decodeURI(path).replace(LOST, encodeURIComponent);
  } catch {
    // Not UTF-8: stays as it is.
    return path;
  }
}

/** Replaces each part of a path that looks like a key, a token or an id by `:token`. */
function hideTokens(path: string): string {
  if (!MAYBE_TOKEN.test(path)) return path;
  return path.replaceAll(/[^/]{24,}/g, (segment) => (segment.split(".").some(isToken) ? ":token" : segment));
}

/** What every path with a token has. Few others have it, and the rest takes ten times as long. */
const MAYBE_TOKEN = /[\dA-Fa-f-]{24}|[A-Z]/;

/** 24 or more hexadecimal digits, as in a UUID, or base64 text that does not consist of words. */
function isToken(text: string): boolean {
  if (text.length < 24) return false;
  if (/^[\da-f-]+$/i.test(text) && text.replaceAll("-", "").length >= 24) return true;
  if (!/[A-Z]/.test(text) || !/^[\w+~=-]+$/.test(text)) return false;
  // Words in a path are short, in one case, and separated.
  return text
    .split(/[-_+~=]/)
    .some((run) => run.length >= 16 && /\d/.test(run) && /[a-z]/.test(run) && /[A-Z]/.test(run));
}

/** Creates a test for paths that match one of the globs, such as `/admin/**`. */
export function createPathFilter(globs: readonly string[]): (path: string) => boolean {
  if (globs.length === 0) return () => false;
  const isMatch = picomatch([...globs], { dot: true });
  return (path) => isMatch(decodePath(path.slice(0, MAX_PATH_LENGTH)));
}

/** The same for pages as they are counted: decoded, perhaps with a part of the query. Undefined without globs. */
export function createPageFilter(globs: readonly string[]): ((page: string) => boolean) | undefined {
  if (globs.length === 0) return undefined;
  const isMatch = picomatch([...globs], { dot: true });
  return (page) => isMatch(page.split("?", 1)[0] ?? "");
}
