const HIDDEN = "[hidden]";

/** Names of facts whose value could only be a secret. */
const SECRET_NAMES = /(key|token|code|verifier|secret|password|cookie|csrf|authorization)$/i;
const SECRET_PATTERNS: [RegExp, string][] = [
  [/\b(Bearer|Basic)\s+[^\s"',]+/gi, `$1 ${HIDDEN}`],
  [/\bamcp_[\w-]+/g, HIDDEN],
  [/\?[^\s"']+/g, `?${HIDDEN}`],
  [
    /([\w-]*(?:key|token|code|verifier|secret|password|cookie|csrf)["']?\s*[=:]\s*["']?)[^\s"'&;,]+/gi,
    `$1${HIDDEN}`,
  ],
];

/**
 * A last guard for the log, in case a secret ever gets into its facts. Secrets are recognized by their name or by the
 * text before them, not by their look, because ids of grants look like tokens.
 */
export function hideSecrets(facts: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(facts).map(([name, value]) => {
      if (typeof value !== "string") return [name, value];
      return [name, SECRET_NAMES.test(name) ? HIDDEN : hideWithin(value)];
    }),
  );
}

function hideWithin(text: string): string {
  return SECRET_PATTERNS.reduce((hidden, [pattern, instead]) => hidden.replace(pattern, instead), text);
}
