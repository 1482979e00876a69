import { readAccess } from "../../config/access.ts";
import { readGivenKey } from "../../config/given-key.ts";
import { AnalyticsError } from "../../errors.ts";
import { sites } from "../../operations/index.ts";
import type { View } from "../../operations/view.ts";
import type { Described } from "../../sources/described/capabilities.ts";
import type { FieldMapping } from "../../sources/described/field-mapping.ts";
import { readMapping } from "../../sources/described/mapping-file.ts";
import type { ServiceSummary } from "../../sources/described/service-summary.ts";
import type { SavedPlace } from "../../sources/described/summary-text.ts";
import { findGateway } from "../../sources/gateways/gateway-kinds.ts";
import { findLocal } from "../../sources/local-choice.ts";
import { createContractCall, openTarget } from "../../sources/service-source.ts";
import type { SourceFlags } from "../../sources/source-types.ts";
import type { Io } from "../io.ts";
import { createFormatOption, type OutputFlags, readOutput } from "../output/output-format.ts";
import { printAnswer } from "../output/print-answer.ts";
import { printNote, writeData } from "../output/streams.ts";
import { access, type CommandDefinition, ShellCommand } from "./command.ts";

interface MappingFlags extends SourceFlags, OutputFlags {
  site?: string | undefined;
}

/** `analytics-mcp mapping`: prints where the fields of a service are, in a form that can be edited and given back. */
export const command: CommandDefinition = {
  group: "Set up:",
  summary: "Show where a service of your own has its fields",
  create: (io) =>
    new ShellCommand("mapping")
      .withAccess(access.serviceAndKey)
      .withExamples(
        "analytics-mcp mapping",
        "analytics-mcp mapping > service.json",
        "analytics-mcp mapping --mapping service.json",
      )
      .description(
        "Show how a service with field names of its own is read: where each field is, an example of what is there, and how it was found. In a pipe, prints the same as a mapping file, which can be edited and given back with --mapping or ANALYTICS_MAPPING, or saved with login --mapping.",
      )
      .option("--site <site>", "site to ask about (default: your default site, else the first)")
      .addOption(createFormatOption("json, the mapping file"))
      .option("--json", "print the mapping file without comments")
      .action(async (_, self: ShellCommand) => {
        const flags = self.optsWithGlobals<MappingFlags>();
        const isChosen =
          flags.json || flags.output !== undefined || io.stdout.isTTY || flags.color === "always";
        await printMapping(io, isChosen ? flags : { ...flags, json: true }, !isChosen);
      }),
};

/** @param hasComments Whether a file says what of it is proposed: not as JSON for programs. */
async function printMapping(io: Io, flags: MappingFlags, hasComments: boolean): Promise<void> {
  const output = readOutput(io, flags);
  const { environment, clock } = io;
  const print = (result: Record<string, unknown>, views: View[]) =>
    printAnswer(io, { params: {}, result, views }, output);
  const printNone = async (reason: string) => {
    if (output.format === "json") await print({}, []);
    await printNote(io, `${reason}: it needs no mapping.`);
  };
  const local = findLocal(flags, environment);
  if (local !== undefined) return printNone(`This program reads ${local.kind.about.label} by itself`);
  const found = readAccess(flags, environment, await readGivenKey(flags, io.stdin));
  for (const warning of found.warnings) await printNote(io, `warning: ${warning}`);
  if (found.service !== undefined) {
    return printNone(`${findGateway(found.service).title} has an API of its own, which this program knows`);
  }
  const call = createContractCall({
    readTarget: () => openTarget(environment, found),
    clock,
    environment,
    limits: {},
    readMapping: () => found.mapping,
    // The service may have changed since.
    learnsAnew: true,
  });
  const [texts, { buildFile, proposeMapping, summarizeService }] = await Promise.all([
    import("../../sources/described/summary-text.ts"),
    import("../../sources/described/service-summary.ts"),
  ]);
  const given = found.mapping && readMapping(found.mapping);
  const place = { ...found, apiKeyFile: flags.apiKeyFile };
  const isFile = output.format === "json";
  const printFile = async (read: FieldMapping, { proposal }: Pick<ServiceSummary, "proposal">) => {
    const file = buildFile(read, proposal?.mapping ?? given);
    if (hasComments) await writeData(io, texts.formatMappingFile(file, proposal));
    else await print(file, []);
  };
  const say = async (...lines: string[]) => {
    for (const line of lines) await printNote(io, line);
  };
  let described: Described | undefined;
  try {
    described = await call.readDescribed({});
  } catch (error) {
    if (!(error instanceof AnalyticsError && error.code === "bad_answer")) throw error;
    const proposal = proposeMapping(given ?? {}, [{ operation: sites.name, error }], []);
    if (isFile) await printFile({}, { proposal });
    await say(
      ...texts.listProblem(sites.name, error),
      "Without its sites, nothing else could be asked for.",
      ...texts.listChoices({ proposal }, place),
    );
    return;
  }
  if (described === undefined) return printNone("This service keeps the contract");
  const summary = await summarizeService(described, flags.site ?? found.site, {});
  if (isFile) await printFile(summary.mapping, summary);
  else await print({}, [await buildView(described, summary, place)]);
  await say(
    ...texts.listProblems(summary),
    ...(isFile ? texts.listChoices(summary, place) : texts.listProposal(summary, place)),
  );
}

/** A longer one would take the place of where it is. */
const MAX_EXAMPLE = 16;

async function buildView({ reader }: Described, summary: ServiceSummary, place: SavedPlace): Promise<View> {
  const { cutWord, LEARNED_FROM, listLacks, listRequestFacts } = await import(
    "../../sources/described/summary-text.ts"
  );
  return {
    headline: "",
    columns: [
      { key: "operation", label: "operation", kind: "text" },
      { key: "field", label: "field", kind: "text" },
      { key: "where", label: "where", kind: "text", keepsEnd: true },
      { key: "example", label: "example", kind: "text", untrusted: true },
      { key: "learned_from", label: "learned from", kind: "text", detail: true },
    ],
    rows: summary.fields.map(({ operation, field, pointer, example, by }) => ({
      operation,
      field,
      where: cutWord(pointer) || "the whole answer",
      example: example === null ? null : cutWord(String(example), MAX_EXAMPLE),
      learned_from: LEARNED_FROM[by],
    })),
    notes: [...listRequestFacts(reader, summary), ...listLacks(summary, place)],
  };
}
