import { Command, CommanderError } from "commander";
import { type Flags, readCallsPerMinute } from "../config/config.ts";
import { environment } from "../documents/environment.ts";
import { AnalyticsError } from "../errors.ts";
import { questions } from "../insights/question.ts";
import { createConformCommand } from "./conform-command.ts";
import { connect } from "./connect.ts";
import { type ExitCode, exitCodes, Finding } from "./exit-codes.ts";
import type { Io } from "./io.ts";
import { printFailure, printNote } from "./output.ts";
import { createQuestionCommand } from "./question-command.ts";
import { createReferenceCommand } from "./reference-command.ts";
import { createServeCommand } from "./serve-command.ts";
import { createClientsCommand, createGrantsCommand } from "./store-commands.ts";

/** Runs the program on its arguments (without node and script) and returns the exit code. */
export async function run(io: Io, argv: readonly string[]): Promise<ExitCode> {
  const program = createProgram(io);
  try {
    refuseUnknownCommand(program, argv);
    await program.parseAsync(argv, { from: "user" });
    return exitCodes.ok;
  } catch (error) {
    if (error instanceof Finding) return error.exitCode;
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
    return printFailure(io, error, { json: argv.includes("--json") });
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
    .option("--demo", "made-up data from this program itself: no key, no service")
    .option("--base-url <url>", "address of the analytics service (or ANALYTICS_BASE_URL)")
    .addHelpText("after", buildHelp())
    .helpCommand("help [command]", "display help for a command")
    .action((_, flags: Flags) => serveMcp(io, flags));
  for (const question of questions) program.addCommand(createQuestionCommand(io, question));
  program.addCommand(createServeCommand(io));
  program.addCommand(createGrantsCommand(io));
  program.addCommand(createClientsCommand(io));
  program.addCommand(createReferenceCommand(io));
  program.addCommand(createConformCommand(io));
  for (const command of [
    program,
    ...program.commands,
    ...program.commands.flatMap((each) => each.commands),
  ]) {
    command
      .exitOverride()
      .configureHelp({ showGlobalOptions: true })
      .configureOutput({
        writeOut: (text) => io.stdout.write(text),
        writeErr: (text) => io.stderr.write(text),
      });
  }
  return program;
}

/** Looked at first, so that a mistyped command does not blame the options that follow it. */
function refuseUnknownCommand(program: Command, argv: readonly string[]): void {
  const word = argv.find((each, index) => !each.startsWith("-") && argv[index - 1] !== "--base-url");
  const names = program.commands.map((command) => command.name());
  if (word === undefined || word === "help" || names.includes(word)) return;
  throw new AnalyticsError("usage", `There is no command ${JSON.stringify(word)}.`, {
    hint: `The commands are ${names.join(", ")}. See analytics-mcp --help.`,
  });
}

async function serveMcp(io: Io, flags: Flags): Promise<void> {
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
    onFault: (fault) => void printNote(io, `analytics-mcp: ${fault.message}`),
  });
}

function buildHelp(): string {
  const width = Math.max(...Object.keys(environment).map((name) => name.length));
  return `
Examples:
  analytics-mcp stats --demo --site example.com --days 7
  analytics-mcp breakdown --site example.com --dimension referrers --days 7
  analytics-mcp timeseries --site example.com --days 30 --json

Environment:
${Object.entries(environment)
  .map(([name, help]) => `  ${name.padEnd(width)}  ${help}`)
  .join("\n")}

Exit codes: 0 ok, 1 failure, 2 usage, 4 key, 5 network, 6 no such site`;
}
