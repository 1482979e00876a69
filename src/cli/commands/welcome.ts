import type { Command } from "commander";
import { proposeLogs } from "../../config/found-logs.ts";
import { AnalyticsError } from "../../errors.ts";
import { readMember } from "../../member.ts";
import type { Call } from "../../operations/call.ts";
import { readParams } from "../../operations/parameters.ts";
import { findQuery } from "../../reports/queries.ts";
import type { Answer } from "../../reports/query.ts";
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
  const isChosen = CHOICES.some((name) => readMember(flags, name) !== undefined);
  const site = await call.readSite?.().catch((error: unknown) => {
    if (isChosen) throw error;
    return undefined;
  });
  // A log of one site needs no default.
  const answer = site === undefined && source.kind === "service" ? undefined : await readOverview(call, site);
  if (answer === undefined) {
    program.outputHelp();
    await printNote(
      io,
      "\nTo try it on made-up data: analytics-mcp overview --demo. To start: analytics-mcp login",
    );
    const proposal = proposeLogs(await io.findLogs());
    return proposal === undefined ? undefined : printNote(io, proposal);
  }
  await printAnswer(io, answer, { ...readOutput(io, flags), brief: true });
  await printNote(io, "All commands: analytics-mcp help");
}

/** Undefined if there is no site to choose, or several. */
async function readOverview(call: Call, site: string | undefined): Promise<Answer | undefined> {
  const { params, ask } = findQuery("overview");
  const given = readParams(params, new Map(site === undefined ? [] : [["site", [site]]]));
  try {
    return await ask(call, given, { usesDefaultDays: true });
  } catch (error) {
    if (error instanceof AnalyticsError && error.code === "missing_parameter") return undefined;
    throw error;
  }
}
