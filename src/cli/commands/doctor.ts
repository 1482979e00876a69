import { readGivenKey } from "../../config/given-key.ts";
import { AnalyticsError } from "../../errors.ts";
import type { Column, View } from "../../operations/view.ts";
import type { Diagnosis } from "../../setup/diagnosis.ts";
import { openTarget } from "../../sources/service-source.ts";
import type { SourceFlags } from "../../sources/source-types.ts";
import { exitCodeOf, exitCodes } from "../exit-codes.ts";
import type { Io } from "../io.ts";
import { printAnswer } from "../output/print-answer.ts";
import type { Format } from "../output/streams.ts";
import { openSource } from "../source.ts";
import { access, type CommandDefinition, ShellCommand } from "./command.ts";

/** `analytics-mcp doctor`: checks everything between this machine and an answer. */
export const command: CommandDefinition = {
  group: "Set up:",
  summary: "Check the setup, from Node.js to the service's answer, with a fix for each problem",
  create: createDoctorCommand,
};

function createDoctorCommand(io: Io): ShellCommand {
  return new ShellCommand("doctor")
    .taking(access.all)
    .withExamples("analytics-mcp doctor", "analytics-mcp doctor --json")
    .description(
      "Check the setup: Node.js, environment, profiles, key, address, proxy, name, connection, certificate, answer, clock, contract, sites, and the MCP clients of this machine. Each problem comes with its fix; the key is never shown. Exit code 0 if nothing failed, 4 for the key, 5 for the network, otherwise 1.",
    )
    .option("--json", "print the findings as JSON")
    .action(async (_, self: ShellCommand) => {
      const flags = self.optsWithGlobals<SourceFlags & Format>();
      const report = await examineHere(io, flags);
      await printAnswer(io, buildAnswer(report), flags);
      refuseFailures(report);
    });
}

async function examineHere(io: Io, flags: SourceFlags): Promise<Diagnosis> {
  const { diagnose } = await import("../../setup/diagnosis.ts");
  const { environment, clock, version, nodeVersion } = io;
  const source = openSource(io, flags);
  return diagnose({
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

function buildAnswer(report: Diagnosis) {
  const checks = report.map(({ name, status, detail, fix = null }) => ({ check: name, status, detail, fix }));
  // As notes, since a table may be too narrow for whole sentences.
  const notes = report.flatMap(({ name, detail, fix }) =>
    fix === undefined ? [] : [`${name}: ${/[.?!…]$/.test(detail) ? detail : `${detail}.`} ${fix}`],
  );
  const view: View = { headline: "", columns: COLUMNS, rows: checks, notes };
  return { params: {}, result: { ok: failuresOf(report).length === 0, checks }, views: [view] };
}

const failuresOf = (report: Diagnosis) => report.filter(({ status }) => status === "failed");

/** Throws with the code of the failure that matters most to scripts: the key, then the network. */
function refuseFailures(report: Diagnosis): void {
  const failures = failuresOf(report);
  if (failures.length === 0) return;
  const codes = failures.flatMap(({ code }) => code ?? []);
  const find = (exitCode: number) => codes.find((code) => exitCodeOf(code) === exitCode);
  const code = find(exitCodes.auth) ?? find(exitCodes.network) ?? "unhealthy";
  throw new AnalyticsError(code, `Failed: ${failures.map(({ name }) => name).join(", ")}.`);
}
