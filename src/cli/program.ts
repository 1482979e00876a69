import { statSync } from "node:fs";
import { dirname } from "node:path";
import { Command, CommanderError, Option } from "commander";
import { AnalyticsError, quoteWord } from "../errors.ts";
import { findDimension } from "../operations/dimension-names.ts";
import type { SourceFlags } from "../sources/source-types.ts";
import { addAccessOptions } from "./access-options.ts";
import { checkCommandWord } from "./command-word.ts";
import { ShellCommand } from "./commands/command.ts";
import { commandList } from "./commands/command-list.ts";
import { loadCommand } from "./commands/index.ts";
import { createSiteOption } from "./commands/site-option.ts";
import { type ExitCode, exitCodes, SilentExit } from "./exit-codes.ts";
import { createHelpCommand, layOutHelp } from "./help/layout.ts";
import type { Io } from "./io.ts";
import { readFailureFormat } from "./output/output-format.ts";
import { flushData, printFailure } from "./output/streams.ts";
import { colorChoices } from "./output/terminal.ts";

/** Runs the program on its arguments (without node and script) and returns the exit code. */
export async function run(io: Io, given: readonly string[]): Promise<ExitCode> {
  const argv = expandDimension(given);
  const format = readFailureFormat(argv);
  let command: string | undefined;
  let program: Command | undefined;
  try {
    program = await createProgram(io, argv);
    if (argv[0] === "complete" && argv[1] === "--") {
      const { printCandidates } = await import("./completion/print-candidates.ts");
      await printCandidates(io, program, argv.slice(2));
      return exitCodes.ok;
    }
    assertQuotedPattern(argv);
    command = await checkCommandWord(program, argv, (name) => loadCommand(io, name));
    await program.parseAsync(argv, { from: "user" });
    await flushData(io);
    return exitCodes.ok;
  } catch (error) {
    if (error instanceof SilentExit) return error.exitCode;
    if (!(error instanceof CommanderError)) return printFailure(io, await addProposals(io, error), format);
    if (error.exitCode === 0) return flushData(io).then(() => exitCodes.ok);
    // A command without its subcommand has printed its help.
    if (error.code === "commander.help") return exitCodes.usage;
    const asked = program?.commands.find((each) => each.name() === command);
    const sub = asked?.commands.find((each) => argv.includes(each.name()));
    const known = [sub, asked, program].flatMap((each) => each?.options ?? []);
    const { explainMistake } = await import("./mistake.ts");
    return printFailure(io, explainMistake(error, argv, command, known), format);
  }
}

/** Somebody without a key may have logs. */
async function addProposals(io: Io, error: unknown): Promise<unknown> {
  if (!(error instanceof AnalyticsError) || error.code !== "no_api_key") return error;
  const { addFoundLogs } = await import("./no-key.ts");
  return addFoundLogs(error, await io.findLogs());
}

/** `analytics-mcp pages` is what people type for the breakdown by pages. */
function expandDimension(argv: readonly string[]): readonly string[] {
  const [word = "", ...rest] = argv;
  const dimension = findDimension(word);
  return dimension === undefined ? argv : ["breakdown", "--dimension", dimension, ...rest];
}

/**
 * Refuses `--logs access.log*` without quotes, which the shell has expanded: the second file would be taken for the site,
 * and only the first one would be counted. Throws AnalyticsError `usage`.
 */
function assertQuotedPattern(words: readonly string[]): void {
  const at = words.indexOf("--logs");
  const [first, second] = at < 0 ? [] : words.slice(at + 1);
  if (first === undefined || second === undefined || second.startsWith("-")) return;
  const isPath = second.includes("/") || dirname(first) === dirname(second);
  if (!isPath || !isFile(first) || !isFile(second)) return;
  throw new AnalyticsError("usage", `--logs takes one pattern, but ${quoteWord(second)} follows it.`, {
    hint: "Quote the pattern, so that the shell does not expand it: --logs '/var/log/nginx/access.log*'. For several patterns, repeat --logs.",
  });
}

const isFile = (path: string) => statSync(path, { throwIfNoEntry: false })?.isFile() === true;

interface ProgramFlags extends SourceFlags {
  stdio?: boolean | undefined;
}

const examples = [
  "analytics-mcp overview --demo",
  "analytics-mcp stats example.com --days 7",
  "analytics-mcp timeseries example.com --days 30 --csv > visitors.csv",
];

/** Creates the program. Only commands whose names occur in the words are loaded; the others are names for the help. */
export async function createProgram(io: Io, words: readonly string[]): Promise<Command> {
  const program = new ShellCommand("analytics-mcp")
    .withExamples(...examples)
    .withLine(words)
    .description(
      "Web analytics for AI assistants and the shell. Without a command: the MCP server or, at a terminal, the overview of your default site.",
    )
    .usage("[command] [options]")
    .argument("[command]")
    .version(io.version, "-v, --version", "print the version")
    .addOption(new Option("-V", "as -v").hideHelp())
    .option("--stdio", "run the MCP server even if standard input is a terminal")
    .helpOption("-h, --help", "show help on the program or a command")
    .helpCommand(false)
    .action(async (_, flags: ProgramFlags) => {
      if (flags.stdio || !io.stdin.isTTY) {
        return (await import("./commands/stdio-server.ts")).serveMcp(io, flags);
      }
      return (await import("./commands/welcome.ts")).welcome(io, program, flags);
    });
  program.on("option:V", () => {
    io.stdout.write(`${io.version}\n`);
    throw new CommanderError(0, "commander.version", io.version);
  });
  addAccessOptions(program)
    .addOption(
      new Option("--color <when>", "when to use colours: auto, always or never (default: auto)")
        .choices(colorChoices)
        // Other values are refused when the option is read, with a hint.
        .argParser(String),
    )
    .option("--plain", "no bars or charts, for screen readers and plain terminals");
  if (!commandList.some(({ name }) => words.includes(name))) {
    // Commands have a --site of their own, which this one would take from them.
    program.addOption(createSiteOption().hideHelp());
  }
  for (const { name, group, summary } of commandList) {
    const command = words.includes(name) ? await loadCommand(io, name) : new Command(name);
    program.addCommand(command.summary(summary).helpGroup(group));
  }
  program.addCommand(createHelpCommand(io, program, (name) => loadCommand(io, name)).helpGroup("Help:"));
  layOutHelp(io, program);
  return program;
}
