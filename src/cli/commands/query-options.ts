import { Option } from "commander";
import { type JsonSchema, parameterSchemas } from "../../operations/json-schema.ts";
import type { Query } from "../../reports/queries.ts";
import { MAX_WINDOW_DAYS } from "../../reports/windows.ts";
import type { ShellCommand } from "./command.ts";
import { takesPeriod, takesSite } from "./query-input.ts";

/** Adds a query's parameters to its command: the site as a word, too, and a period as two dates, too. */
export function addQueryOptions(command: ShellCommand, query: Query): void {
  if (takesSite(query)) command.usage("[site] [options]").argument("[site]");
  for (const [parameter, schema] of parameterSchemas(query.params)) {
    const metavar = schema.type === "integer" ? "number" : parameter;
    const choices = schema.enum ? ` One of: ${schema.enum.join(", ")}.` : "";
    const option = new Option(
      `--${parameter} <${metavar}>`,
      `${schema.description ?? ""}${choices}${describeRange(schema)}`,
    );
    if (schema.enum) option.choices(schema.enum.map(String));
    // Keeps all values, so that a repeated option is refused like a repeated parameter.
    command.addOption(option.argParser((value: string, earlier: string[] = []) => [...earlier, value]));
  }
  if (takesPeriod(query)) {
    command.option("--from <date>", "first day, instead of --period; until --to, or today");
    command.option("--to <date>", "last day, included");
  }
}

function describeRange({ type, minimum, maximum, default: fallback }: JsonSchema): string {
  const why = maximum === MAX_WINDOW_DAYS ? ", since it compares with as many days before" : "";
  const parts = [
    ...(type === "integer" ? [`${minimum} to ${maximum}${why}`] : []),
    ...(fallback === undefined ? [] : [`default: ${fallback}`]),
  ];
  return parts.length === 0 ? "" : ` (${parts.join("; ")})`;
}
