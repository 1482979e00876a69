import type { Command } from "commander";
import { readParams } from "../../operations/parameters.ts";
import { findQuery } from "../../reports/queries.ts";
import type { SourceFlags } from "../../sources/source-types.ts";
import type { Io } from "../io.ts";
import { type OutputFlags, readOutput } from "../output/output-format.ts";
import { printAnswer } from "../output/print-answer.ts";
import { printNote } from "../output/streams.ts";
import { openSource } from "../source.ts";

const CHOICES = ["baseUrl", "profile", "apiKeyFile", "apiKeyStdin"];

/** `analytics-mcp` alone at a terminal: the overview of the default site if there is one, otherwise the help. */
export async function welcome(io: Io, program: Command, flags: SourceFlags & OutputFlags): Promise<void> {
  const source = openSource(io, flags);
  const { call } = source;
  // Without a key or with a damaged profile there is no default site. What the command line chose must work.
  const isChosen = CHOICES.some((name) => flags[name] !== undefined);
  const site = await call.readSite?.().catch((error: unknown) => {
    if (isChosen) throw error;
    return undefined;
  });
  if (site === undefined) {
    program.outputHelp();
    return printNote(io, "\nTo look around: analytics-mcp overview --demo. To begin: analytics-mcp login");
  }
  const { params, ask } = findQuery("overview");
  await printAnswer(
    io,
    await ask(call, readParams(params, new Map([["site", [site]]])), {}),
    readOutput(io, flags),
  );
  await printNote(io, "All commands: analytics-mcp help");
}
