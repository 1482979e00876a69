import type { Command } from "commander";
import { connectorEnvironment, environment } from "../../documents/environment.ts";
import { ShellCommand } from "../commands/command.ts";
import { exitCodeMeanings } from "../exit-codes.ts";
import { escapeRoff, roff } from "./roff.ts";

const FILES: [string, string][] = [
  [
    "$XDG_CONFIG_HOME/analytics-mcp/profiles",
    "Saved profiles: an address, a key and perhaps a site each. Only you can read them. If XDG_CONFIG_HOME is not set, they are in ~/.config; on Windows, in %APPDATA%.",
  ],
  [
    "$XDG_CACHE_HOME/analytics-mcp",
    "The list of your sites for completion, without keys, kept for five minutes. If XDG_CACHE_HOME is not set, it is in ~/.cache.",
  ],
];

/**
 * The manual page (man(7)) of the whole program, from the same commands as its help.
 *
 * @param program With every command loaded and its help laid out.
 */
export function buildManPage(program: Command, version: string): string {
  const commands = program.createHelp().visibleCommands(program);
  return [
    // Without a date, so that the same sources give the same page.
    `.TH ANALYTICS\\-MCP 1 "" "analytics\\-mcp ${escapeRoff(version)}" "User Commands"`,
    roff.section("NAME"),
    escapeRoff("analytics-mcp - web analytics for AI assistants and the shell"),
    roff.section("SYNOPSIS"),
    `.B ${escapeRoff("analytics-mcp")}`,
    escapeRoff("[command] [options]"),
    roff.section("DESCRIPTION"),
    escapeRoff(program.description()),
    roff.section("OPTIONS"),
    roff.terms(listOptions(program)),
    roff.section("COMMANDS"),
    ...commands.flatMap((command) => formatCommand(command, command.name())),
    roff.section("ENVIRONMENT"),
    roff.terms(Object.entries(environment)),
    roff.paragraph("Only serve reads these; each replaces one of its options:"),
    roff.terms(Object.entries(connectorEnvironment)),
    roff.section("FILES"),
    roff.terms(FILES),
    roff.section("EXIT STATUS"),
    roff.terms(Object.entries(exitCodeMeanings)),
    roff.section("EXAMPLES"),
    escapeRoff("Each command has examples above. To start with:"),
    roff.example(listExamples(program)),
    "",
  ].join("\n");
}

function formatCommand(command: Command, name: string): string[] {
  const help = command.createHelp();
  const operands = help.visibleArguments(command);
  const options = listOptions(command);
  // Without the `help` that commander adds.
  const below = help.visibleCommands(command).filter((subcommand) => subcommand.name() !== "help");
  const examples = listExamples(command);
  return [
    roff.subsection(`${name} ${command.usage()}`),
    escapeRoff(command.description() || `${command.summary()}.`),
    ...(operands.length > 0
      ? [roff.terms(operands.map((operand) => [operand.name(), help.argumentDescription(operand)]))]
      : []),
    ...(options.length > 0 ? [roff.terms(options)] : []),
    ...(examples.length > 0 ? [roff.example(examples)] : []),
    ...below.flatMap((subcommand) => formatCommand(subcommand, `${name} ${subcommand.name()}`)),
  ];
}

/** The options of a command itself, but for the one that every command has. */
function listOptions(command: Command): [string, string][] {
  const help = command.createHelp();
  const global = command.parent === null ? help.visibleGlobalOptions(command) : [];
  return [...help.visibleOptions(command), ...global]
    .filter(({ long }) => long !== "--help" || command.parent === null)
    .map((option) => [help.optionTerm(option), help.optionDescription(option)]);
}

const listExamples = (command: Command) => (command instanceof ShellCommand ? command.examples : []);
