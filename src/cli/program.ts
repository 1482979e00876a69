import { Command, CommanderError, Option } from "commander";
import type { SourceFlags } from "../sources/source.ts";
import { addAccessOptions } from "./access-options.ts";
import { findCommandWord, refuseUnknownCommand } from "./command-word.ts";
import { type Entry, entries } from "./commands.ts";
import { type ExitCode, exitCodes, Finding } from "./exit-codes.ts";
import { createHelpCommand, layOutHelp } from "./help.ts";
import type { Io } from "./io.ts";
import { flushData, printFailure } from "./output.ts";
import { colorChoices } from "./screen.ts";
import { explainUnknownOption, isUnknownOption } from "./unknown-option.ts";
import { explainUsage } from "./usage-error.ts";

/** Runs the program on its arguments (without node and script) and returns the exit code. */
export async function run(io: Io, argv: readonly string[]): Promise<ExitCode> {
  const format = { json: argv.includes("--json") };
  let command: string | undefined;
  try {
    const program = await createProgram(io, argv);
    if (argv[0] === "complete" && argv[1] === "--") {
      const { printCandidates } = await import("./completion-command.ts");
      await printCandidates(io, program, argv.slice(2));
      return exitCodes.ok;
    }
    command = findCommandWord(program, argv);
    refuseUnknownCommand(program, command);
    await program.parseAsync(argv, { from: "user" });
    await flushData(io);
    return exitCodes.ok;
  } catch (error) {
    if (error instanceof Finding) return error.exitCode;
    if (!(error instanceof CommanderError)) return printFailure(io, error, format);
    if (error.exitCode === 0) return flushData(io).then(() => exitCodes.ok);
    // Where a command asks for another, its help was shown.
    if (error.code === "commander.help") return exitCodes.usage;
    const explain = isUnknownOption(error) ? explainUnknownOption : explainUsage;
    return printFailure(io, explain(error, command), format);
  }
}

/** The program, with those commands whole that the words name. */
async function createProgram(io: Io, words: readonly string[]): Promise<Command> {
  const program = new Command("analytics-mcp")
    .description(
      "Web analytics for AI assistants and the shell. Without a command: the MCP server on stdin and stdout.",
    )
    .usage("[command] [options]")
    .argument("[command]")
    .version(io.version, "-V, --version", "print the version")
    .helpOption("-h, --help", "help on the program or on a command")
    .helpCommand(false)
    .action(async (_, flags: SourceFlags) => (await import("./stdio-command.ts")).serveMcp(io, flags));
  addAccessOptions(program)
    .addOption(
      new Option("--color <when>", "auto, always or never (default: auto)")
        .choices(colorChoices)
        // What is none of them is refused where it is read, with a hint.
        .argParser(String),
    )
    .option("--plain", "no pictures: for screen readers and plain terminals");
  const load = async (entry: Entry) => {
    const command = words.includes(entry.name) ? await entry.load(io) : new Command(entry.name);
    return command.summary(entry.summary).helpGroup(entry.group);
  };
  for (const command of await Promise.all(entries.map(load))) program.addCommand(command);
  program.addCommand(createHelpCommand(io, program).helpGroup("Help:"));
  layOutHelp(io, program);
  return program;
}
