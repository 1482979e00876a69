import { readFileSync } from "node:fs";

export const completionShells = ["bash", "zsh", "fish", "powershell"] as const;
export type CompletionShell = (typeof completionShells)[number];

const extensions = { bash: "bash", zsh: "zsh", fish: "fish", powershell: "ps1" } as const;

/** The build copies `completion/scripts/` beside its own files, so the path holds from `src/cli/` and from `dist/`. */
export const readCompletionScript = (shell: CompletionShell) =>
  readFileSync(new URL(`./completion/scripts/analytics-mcp.${extensions[shell]}`, import.meta.url), "utf8");
