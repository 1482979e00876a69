import { Argument, type Command, Help, type Option } from "commander";
import { AnalyticsError, quoteWord } from "../../errors.ts";
import { paint } from "../../render/terminal-screen.ts";
import { wrap } from "../../render/text-width.ts";
import { localKinds } from "../../sources/local-kinds.ts";
import { access, ShellCommand } from "../commands/command.ts";
import type { Io } from "../io.ts";
import { writeData } from "../output/streams.ts";
import { readScreen } from "../output/terminal.ts";
import { assertNotOption, seeHelp } from "../usage-error.ts";
import { topicNames } from "./topic-names.ts";

/** The options that many commands take, apart from those that make a command what it is. */
const GROUPS: readonly [string, readonly string[]][] = [
  ["Days:", ["--days", "--period", "--from", "--to", "--against"]],
  ["Output:", ["--output", "--json", "--csv", "--fields", "--quiet", "--no-pager", "--explain"]],
];

/** Lays out the help of a command and its subcommands: examples before options. Of the program's options, it only has the names. */
export function layOutHelp(io: Io, command: Command): void {
  if (command.parent) command.helpOption("-h, --help", "show this help");
  for (const option of command.options) {
    const [title] = GROUPS.find(([, names]) => names.includes(option.long ?? "")) ?? [];
    if (title !== undefined) option.helpGroup(title);
  }
  command
    .exitOverride()
    .configureHelp({
      commandDescription: (shown) => describe(io, shown),
      // Keeps descriptions in a column in the narrowest terminal.
      minWidthToWrap: 20,
      subcommandTerm: (subcommand) => subcommand.name(),
      visibleOptions: (shown) =>
        defaultHelp.visibleOptions(shown).filter((option) => shown.parent !== null || isOwn(option)),
      visibleGlobalOptions: listGlobalOptions,
      optionDescription: (option) => defaultHelp.optionDescription(withoutChoices(option)),
      styleTitle: (title) => paint(readScreen(io, "stdout", {}), "bold", title),
    })
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => io.stderr.write(text),
      // `run` prints failures.
      outputError: () => {},
      getOutHelpWidth: () => readScreen(io, "stdout", {}).width,
      getErrHelpWidth: () => readScreen(io, "stderr", {}).width,
      getOutHasColors: () => readScreen(io, "stdout", {}).color,
      getErrHasColors: () => false,
    });
  command.addHelpText("after", ({ command: shown }) => nameGlobalOptions(io, shown));
  for (const subcommand of command.commands) layOutHelp(io, subcommand);
}

/** The options that the program's own help describes. */
const isOwn = ({ long = "" }: Option) => ["--help", "--version", "--stdio"].includes(long);

/** The program's options that a command takes, for help and completion; of the program, those that commands take. */
function listGlobalOptions(command: Command): Option[] {
  const { parent } = command;
  if (parent !== null && parent.parent !== null) return [];
  const program = parent ?? command;
  const taken = parent === null || !(command instanceof ShellCommand) ? access.all : command.access;
  if (taken.length === 0) return [];
  const all: readonly string[] = access.all;
  const settings = listSettings(taken);
  return program.options.filter(
    (option) =>
      settings.includes(option.long ?? "") ||
      (!option.hidden &&
        option.long !== "--stdio" &&
        (parent !== null || !isOwn(option)) &&
        (!all.includes(option.long ?? "") || taken.includes(option.long ?? ""))),
  );
}

/** A sentence about the options that help has once, under `help options`. */
function nameGlobalOptions(io: Io, command: Command): string {
  const names = listGlobalOptions(command).flatMap((option) => (isOwn(option) ? [] : option.long));
  if (names.length === 0) return "";
  const text = `Also ${names.join(", ")}: see help options.`;
  return `\n${wrap(text, readScreen(io, "stdout", {}).width)}`;
}

/** The options of `help options`, with those that other options need. */
const listAllOptions = (program: Command) =>
  program.options
    .filter((option) => !isOwn(option) && option.long !== "--site" && option.long !== undefined)
    .map((option) => [option.flags, defaultHelp.optionDescription(withoutChoices(option))] as const);

/** The options of a source, for a command that takes no other. Elsewhere they would bury the command's own options. */
function listSettings([taken, ...others]: readonly string[]): string[] {
  const kind = others.length === 0 ? localKinds.find(({ option }) => option.flag === taken) : undefined;
  return kind?.settings?.map(({ flag }) => flag) ?? [];
}

const defaultHelp = new Help();

/** Choices are for completion; the description already names them. */
const withoutChoices = (option: Option): Option =>
  Object.create(option, { argChoices: { value: undefined } });

function describe(io: Io, command: Command): string {
  const screen = readScreen(io, "stdout", {});
  const description = wrap(command.description() || `${command.summary()}.`, screen.width);
  const shown = command instanceof ShellCommand ? command.examples : [];
  if (shown.length === 0) return description;
  const lines = shown.flatMap((example) => breakExample(example, screen.width - 2));
  return [description, "", paint(screen, "bold", "Examples:"), ...lines.map((line) => `  ${line}`)].join(
    "\n",
  );
}

/** Breaks an example into lines of at most `width` columns if possible; pasted, it is still one command. */
export function breakExample(example: string, width: number): string[] {
  const lines: string[] = [];
  for (const part of example.split(/ (?=--|[|>] )/)) {
    const line = lines.at(-1);
    // Leaves two columns for the backslash.
    if (line !== undefined && line.length + 1 + part.length <= width - 2)
      lines.push(`${lines.pop()} ${part}`);
    else lines.push(line === undefined ? part : `  ${part}`);
  }
  return example.length <= width
    ? [example]
    : lines.map((line, at) => (at < lines.length - 1 ? `${line} \\` : line));
}

/** `analytics-mcp help [topic]`: help on the program, a command, or a topic. */
export function createHelpCommand(
  io: Io,
  program: Command,
  load: (name: string) => Promise<Command>,
): Command {
  return new ShellCommand("help")
    .summary(`Help on a command or topic: ${topicNames.join(", ")}`)
    .addArgument(
      new Argument("[topic]")
        .choices([...program.commands.map((subcommand) => subcommand.name()), ...topicNames])
        // Other words are refused below, with a suggestion.
        .argParser(String),
    )
    .argument("[subcommand]")
    .action(async (name: string | undefined, below: string | undefined) => {
      assertNotOption(name, "help");
      const command = program.commands.find((candidate) => candidate.name() === name);
      if (command && below !== undefined) return findBelow(command, below).outputHelp();
      if (name === undefined || command) return (command ?? program).outputHelp();
      const topic = topicNames.find((topicName) => topicName === name);
      if (topic === undefined) {
        const parts = await (await import("../mistake.ts")).explainTopic(name, program, topicNames, load);
        const { width } = readScreen(io, "stdout", {});
        return writeData(io, parts.map((part) => wrap(part, width)).join("\n\n"));
      }
      const { formatTopic } = await import("./topics.ts");
      const text = formatTopic(topic, readScreen(io, "stdout", {}), listAllOptions(program));
      await writeData(io, text);
    });
}

/** Finds a subcommand, such as `grants list`. */
function findBelow(command: Command, name: string): Command {
  const found = command.commands.find((subcommand) => subcommand.name() === name);
  if (found) return found;
  const known = command.commands.map((subcommand) => `${command.name()} ${subcommand.name()}`);
  throw new AnalyticsError("usage", `${command.name()} has no command ${quoteWord(name)}.`, {
    hint: known.length === 0 ? seeHelp(command.name()) : `There is help on ${known.join(", ")}.`,
  });
}
