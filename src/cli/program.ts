import { Command, CommanderError, Option } from "commander";
import { findNamedProfile } from "../config/access.ts";
import { type Flags, readCallsPerMinute } from "../config/config.ts";
import { AnalyticsError } from "../errors.ts";
import { questions } from "../insights/question.ts";
import { suggest } from "../render/suggest.ts";
import { addAccessOptions, refuseKeyOnStdin } from "./access-options.ts";
import { createCompletionCommand, printCandidates } from "./completion-command.ts";
import { createConfigCommand } from "./config-command.ts";
import { createConformCommand } from "./conform-command.ts";
import { connect } from "./connect.ts";
import { createDoctorCommand } from "./doctor-command.ts";
import { type ExitCode, exitCodes, Finding } from "./exit-codes.ts";
import { createHelpCommand, layOutHelp } from "./help.ts";
import type { Io } from "./io.ts";
import { createLoginCommand, createLogoutCommand } from "./login-command.ts";
import { flushData, printFailure, printNote } from "./output.ts";
import { createQuestionCommand } from "./question-command.ts";
import { createReferenceCommand } from "./reference-command.ts";
import { colorChoices } from "./screen.ts";
import { createServeCommand } from "./serve-command.ts";
import { createClientsCommand, createGrantsCommand } from "./store-commands.ts";

import { explainUnknownOption, refuseEarlyOption } from "./unknown-option.ts";

import { explainUsage } from "./usage-error.ts";

import { createWhoamiCommand } from "./whoami-command.ts";

/** Runs the program on its arguments (without node and script) and returns the exit code. */
export async function run(io: Io, argv: readonly string[]): Promise<ExitCode> {
  const format = { json: argv.includes("--json") };
  try {
    const program = createProgram(io);
    if (argv[0] === "complete" && argv[1] === "--") {
      await printCandidates(io, program, argv.slice(2));
      return exitCodes.ok;
    }
    refuseEarlyOption(program, argv);
    refuseUnknownCommand(program, argv);
    await program.parseAsync(argv, { from: "user" });
    await flushData(io);
    return exitCodes.ok;
  } catch (error) {
    if (error instanceof Finding) return error.exitCode;
    if (!(error instanceof CommanderError)) return printFailure(io, error, format);
    if (error.exitCode === 0) return flushData(io).then(() => exitCodes.ok);
    // Where a command asks for another, its help was shown.
    if (error.code === "commander.help") return exitCodes.usage;
    const isOption = error.code === "commander.unknownOption";
    return printFailure(io, isOption ? explainUnknownOption(error) : explainUsage(error), format);
  }
}

function createProgram(io: Io): Command {
  const program = new Command("analytics-mcp")
    .description(
      "Web analytics for AI assistants and the shell. Without a command: the MCP server on stdin and stdout.",
    )
    .usage("[command] [options]")
    .argument("[command]")
    .version(io.version, "-V, --version", "print the version")
    .helpOption("-h, --help", "help on the program or on a command")
    .helpCommand(false)
    .action((_, flags: Flags) => serveMcp(io, flags));
  addAccessOptions(program)
    .addOption(
      new Option("--color <when>", "auto, always or never (default: auto)")
        .choices(colorChoices)
        // What is none of them is refused where it is read, with a hint.
        .argParser(String),
    )
    .option("--plain", "no pictures: for screen readers and plain terminals");
  const groups: Record<string, Command[]> = {
    "Ask:": questions.map((question) => createQuestionCommand(io, question)),
    "Set up:": [
      createLoginCommand(io),
      createLogoutCommand(io),
      createWhoamiCommand(io),
      createDoctorCommand(io),
      createConfigCommand(io),
    ],
    "Serve:": [
      createServeCommand(io),
      createGrantsCommand(io),
      createClientsCommand(io),
      createReferenceCommand(io),
      createConformCommand(io),
    ],
    "Help:": [createCompletionCommand(io)],
  };
  for (const [title, commands] of Object.entries(groups)) {
    for (const command of commands) program.addCommand(command.helpGroup(title));
  }
  program.addCommand(createHelpCommand(io, program).helpGroup("Help:"));
  layOutHelp(io, program);
  return program;
}

/** Looked at first, so that a mistyped command does not blame the options that follow it. */
function refuseUnknownCommand(program: Command, argv: readonly string[]): void {
  const taking = program.options.filter((option) => option.required).map((option) => option.long);
  const word = argv.find((each, index) => !each.startsWith("-") && !taking.includes(argv[index - 1] ?? ""));
  const names = program.commands.map((command) => command.name());
  if (word === undefined || names.includes(word)) return;
  throw new AnalyticsError("usage", `There is no command ${JSON.stringify(word)}.`, {
    hint: `${suggest(word, names)}The commands are ${names.join(", ")}. See analytics-mcp --help.`,
  });
}

async function serveMcp(io: Io, flags: Flags): Promise<void> {
  refuseKeyOnStdin(flags);
  if (io.stdin.isTTY) {
    await printNote(io, "analytics-mcp is an MCP server and waits for a client on standard input.");
    await printNote(
      io,
      "In a terminal, try: analytics-mcp stats --demo --site example.com   or: analytics-mcp --help",
    );
  }
  const callsPerMinute = readCallsPerMinute(io.environment);
  const [{ serveStdio }, { createRateLimit }] = await Promise.all([
    import("../mcp/stdio.ts"),
    import("../mcp/rate-limit.ts"),
  ]);
  await serveStdio({
    stdin: io.stdin,
    stdout: io.stdout,
    call: connect(io, flags),
    version: io.version,
    admit: createRateLimit(callsPerMinute, io.clock),
    demo: flags.demo === true,
    profile: findNamedProfile(flags, io.environment),
    onFault: (fault) => void printNote(io, `analytics-mcp: ${fault.message}`),
  });
}
