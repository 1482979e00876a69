import { readFileSync } from "node:fs";
import { commandList } from "../../src/cli/commands/command-list.ts";
import { buildManPage } from "../../src/cli/help/man-page.ts";
import type { Io } from "../../src/cli/io.ts";
import { createProgram } from "../../src/cli/program.ts";

/** The manual page of the program with all its commands, for `man`. */
export async function writeManPage(): Promise<string> {
  const { version } = JSON.parse(readFileSync("package.json", "utf8"));
  // Commands only look at the process when they run.
  const program = await createProgram(
    { version } as Io,
    commandList.map(({ name }) => name),
  );
  return buildManPage(program, version);
}
