import type { McpClient } from "../mcp-client.ts";
import { claudeCode } from "./claude-code.ts";
import { claudeDesktop } from "./claude-desktop.ts";
import { codex } from "./codex.ts";
import { cursor } from "./cursor.ts";
import { geminiCli } from "./gemini-cli.ts";
import { goose } from "./goose.ts";
import { jetbrains } from "./jetbrains.ts";
import { lmStudio } from "./lm-studio.ts";
import { opencode } from "./opencode.ts";
import { vsCode } from "./vs-code.ts";
import { windsurf } from "./windsurf.ts";
import { zed } from "./zed.ts";

/** In the order in which `config` lists them. */
export const clients: readonly McpClient[] = [
  claudeCode,
  claudeDesktop,
  cursor,
  vsCode,
  codex,
  geminiCli,
  windsurf,
  zed,
  jetbrains,
  opencode,
  goose,
  lmStudio,
];
