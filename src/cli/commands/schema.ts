import { Argument } from "commander";
import { quoteForShell } from "../../operations/shell-command.ts";
import { schemaNames } from "../../sources/clickhouse/schema-names.ts";
import { writeData } from "../output/streams.ts";
import { assertNotOption } from "../usage-error.ts";
import { access, type CommandDefinition, ShellCommand } from "./command.ts";

/** `analytics-mcp schema`: prints what `--schema` stands for. Nothing is sent to ClickHouse. */
export const command: CommandDefinition = {
  group: "Set up:",
  summary: "Print how ClickHouse tables of other services are read",
  create: (io) =>
    new ShellCommand("schema")
      .withAccess(access.none)
      .withExamples(
        "analytics-mcp schema plausible",
        "analytics-mcp schema posthog | clickhouse-client --database posthog",
      )
      .description(
        "Print the options that --clickhouse … --schema stands for, except that it also reads events. If a service's table needs a view (PostHog, OpenTelemetry), print the statement that creates it instead: run it in the database of that table.",
      )
      .addArgument(
        new Argument("<schema>", "the service")
          .choices(schemaNames)
          // The lookup refuses other names with a suggestion.
          .argParser(String),
      )
      .action(async (word: string) => {
        assertNotOption(word, "schema");
        const { readSchema } = await import("../../sources/clickhouse/schemas.ts");
        const schema = readSchema(word);
        if (schema === undefined) return;
        const { table, map, where, view } = schema;
        const options = [
          ["--table", table],
          ...map.map((text) => ["--map", text]),
          ...where.map((text) => ["--where", text]),
        ];
        const text = options.map(([flag = "", value = ""]) => `${flag} ${quoteForShell(value)}`).join("\n");
        await writeData(io, view ?? text);
      }),
};
