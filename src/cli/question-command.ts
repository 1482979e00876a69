import { Command, Option } from "commander";
import type { Flags } from "../config/config.ts";
import type { Question } from "../insights/question.ts";
import { parameterSchemas } from "../operations/json-schema.ts";
import { readParams } from "../operations/parameters.ts";
import { connect } from "./connect.ts";
import type { Io } from "./io.ts";
import { type Format, printAnswer } from "./output.ts";

/** The shell subcommand of a question: its parameters become options, its views the output. */
export function createQuestionCommand(io: Io, question: Question): Command {
  const command = new Command(question.name).summary(question.summary).description(question.summary);
  for (const [name, schema] of parameterSchemas(question.params)) {
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
    const answer = await question.ask(connect(io, flags), readInput(question, flags), {});
    await printAnswer(io, answer, flags);
  });
  return command;
}

function readInput(question: Question, flags: Record<string, unknown>): Record<string, unknown> {
  const names = [...parameterSchemas(question.params).keys()];
  const given = new Map(
    names.flatMap((name) => (flags[name] === undefined ? [] : [[name, flags[name] as string[]]])),
  );
  // A site that is left out may still be found: it is looked for when everything else is in order.
  const isMissing = names.includes("site") && !given.has("site");
  if (!isMissing) return readParams(question.params, given);
  const { site: _, ...rest } = readParams(question.params, new Map(given).set("site", ["any"]));
  return rest;
}
