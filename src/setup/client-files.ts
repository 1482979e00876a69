/** A settings file in which an MCP client lists its servers. */
export interface ClientFile {
  client: string;
  /**
   * `~` is the home folder; `{apps}` is where the system keeps applications' settings (%APPDATA%, ~/Library/Application
   * Support, ~/.config); `{config}` is $XDG_CONFIG_HOME or ~/.config. What starts with neither is the project's.
   */
  path: string;
  format: "json" | "toml";
  /** Whether the client fills in `${NAME}` and the like. */
  expands: boolean;
}

export const clientFiles: readonly ClientFile[] = [
  {
    client: "Claude Desktop",
    path: "{apps}/Claude/claude_desktop_config.json",
    format: "json",
    expands: false,
  },
  { client: "Claude Code", path: "~/.claude.json", format: "json", expands: true },
  { client: "Claude Code", path: ".mcp.json", format: "json", expands: true },
  { client: "Cursor", path: "~/.cursor/mcp.json", format: "json", expands: true },
  { client: "Cursor", path: ".cursor/mcp.json", format: "json", expands: true },
  { client: "VS Code", path: "{apps}/Code/User/mcp.json", format: "json", expands: true },
  { client: "VS Code", path: ".vscode/mcp.json", format: "json", expands: true },
  { client: "Codex", path: "~/.codex/config.toml", format: "toml", expands: false },
  { client: "Windsurf", path: "~/.codeium/windsurf/mcp_config.json", format: "json", expands: true },
  { client: "Gemini CLI", path: "~/.gemini/settings.json", format: "json", expands: true },
  { client: "Zed", path: "{config}/zed/settings.json", format: "json", expands: false },
  { client: "opencode", path: "{config}/opencode/opencode.json", format: "json", expands: true },
];
