import type { Command } from "commander";
import type { Flags } from "../config/config.ts";
import { AnalyticsError } from "../errors.ts";

/** Which service is asked, and with which key: options of every command. */
export function addAccessOptions(program: Command): Command {
  return program
    .option("--demo", "made-up data from this program itself: no key, no service")
    .option("--base-url <url>", "address of the analytics service (or ANALYTICS_BASE_URL)")
    .option("--profile <profile>", "service and key that login has saved (or ANALYTICS_PROFILE)")
    .option("--api-key-file <file>", "file that holds the API key")
    .option("--api-key-stdin", "read the API key from standard input");
}

const EXCLUDED: [keyof Flags, string][] = [
  ["baseUrl", "--base-url"],
  ["profile", "--profile"],
  ["apiKeyFile", "--api-key-file"],
  ["apiKeyStdin", "--api-key-stdin"],
];

/** Throws AnalyticsError `usage` where the demo is asked for with a service or a key. */
export function refuseDemoWithService(flags: Flags): void {
  if (!flags.demo) return;
  const other = EXCLUDED.find(([name]) => flags[name] !== undefined);
  if (other === undefined) return;
  throw new AnalyticsError("usage", `--demo and ${other[1]} exclude each other.`, {
    hint: "--demo answers from made-up data in this program; leave it out to ask your service.",
  });
}

/** The MCP server speaks on standard input: a key cannot come that way. */
export function refuseKeyOnStdin(flags: Flags): void {
  if (!flags.apiKeyStdin) return;
  throw new AnalyticsError(
    "usage",
    "The MCP server cannot take a key on standard input: its client speaks there.",
    {
      hint: "Save the key with analytics-mcp login, or give it as ANALYTICS_API_KEY or --api-key-file.",
    },
  );
}
