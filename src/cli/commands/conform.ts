import { readAccess } from "../../config/access.ts";
import { readGivenKey } from "../../config/given-key.ts";
import { readProxies } from "../../config/proxy-settings.ts";
import type { ConformReport } from "../../conform/conform-report.ts";
import type { Target } from "../../conform/probe.ts";
import type { Section } from "../../conform/rule.ts";
import { AnalyticsError } from "../../errors.ts";
import { BASE_PATH } from "../../operations/contract.ts";
import type { Column } from "../../operations/view.ts";
import { findLocal } from "../../sources/local-choice.ts";
import { openPipe } from "../../sources/resolve-source.ts";
import type { LocalChoice, SourceFlags } from "../../sources/source-types.ts";
import { exitCodes, SilentExit } from "../exit-codes.ts";
import type { Io } from "../io.ts";
import { createFormatOption, type OutputFlags, readOutput } from "../output/output-format.ts";
import { printAnswer, printTable } from "../output/print-answer.ts";
import { printNote, writeData } from "../output/streams.ts";
import { readScreen } from "../output/terminal.ts";
import { access, type CommandDefinition, ShellCommand } from "./command.ts";

interface ConformFlags extends SourceFlags, OutputFlags {
  site?: string;
  only?: string[];
  list?: boolean;
}

/** `analytics-mcp conform`: checks whether a service keeps the contract, rule by rule. */
export const command: CommandDefinition = {
  group: "Serve:",
  summary: "Check that a service keeps the contract",
  create: (io) =>
    new ShellCommand("conform")
      .withAccess(access.all)
      .withExamples(
        "analytics-mcp conform https://stats.example.com",
        "analytics-mcp conform https://stats.example.com --only auth,breakdown",
        "analytics-mcp conform --demo",
      )
      .description(
        "Check that a service keeps the contract: every rule that can be checked with the key in ANALYTICS_API_KEY, and isolation with a second organization's key in ANALYTICS_OTHER_API_KEY. It changes nothing, sends one request at a time, and waits when the service asks it to. The exit code is 0 if no must rule fails, 1 if one does, and 3 if too little could be checked to tell.",
      )
      .argument("[base-url]", "address of the service, with or without /api/v1")
      .option("--site <site>", "site to check (default: the first with visits)")
      .option("--only <rules>", "ids of rules or names of sections, separated by commas", readNames)
      .option("--list", "list the rules and send nothing")
      .addOption(createFormatOption())
      .option("--json", "print the report as JSON")
      .action(async (address: string | undefined, _, self: ShellCommand) => {
        const flags = self.optsWithGlobals<ConformFlags>();
        const { checkConformance, chooseSections } = await import("../../conform/conformance.ts");
        const sections = chooseSections(flags.only);
        if (flags.list) return printRules(io, sections, flags);
        // An address on the command line is checked, whatever else is set up.
        const local = findLocal(flags, address === undefined ? io.environment : {});
        const target = local
          ? await openLocalTarget(io, local, address)
          : await openServiceTarget(io, address, flags);
        const report = await checkConformance(target, {
          clock: io.clock,
          sleep: io.pause,
          note: (text) => void printNote(io, text),
          site: flags.site,
          only: flags.only,
        });
        await printReport(io, report, sections, flags);
        if (report.summary.must_failed > 0 && local === undefined) await printNote(io, VOLUNTARY);
        if (report.summary.must_failed > 0) throw new SilentExit(exitCodes.failure);
        if (report.summary.incomplete !== null) throw new SilentExit(exitCodes.incomplete);
      }),
};

const VOLUNTARY =
  "A service need not keep the contract: this program also reads others, by their own field names. How it reads this one: analytics-mcp mapping";

const readNames = (text: string) =>
  text
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");

async function openServiceTarget(
  { environment, stdin }: Io,
  address: string | undefined,
  flags: ConformFlags,
) {
  if (address !== undefined && flags.baseUrl !== undefined) {
    throw new AnalyticsError("usage", "The address was given twice.", {
      hint: "Give it as the argument or as --base-url, not both.",
    });
  }
  const asked = { ...flags, baseUrl: address ?? flags.baseUrl };
  const { apiKey, baseUrl } = readAccess(asked, environment, await readGivenKey(asked, stdin));
  const otherKey = readOtherKey(environment.ANALYTICS_OTHER_API_KEY, apiKey);
  const proxies = readProxies(environment, baseUrl);
  const { createNetworkSend } = await import("../../client/network.ts");
  return { baseUrl, apiKey, otherKey, send: createNetworkSend(proxies), proxies: Object.values(proxies) };
}

function readOtherKey(text: string | undefined, apiKey: string): string | undefined {
  const key = text?.trim() ?? "";
  if (key === "") return undefined;
  if (/[^\x21-\x7e]/.test(key)) {
    throw new AnalyticsError(
      "invalid_api_key",
      "ANALYTICS_OTHER_API_KEY contains characters that no key has.",
      {
        hint: "Copy only the key: no quotation marks, spaces or the word Bearer.",
      },
    );
  }
  if (key !== apiKey) return key;
  throw new AnalyticsError("usage", "ANALYTICS_OTHER_API_KEY is the same key as ANALYTICS_API_KEY.", {
    hint: "Set it to another organization's key, or leave it out.",
  });
}

/** The REST API over a source in this process, called directly without a port. */
async function openLocalTarget(io: Io, local: LocalChoice, address: string | undefined): Promise<Target> {
  const { clock, environment } = io;
  const { option, about } = local.kind;
  if (address !== undefined) {
    throw new AnalyticsError("usage", `Use ${option.flag} or an address, not both.`, {
      hint: `${option.flag} checks ${about.label} in this program; leave it out to check your service.`,
    });
  }
  const [{ createApi }, { openLocalKeyring }] = await Promise.all([
    import("../../api/api.ts"),
    import("../../sources/local-keyring.ts"),
  ]);
  const { find, publicKeys } = await openLocalKeyring(local.kind, {
    clock,
    environment,
    flags: local.flags,
    openStdin: () => openPipe(io.stdin),
  });
  const [apiKey = "", otherKey] = publicKeys;
  // Small, so that the rules on quotas can use it up, and short, so that they need not wait a minute.
  const api = createApi({ keyring: find, clock, quota: { limit: 100, window: 5 } });
  return {
    baseUrl: `http://localhost${BASE_PATH}`,
    apiKey,
    otherKey,
    // A body is ignored: over HTTP the server discards it.
    send: async (url, { method, headers: sent, signal }) => {
      const { status, headers, body } = await api({ method, url, headers: new Headers(sent), signal });
      return new Response(body, { status, headers: [...headers] });
    },
  };
}

async function printReport(io: Io, report: ConformReport, sections: readonly Section[], flags: ConformFlags) {
  const { formatReport, formatSummary, viewReport } = await import("../../conform/conform-report.ts");
  const output = readOutput(io, flags);
  if (output.format === "table") {
    const titles = new Map(sections.map(({ name, title }) => [name, title]));
    return writeData(io, formatReport(report, titles, readScreen(io, "stdout", flags)));
  }
  await printAnswer(io, { params: {}, result: { ...report }, views: [viewReport(report)] }, output);
  await printNote(io, formatSummary(report.summary));
}

function printRules(io: Io, sections: readonly Section[], flags: ConformFlags): Promise<void> {
  const rows = sections.flatMap(({ rules }) =>
    rules.map(({ id, severity, title }) => ({ rule: id, severity, title })),
  );
  const columns = ["rule", "severity", "title"].map((key): Column => ({ key, label: key, kind: "text" }));
  return printTable(io, flags, { rules: rows }, { columns, rows });
}
