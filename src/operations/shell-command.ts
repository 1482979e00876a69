/**
 * Formats the shell command for a query. It is safe to paste: unusual values are quoted for a POSIX shell.
 *
 * @param options Options that choose the source, such as `--demo`, or `--profile` and a name.
 */
export function formatCommand(
  { name: command }: { name: string },
  params: Record<string, unknown>,
  options: readonly string[],
): string {
  const given = Object.entries(params).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).flatMap((each) => [
      `--${flagOf(name)}`,
      ...(each === true ? [] : [quoteForShell(String(each))]),
    ]),
  );
  return ["analytics-mcp", command, ...given, ...options.map(quoteForShell)].join(" ");
}

/** The name of a parameter's option, without dashes. */
export const flagOf = (parameter: string): string => FLAGS.get(parameter) ?? parameter;

const FLAGS: ReadonlyMap<string, string> = new Map([
  ["interval", "by"],
  ["steps", "step"],
]);

/**
 * Quotes a word for POSIX shells, unless all its characters are harmless. PowerShell reads it the same way, except for
 * apostrophes. zsh expands a word that begins with an equals sign.
 */
export function quoteForShell(word: string): string {
  return /^(?!=)[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
