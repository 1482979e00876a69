import { type Command, Option } from "commander";
import type { AccessFlags } from "../config/access.ts";
import { serviceNames } from "../config/services.ts";
import { AnalyticsError } from "../errors.ts";
import { localKinds, optionsOf } from "../sources/local-kinds.ts";

/** Adds the options that choose source, service and key. */
export function addAccessOptions(program: Command): Command {
  for (const kind of localKinds) {
    for (const sourceOption of optionsOf(kind)) {
      // Two kinds of sources can share an option.
      if (program.options.some(({ long }) => long === sourceOption.flag)) continue;
      const option = new Option(
        sourceOption.value ? `${sourceOption.flag} ${sourceOption.value}` : sourceOption.flag,
        sourceOption.description,
      );
      if (sourceOption.choices) option.choices(sourceOption.choices);
      if (sourceOption.isRepeatable)
        option.argParser((value: string, earlier: string[] = []) => [...earlier, value]);
      program.addOption(sourceOption === kind.option ? option : option.hideHelp());
    }
  }
  return program
    .option("--base-url <url>", "address of the analytics service (or ANALYTICS_BASE_URL)")
    .addOption(
      new Option(
        "--service <name>",
        "matomo, umami or plausible: asked by its own API (or ANALYTICS_SERVICE)",
      )
        .choices(serviceNames)
        // Another name is refused with the other settings, which may also come from the environment.
        .argParser(String),
    )
    .option(
      "--mapping <file>",
      "where a service of your own has its fields (or ANALYTICS_MAPPING; see mapping)",
    )
    .option("--profile <profile>", "saved service and key (or ANALYTICS_PROFILE)")
    .option("--api-key-file <file>", "file that holds the API key")
    .option("--api-key-stdin", "read the API key from standard input");
}

/** The MCP server reads requests from standard input, so a key cannot come that way. */
export function assertNoKeyOnStdin(flags: AccessFlags): void {
  if (!flags.apiKeyStdin) return;
  throw new AnalyticsError(
    "usage",
    "The MCP server cannot read a key from standard input, where its client sends requests.",
    {
      hint: "Save the key with analytics-mcp login, or give it as ANALYTICS_API_KEY or --api-key-file.",
    },
  );
}
