import { readFileSync } from "node:fs";

export const completionShells = ["bash", "zsh", "fish"] as const;
export type CompletionShell = (typeof completionShells)[number];

/** The build copies `completion/scripts/` beside its own files, so the path holds from `src/cli/` and from `dist/`. */
export const readCompletionScript = (shell: CompletionShell) =>
  readFileSync(new URL(`./completion/scripts/analytics-mcp.${shell}`, import.meta.url), "utf8");
