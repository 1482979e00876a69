import { AnalyticsError } from "../../errors.ts";
import { findLocal } from "../../sources/local-choice.ts";
import { logs } from "../../sources/logs.ts";
import { openPipe } from "../../sources/resolve-source.ts";
import type { SourceFlags } from "../../sources/source-types.ts";
import type { Io } from "../io.ts";
import { addOutputOptions, type OutputFlags, readOutput } from "../output/output-format.ts";
import { printAnswer } from "../output/print-answer.ts";
import { type CommandDefinition, ShellCommand } from "./command.ts";
import type { BackupFlags } from "./logs-backup.ts";
import type { ExportFlags } from "./logs-export.ts";
import type { HistoryFlags } from "./logs-histories.ts";
import { createSiteOption } from "./site-option.ts";

/** `analytics-mcp logs`: reads access logs and shows what would be counted and what would not. */
export const command: CommandDefinition = {
  group: "Ask:",
  summary: "Show what is in access logs, and how it counts",
  create: (io) => {
    const command = new ShellCommand("logs")
      .withAccess(["--logs"])
      .withExamples(
        "analytics-mcp logs '/var/log/nginx/access.log*' --site example.com",
        "analytics-mcp logs example.com=/var/log/nginx/example.log",
        "zcat access.log.*.gz | analytics-mcp logs -",
        "analytics-mcp logs --ndjson example.com=/var/log/nginx/example.log > hits.ndjson",
        "analytics-mcp logs --backup /backup/analytics '/var/log/nginx/access.log*'",
        "analytics-mcp logs --parquet hits '/var/log/nginx/access.log*' --site example.com",
        "analytics-mcp logs --list",
        "analytics-mcp logs --set --timezone Europe/Berlin '/var/log/nginx/access.log*'",
      )
      .description(
        "Read access logs and show what would be counted: files, sites, top pages, and what each line counts as, in numbers that add up to the lines. - stands for standard input. Options such as --timezone and --exclude-path work wherever --logs does.",
      )
      .argument("[files...]", "files, folders or patterns, such as '/var/log/nginx/access.log*'")
      .addOption(createSiteOption())
      .option("--backup <folder>", "copy the history of the files to a new folder")
      .option(
        "--closed-only",
        "of a backup: without the days that can still grow, and the keys of their hashes",
      )
      .option("--list", "list the histories instead: what was counted of which logs, by which options")
      .option("--set", "save options such as --timezone or --keep with the history of the files")
      .option("--forget", "remove the history of the files, for good")
      .option("--ndjson", "print the hits of closed days instead, to load into ClickHouse")
      .option(
        "--parquet <folder>",
        "write them as Parquet files, one for each site and day, for DuckDB and others",
      )
      .option("--since <date>", "of an export: only days from this one on, such as 2026-11-01")
      .option("--with-first-day", "of an export: also the day on which the log begins")
      .option(
        "--visitor-secret <file>",
        "of an export: makes pseudonyms of visitors (default: one is created)",
      )
      .action(async (files: string[], _, self: ShellCommand) => {
        const flags = self.optsWithGlobals<LogsFlags>();
        if (flags.backup !== undefined) {
          const { writeBackup } = await import("./logs-backup.ts");
          await writeBackup(io, findFlags(io, files, flags), flags.backup, flags.closedOnly === true);
          return;
        }
        if (flags.list || flags.set || flags.forget || flags.keep !== undefined) {
          const { changeHistories } = await import("./logs-histories.ts");
          await changeHistories(io, flags, () => findFlags(io, files, flags));
          return;
        }
        const [
          { readLogSettings },
          { createReplay },
          { dryRun, UNNAMED },
          { buildLogViews, nameSite },
          { findSavedName, withSavedOptions },
          { findOnlyName },
        ] = await Promise.all([
          import("../../sources/logs/open.ts"),
          import("../../sources/logs/reading/replay.ts"),
          import("../../sources/logs/command/dry-run.ts"),
          import("./logs-views.ts"),
          import("../../sources/logs/histories.ts"),
          import("../../sources/logs/command/first-look.ts"),
        ]);
        const stdin = createReplay(() => openPipe(io.stdin));
        const asked = {
          ...readLogSettings(findFlags(io, files, flags), io.environment.ANALYTICS_SITE),
          stdin,
        };
        if (flags.ndjson || flags.parquet !== undefined) {
          const { writeHits } = await import("./logs-export.ts");
          await writeHits(io, asked, flags);
          return;
        }
        assertNoOtherFlags(flags);
        const settings = await withSavedOptions(asked, io.environment);
        // The beginning of standard input cannot be read again once all of it was.
        const called = await findOnlyName(settings);
        const run = await dryRun(settings, io.clock);
        const isUnnamed = run.sites.some(({ site }) => site === UNNAMED);
        const known = isUnnamed ? ((await findSavedName(settings, io.environment)) ?? called) : undefined;
        const result = known === undefined ? run : nameSite(run, known);
        await printAnswer(
          io,
          { params: {}, result: { ...result }, views: buildLogViews(result, known) },
          readOutput(io, flags),
        );
      });
    addOutputOptions(command, "outcome,lines");
    return command;
  },
};

type LogsFlags = SourceFlags & OutputFlags & ExportFlags & BackupFlags & HistoryFlags;

function assertNoOtherFlags({
  since,
  withFirstDay,
  visitorSecret,
  closedOnly,
}: ExportFlags & BackupFlags): void {
  if (closedOnly)
    throw new AnalyticsError("usage", "--closed-only is for backups.", { hint: "Add --backup <folder>." });
  const given = { "--since": since, "--with-first-day": withFirstDay, "--visitor-secret": visitorSecret };
  const [flag] = Object.entries(given).find(([, value]) => value !== undefined) ?? [];
  if (flag === undefined) return;
  throw new AnalyticsError("usage", `${flag} is for exports.`, {
    hint: "Add --ndjson or --parquet <folder>.",
  });
}

/** The files of the command line, else those of `--logs`, the environment or the profile. */
function findFlags({ environment }: Io, files: string[], flags: SourceFlags): SourceFlags {
  if (files.length > 0) return { ...flags, logs: files };
  const local = findLocal(flags, environment);
  if (local?.kind === logs) return local.flags;
  throw new AnalyticsError("usage", "Name the log files.", {
    hint: "Such as analytics-mcp logs '/var/log/nginx/access.log*'",
  });
}
