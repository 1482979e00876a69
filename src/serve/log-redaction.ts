import type { Facts } from "./connector-log.ts";

const HIDDEN = "[hidden]";

/** Names under which nothing but a secret would stand. */
const NAMES = /(key|token|code|verifier|secret|password|cookie|csrf|authorization)$/i;
const PATTERNS: [RegExp, string][] = [
  [/\b(Bearer|Basic)\s+[^\s"',]+/gi, `$1 ${HIDDEN}`],
  [/\?[^\s"']+/g, `?${HIDDEN}`],
  [
    /([\w-]*(?:key|token|code|verifier|secret|password|cookie|csrf)["']?\s*[=:]\s*["']?)[^\s"'&;,]+/gi,
    `$1${HIDDEN}`,
  ],
];

/**
 * The last guard of the log, should a secret ever get into its facts: they are not given any. Ids of grants look as
 * tokens do, so that what is hidden is told by its name and by what stands before it, not by its look.
 */
export function hideSecrets(facts: Facts): Facts {
  return Object.fromEntries(
    Object.entries(facts).map(([name, value]) => {
      if (typeof value !== "string") return [name, value];
      return [name, NAMES.test(name) ? HIDDEN : hideWithin(value)];
    }),
  );
}

function hideWithin(text: string): string {
  return PATTERNS.reduce((hidden, [pattern, instead]) => hidden.replace(pattern, instead), text);
}
