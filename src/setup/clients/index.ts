import type { McpClient } from "../mcp-client.ts";
import { claudeCode } from "./claude-code.ts";
import { claudeDesktop } from "./claude-desktop.ts";
import { cline } from "./cline.ts";
import { codex } from "./codex.ts";
import { continueDev } from "./continue.ts";
import { copilotCli } from "./copilot-cli.ts";
import { cursor } from "./cursor.ts";
import { geminiCli } from "./gemini-cli.ts";
import { goose } from "./goose.ts";
import { jetbrains } from "./jetbrains.ts";
import { kilo } from "./kilo.ts";
import { lmStudio } from "./lm-studio.ts";
import { opencode } from "./opencode.ts";
import { qwenCode } from "./qwen-code.ts";
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
  copilotCli,
  qwenCode,
  windsurf,
  zed,
  jetbrains,
  opencode,
  kilo,
  cline,
  continueDev,
  goose,
  lmStudio,
];
