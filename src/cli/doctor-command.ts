import { Command } from "commander";
import type { Access } from "../config/access.ts";
import type { Flags } from "../config/config.ts";
import { readGivenKey } from "../config/given-key.ts";
import { AnalyticsError } from "../errors.ts";
import type { Column, View } from "../operations/view.ts";
import type { Report } from "../setup/doctor.ts";
import { refuseDemoWithService } from "./access-options.ts";
import { openAccess, openDemo } from "./connect.ts";
import { exitCodeOf, exitCodes } from "./exit-codes.ts";
import type { Io } from "./io.ts";
import type { Format } from "./output.ts";
import { printAnswer } from "./print-answer.ts";

/** `analytics-mcp doctor`: what stands between this machine and an answer. */
export function createDoctorCommand(io: Io): Command {
  return new Command("doctor")
    .description(
      "Check the set-up: Node.js, environment, profiles, key, address, proxy, name, connection, certificate, answer, clock, contract, sites, and the MCP clients of this machine. Each fault comes with its fix; the key is never shown. Exit code 0 where nothing failed, 4 for the key, 5 for the network, else 1.",
    )
    .option("--json", "print the findings as JSON")
    .action(async (_, self: Command) => {
      const flags = self.optsWithGlobals<Flags & Format>();
      refuseDemoWithService(flags);
      const report = await examineHere(io, flags);
      await printAnswer(io, buildAnswer(report), flags);
      refuseFailures(report);
    });
}

async function examineHere(io: Io, flags: Flags): Promise<Report> {
  const { examine } = await import("../setup/doctor.ts");
  const { environment, clock, version, nodeVersion } = io;
  const made = flags.demo ? await openDemo(io) : undefined;
  const demo: Access | undefined = made && {
    ...{ apiKey: made.apiKey, baseUrl: made.baseUrl, warnings: [] },
    sources: { apiKey: "--demo", baseUrl: "--demo" },
  };
  return examine({
    ...{ flags, environment, clock, version, nodeVersion, demo },
    readGivenKey: () => readGivenKey(flags, io.stdin),
    openTarget: async (access) => made ?? openAccess(environment, access),
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
