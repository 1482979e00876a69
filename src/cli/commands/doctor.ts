import { readGivenKey } from "../../config/given-key.ts";
import { AnalyticsError } from "../../errors.ts";
import type { Column, View } from "../../operations/view.ts";
import type { Report } from "../../setup/doctor.ts";
import { openTarget } from "../../sources/service-source.ts";
import type { SourceFlags } from "../../sources/source-types.ts";
import { exitCodeOf, exitCodes } from "../exit-codes.ts";
import type { Io } from "../io.ts";
import { printAnswer } from "../output/print-answer.ts";
import type { Format } from "../output/streams.ts";
import { openSource } from "../source.ts";
import { access, type CommandDefinition, ShellCommand } from "./command.ts";

/** `analytics-mcp doctor`: what stands between this machine and an answer. */
export const command: CommandDefinition = {
  group: "Set up:",
  summary: "Check the set-up, from Node.js to the service's answer, with a fix for each fault",
  create: createDoctorCommand,
};

function createDoctorCommand(io: Io): ShellCommand {
  return new ShellCommand("doctor")
    .taking(access.all)
    .withExamples("analytics-mcp doctor", "analytics-mcp doctor --json")
    .description(
      "Check the set-up: Node.js, environment, profiles, key, address, proxy, name, connection, certificate, answer, clock, contract, sites, and the MCP clients of this machine. Each fault comes with its fix; the key is never shown. Exit code 0 where nothing failed, 4 for the key, 5 for the network, else 1.",
    )
    .option("--json", "print the findings as JSON")
    .action(async (_, self: ShellCommand) => {
      const flags = self.optsWithGlobals<SourceFlags & Format>();
      const report = await examineHere(io, flags);
      await printAnswer(io, buildAnswer(report), flags);
      refuseFailures(report);
    });
}

async function examineHere(io: Io, flags: SourceFlags): Promise<Report> {
  const { examine } = await import("../../setup/doctor.ts");
  const { environment, clock, version, nodeVersion } = io;
  const source = openSource(io, flags);
  return examine({
    ...{ flags, environment, clock, version, nodeVersion },
    ...(source.kind === "local" && { local: source }),
    readGivenKey: () => readGivenKey(flags, io.stdin),
    openTarget: (access) => openTarget(environment, access),
  });
}

const COLUMNS: Column[] = [
  { key: "status", label: "status", kind: "status" },
  { key: "check", label: "check", kind: "text" },
  { key: "detail", label: "detail", kind: "text" },
  { key: "fix", label: "fix", kind: "text", machine: true },
];

function buildAnswer(report: Report) {
  const checks = report.map(({ name, status, detail, fix = null }) => ({ check: name, status, detail, fix }));
  // In whole sentences: a table may have too little room for them.
  const notes = report.flatMap(({ name, detail, fix }) =>
    fix === undefined ? [] : [`${name}: ${/[.?!…]$/.test(detail) ? detail : `${detail}.`} ${fix}`],
  );
  const view: View = { headline: "", columns: COLUMNS, rows: checks, notes };
  return { params: {}, result: { ok: failuresOf(report).length === 0, checks }, views: [view] };
}

const failuresOf = (report: Report) => report.filter(({ status }) => status === "failed");

/** The exit code of the failure that scripts ask about first: the key, then the network. */
function refuseFailures(report: Report): void {
  const failures = failuresOf(report);
  if (failures.length === 0) return;
  const codes = failures.flatMap(({ code }) => code ?? []);
  const find = (exitCode: number) => codes.find((code) => exitCodeOf(code) === exitCode);
  const code = find(exitCodes.auth) ?? find(exitCodes.network) ?? "unhealthy";
  throw new AnalyticsError(code, `Failed: ${failures.map(({ name }) => name).join(", ")}.`);
}
