import type { Command } from "commander";
import { proposeLogs } from "../../config/found-logs.ts";
import { readMember } from "../../member.ts";
import { readParams } from "../../operations/parameters.ts";
import { findQuery } from "../../reports/queries.ts";
import type { Answer } from "../../reports/query.ts";
import { listTexts, splitSite } from "../../sources/named-sites.ts";
import type { Source, SourceFlags } from "../../sources/source-types.ts";
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
  const isSetUp =
    source.kind === "local" ||
    (await source.readAccess().then(
      () => true,
      () => false,
    ));
  if (!isSetUp) {
    program.outputHelp();
    await printNote(
      io,
      "\nTo try it on made-up data: analytics-mcp overview --demo. To start: analytics-mcp login",
    );
    const proposal = proposeLogs(await io.findLogs());
    return proposal === undefined ? undefined : printNote(io, proposal);
  }
  // Several are a choice among the hosts of logs.
  const named = listTexts(flags.site);
  const answer = await readOverview(
    source,
    named.length === 1 || (named.length > 1 && source.kind !== "local")
      ? named.map((text) => splitSite(text).site)
      : site === undefined
        ? []
        : [site],
  );
  await printAnswer(io, answer, { ...readOutput(io, flags), brief: true });
  await printNote(io, "All commands: analytics-mcp help");
}

/** Of the only site if none is the default. Throws AnalyticsError that names the sites if there are several. */
async function readOverview({ call, options }: Source, sites: string[]): Promise<Answer> {
  const query = findQuery("overview");
  const texts = new Map(sites.length === 0 ? [] : [["site", sites]]);
  try {
    const answer = await query.ask(call, readParams(query.params, texts), { usesDefaultDays: true });
    const { proposeNext } = await import("./query-next.ts");
    return proposeNext(query, answer, options, { ranksByDefault: false, usesDefaultDays: true });
  } catch (error) {
    const { explainParameters } = await import("./query-errors.ts");
    throw explainParameters(query, error, { texts, words: [], source: options });
  }
}
