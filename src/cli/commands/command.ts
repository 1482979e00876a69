import { Command } from "commander";
import { localKinds } from "../../sources/local-kinds.ts";
import type { Io } from "../io.ts";

const LOCAL = localKinds.map(({ option }) => option.flag);
const SAVABLE = localKinds.filter(({ settings }) => settings !== undefined).map(({ option }) => option.flag);
const SERVICE = ["--base-url", "--service", "--mapping", "--profile"];
const KEY = ["--api-key-file", "--api-key-stdin"];

/** Groups of the options on source, service and key. Help and completion show only those that a command takes. */
export const access = {
  none: [],
  local: LOCAL,
  profile: ["--profile"],
  service: [...LOCAL, ...SERVICE],
  serviceAndKey: [...SERVICE, ...KEY],
  key: KEY,
  /** Sources of this machine that a profile can remember. */
  savable: SAVABLE,
  all: [...LOCAL, ...SERVICE, ...KEY],
} as const satisfies Record<string, readonly string[]>;

/** A commander command with examples and the access options that it takes. */
export class ShellCommand extends Command {
  /** Command lines that people use, shown before the options. */
  examples: readonly string[] = [];
  access: readonly string[] = access.none;
  /** Of the program: its command line, for a correction. */
  line: readonly string[] = [];

  withExamples(...examples: readonly string[]): this {
    this.examples = examples;
    return this;
  }

  withLine(words: readonly string[]): this {
    this.line = words;
    return this;
  }

  withAccess(options: readonly string[]): this {
    this.access = options;
    return this;
  }
}

export type Group = "Ask:" | "Set up:" | "Serve:" | "Help:";

/** A command, one file in this folder. */
export interface CommandDefinition {
  group: Group;
  summary: string;
  /** Creates the command with its options and action. The action loads what it needs. */
  create(io: Io): ShellCommand;
}
