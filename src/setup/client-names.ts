/** The clients that `config` knows, by the names that it has for them. */
export const clientNames = [
  ...(["claude-code", "claude-desktop", "cursor", "vs-code", "codex", "gemini-cli"] as const),
  ...(["windsurf", "zed", "jetbrains", "opencode", "goose", "lm-studio"] as const),
];

export type ClientName = (typeof clientNames)[number];
