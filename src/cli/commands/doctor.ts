import type { Access } from "../../config/access.ts";
import { completeEndpoint, readEndpoint } from "../../config/endpoint-url.ts";
import { readGivenKey } from "../../config/given-key.ts";
import { readProxies } from "../../config/proxy-settings.ts";
import { AnalyticsError } from "../../errors.ts";
import type { Column } from "../../operations/view.ts";
import type { Diagnosis } from "../../setup/doctor-check.ts";
import { findLocal } from "../../sources/local-choice.ts";
import { openTarget } from "../../sources/service-source.ts";
import type { SourceFlags } from "../../sources/source-types.ts";
import { exitCodeOf, exitCodes } from "../exit-codes.ts";
import type { Io } from "../io.ts";
import {
  createFormatOption,
  type OutputFlags,
  type OutputFormat,
  readOutput,
} from "../output/output-format.ts";
import { printTable } from "../output/print-answer.ts";
import { showProgress } from "../output/progress-line.ts";
import { openSource } from "../source.ts";
import { access, type CommandDefinition, ShellCommand } from "./command.ts";

/** `analytics-mcp doctor`: checks everything between this machine and an answer. */
export const command: CommandDefinition = {
  group: "Set up:",
  summary: "Check the setup, with a fix for each problem",
  create: (io) =>
    new ShellCommand("doctor")
      .withAccess(access.all)
      .withExamples(
        "analytics-mcp doctor",
        "analytics-mcp doctor --json",
        "analytics-mcp doctor --connector https://mcp.example.com/mcp",
      )
      .description(
        "Check the setup: Node.js, environment, profiles, key, address, proxy, host name, connection, certificate, answer, clock, contract, sites, and the MCP clients of this machine. Each problem comes with its fix; the key is never shown. The exit code is 0 if nothing failed, 4 if it was the key, 5 if it was the network, otherwise 1.",
      )
      .option(
        "--connector <url>",
        "check a remote connector instead, as an MCP client would: up to the sign-in page, without a key",
      )
      .addOption(createFormatOption())
      .option("--json", "print the findings as JSON")
      .action(async (_, self: ShellCommand) => {
        const flags = self.optsWithGlobals<DoctorFlags>();
        const report =
          flags.connector === undefined
            ? await checkSetup(io, flags)
            : await checkConnector(io, flags.connector, flags);
        const { format } = readOutput(io, flags);
        await printReport(io, report, format, flags);
        assertHealthy(report, format);
      }),
};

interface DoctorFlags extends SourceFlags, OutputFlags {
  connector?: string;
}

/** Checks a connector from outside. It is not asked for numbers, so this takes no service and no key. */
async function checkConnector(io: Io, text: string, flags: DoctorFlags): Promise<Diagnosis> {
  const { environment, clock } = io;
  const other = findAccessOption(flags);
  if (other !== undefined) {
    throw new AnalyticsError("usage", `Use --connector or ${other}, not both.`, {
      hint: "A connector is checked from outside, without a service or a key.",
    });
  }
  const endpoint = readEndpoint(completeEndpoint(text), "--connector");
  const proxies = readProxies(environment, endpoint);
  const { diagnoseConnector } = await import("../../setup/connector-checks.ts");
  const { createNetworkSend } = await import("../../client/network.ts");
  const send = createNetworkSend(proxies);
  return diagnoseConnector({ endpoint, environment, clock, send, proxies: Object.values(proxies) });
}

function findAccessOption(flags: SourceFlags): string | undefined {
  const local = findLocal(flags, {})?.kind.option.flag;
  const given: [string, unknown][] = [
    ["--base-url", flags.baseUrl],
    ["--mapping", flags.mapping],
    ["--profile", flags.profile],
    ["--api-key-file", flags.apiKeyFile],
    ["--api-key-stdin", flags.apiKeyStdin],
  ];
  return local ?? given.find(([, value]) => value !== undefined && value !== false)?.[0];
}

async function checkSetup(io: Io, flags: SourceFlags): Promise<Diagnosis> {
  const { diagnose } = await import("../../setup/diagnosis.ts");
  const { environment, clock, version, nodeVersion } = io;
  const source = openSource(io, flags);
  const context = {
    flags,
    environment,
    clock,
    version,
    nodeVersion,
    findLogs: io.findLogs,
    ...(source.kind === "local" && { local: source }),
    readGivenKey: () => readGivenKey(flags, io.stdin),
    openTarget: (access: Access) => openTarget(environment, access),
  };
  return showProgress(io, source, () => diagnose(context));
}

const COLUMNS: Column[] = [
  { key: "status", label: "status", kind: "status" },
  { key: "check", label: "check", kind: "text" },
  { key: "detail", label: "detail", kind: "text", wraps: true },
  { key: "fix", label: "fix", kind: "text", machine: true, wraps: true },
];

function printReport(io: Io, report: Diagnosis, format: OutputFormat, flags: OutputFlags): Promise<void> {
  const checks = report.map(({ name, status, detail, fix = null }) => ({ check: name, status, detail, fix }));
  // As notes, since a table may be too narrow for whole sentences. Programs have them in a column.
  const notes = report.flatMap(({ name, detail, fix }) =>
    fix === undefined || !showsNotes(format)
      ? []
      : [`${name}: ${/[.?!…]"?$/.test(detail) ? detail : `${detail}.`} ${fix}`],
  );
  const result = { ok: failuresOf(report).length === 0, checks };
  return printTable(io, flags, result, { columns: COLUMNS, rows: checks, notes });
}

const showsNotes = (format: OutputFormat) => format === "table" || format === "markdown";

const failuresOf = (report: Diagnosis) => report.filter(({ status }) => status === "failed");

/** Throws with the code of the failure that matters most to scripts: the key, then the network. */
function assertHealthy(report: Diagnosis, format: OutputFormat): void {
  const failures = failuresOf(report);
  if (failures.length === 0) return;
  const codes = failures.flatMap(({ code }) => code ?? []);
  const find = (exitCode: number) => codes.find((code) => exitCodeOf(code) === exitCode);
  const code = find(exitCodes.auth) ?? find(exitCodes.network) ?? "unhealthy";
  const names = failures.map(({ name }) => name).join(", ");
  const message = `${failures.length === 1 ? "A check" : `${failures.length} checks`} failed: ${names}.`;
  // The reader may see this before the report, or without it.
  const hint = showsNotes(format) ? undefined : "The report on standard output says why, and how to fix it.";
  throw new AnalyticsError(code, message, { hint });
}
