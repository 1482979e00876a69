import type { Command } from "commander";
import type { AccessFlags } from "../config/access.ts";
import { AnalyticsError } from "../errors.ts";
import { localKinds } from "../sources/local-kinds.ts";

/** What is asked, and with which key: options of every command. */
export function addAccessOptions(program: Command): Command {
  for (const { option } of localKinds) program.option(option.flag, option.description);
  return program
    .option("--base-url <url>", "address of the analytics service (or ANALYTICS_BASE_URL)")
    .option("--profile <profile>", "service and key that login has saved (or ANALYTICS_PROFILE)")
    .option("--api-key-file <file>", "file that holds the API key")
    .option("--api-key-stdin", "read the API key from standard input");
}

/** The MCP server speaks on standard input: a key cannot come that way. */
export function refuseKeyOnStdin(flags: AccessFlags): void {
  if (!flags.apiKeyStdin) return;
  throw new AnalyticsError(
    "usage",
    "The MCP server cannot take a key on standard input: its client speaks there.",
    {
      hint: "Save the key with analytics-mcp login, or give it as ANALYTICS_API_KEY or --api-key-file.",
    },
  );
}
