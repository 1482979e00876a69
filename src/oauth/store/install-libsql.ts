import { existsSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import { quoteForShell } from "../../operations/shell-command.ts";

/**
 * The command after which this program finds libsql, by where it is installed: by npx, in a project, or with `npm install --global`.
 *
 * @param file A file of this program.
 */
export function adviseOnLibsql(file: string): string {
  const at = file.lastIndexOf(`${sep}node_modules${sep}analytics-mcp${sep}`);
  const folder = file.slice(0, Math.max(0, at));
  if (/[\\/]_npx[\\/][^\\/]+$/.test(folder))
    return "run npx -p libsql -p analytics-mcp analytics-mcp serve …";
  if (at > 0 && existsSync(join(folder, "package.json")))
    return `run npm install --prefix ${quoteForShell(folder)} libsql`;
  // npm's global packages are in <prefix>/lib, and its prefix may be another one now.
  return folder.endsWith(`${sep}lib`)
    ? `run npm install --global --prefix ${quoteForShell(dirname(folder))} libsql`
    : "run npm install --global analytics-mcp libsql";
}
