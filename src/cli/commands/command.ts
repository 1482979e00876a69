import { Command } from "commander";
import { localKinds } from "../../sources/local-kinds.ts";
import type { Io } from "../io.ts";

const LOCAL = localKinds.map(({ option }) => option.flag);
const SERVICE = ["--base-url", "--profile"];
const KEY = ["--api-key-file", "--api-key-stdin"];

/** Which of the program's options on source, service and key a command takes; help and completion show these alone. */
export const access = {
  none: [],
  profile: ["--profile"],
  service: [...LOCAL, ...SERVICE],
  serviceAndKey: [...SERVICE, ...KEY],
  all: [...LOCAL, ...SERVICE, ...KEY],
} as const satisfies Record<string, readonly string[]>;

/** A command with what its help shows beside what commander knows. */
export class ShellCommand extends Command {
  /** Command lines that people use, shown before the options. */
  examples: readonly string[] = [];
  access: readonly string[] = access.none;

  withExamples(...examples: readonly string[]): this {
    this.examples = examples;
    return this;
  }

  taking(options: readonly string[]): this {
    this.access = options;
    return this;
  }
}

export type Group = "Ask:" | "Set up:" | "Serve:" | "Help:";

/** One file of this folder: a command as the program's help lists it, and what makes it. */
export interface CommandDefinition {
  group: Group;
  summary: string;
  /** With its options, help and action; what the action needs is loaded when it runs. */
  create(io: Io): ShellCommand;
}
