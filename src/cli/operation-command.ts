import { Command, Option } from "commander";
import { callForSite } from "../client/site.ts";
import type { Flags } from "../config/config.ts";
import type { AnyOperation } from "../operations/index.ts";
import { parameterSchemas } from "../operations/json-schema.ts";
import type { Operation } from "../operations/operation.ts";
import { readParams } from "../operations/parameters.ts";
import { connect } from "./connect.ts";
import type { Io } from "./io.ts";
import { type Format, printResult } from "./output.ts";

/** The shell subcommand of an operation: its parameters become options, its view the output. */
export function createOperationCommand(io: Io, operation: AnyOperation): Command {
  const command = new Command(operation.name).summary(operation.summary).description(operation.summary);
  for (const [name, schema] of parameterSchemas(operation.params)) {
    const metavar = schema.type === "integer" ? "number" : name;
    const fallback = schema.default === undefined ? "" : ` (default: ${schema.default})`;
    const choices = schema.enum ? ` One of: ${schema.enum.join(", ")}.` : "";
    command.addOption(
      new Option(`--${name} <${metavar}>`, `${schema.description ?? ""}${choices}${fallback}`)
        // Every value is kept, so that a repeated option is refused like a repeated parameter.
        .argParser((value: string, earlier: string[] = []) => [...earlier, value]),
    );
  }
  command.option("--json", "print the service's answer as JSON");
  command.action(async (_, self: Command) => {
    const flags = self.optsWithGlobals<Flags & Format & Record<string, unknown>>();
    const call = connect(io, flags);
    const { params, result } = await callForSite<Operation>(call, operation, readInput(operation, flags), {});
    await printResult<Operation>(io, operation, params, result, flags);
  });
  return command;
}

function readInput(operation: AnyOperation, flags: Record<string, unknown>): Record<string, unknown> {
  const names = [...parameterSchemas(operation.params).keys()];
  const given = new Map(
    names.flatMap((name) => (flags[name] === undefined ? [] : [[name, flags[name] as string[]]])),
  );
  // A site that is left out may still be found: it is looked for when everything else is in order.
  const isMissing = names.includes("site") && !given.has("site");
  if (!isMissing) return readParams(operation.params, given);
  const { site: _, ...rest } = readParams(operation.params, new Map(given).set("site", ["any"]));
  return rest;
}
