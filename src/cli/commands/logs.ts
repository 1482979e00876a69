import { AnalyticsError } from "../../errors.ts";
import { findLocal } from "../../sources/local-choice.ts";
import { logs } from "../../sources/logs.ts";
import { openPipe } from "../../sources/resolve-source.ts";
import type { SourceFlags } from "../../sources/source-types.ts";
import type { Io } from "../io.ts";
import { addOutputOptions, type OutputFlags, readOutput } from "../output/output-format.ts";
import { printAnswer } from "../output/print-answer.ts";
import { type CommandDefinition, ShellCommand } from "./command.ts";

/** `analytics-mcp logs`: reads access logs and shows what would be counted, and what not. */
export const command: CommandDefinition = {
  group: "Ask:",
  summary: "Show what access logs hold, what of it would be counted, and why",
  create: createLogsCommand,
};

function createLogsCommand(io: Io): ShellCommand {
  const command = new ShellCommand("logs")
    .taking(["--logs"])
    .withExamples(
      "analytics-mcp logs '/var/log/nginx/access.log*' --site example.com",
      "analytics-mcp logs example.com=/var/log/nginx/example.log",
      "zcat access.log.*.gz | analytics-mcp logs -",
    )
    .description(
      "Read access logs and show what would be counted: files, sites, top pages, and what each line counts as, in numbers that add up to the lines. Takes the options of --logs. - stands for standard input.",
    )
    .argument("[files...]", "files, folders or patterns, such as '/var/log/nginx/access.log*'")
    .option("--site <site>", "the site of a log that names none; repeat it to choose among hosts", collect)
    .action(async (files: string[], _, self: ShellCommand) => {
      const flags = self.optsWithGlobals<SourceFlags & OutputFlags>();
      const [{ readLogSettings }, { createReplay }, { dryRun }, { buildLogViews }] = await Promise.all([
        import("../../sources/logs/open.ts"),
        import("../../sources/logs/replay.ts"),
        import("../../sources/logs/dry-run.ts"),
        import("./logs-views.ts"),
      ]);
      const settings = readLogSettings(findFlags(io, files, flags), io.environment.ANALYTICS_SITE);
      const stdin = createReplay(() => openPipe(io.stdin));
      const result = await dryRun({ ...settings, stdin }, io.clock);
      await printAnswer(
        io,
        { params: {}, result: { ...result }, views: buildLogViews(result) },
        readOutput(io, flags),
      );
    });
  addOutputOptions(command, "outcome,lines");
  return command;
}

const collect = (value: string, earlier: string[] = []) => [...earlier, value];

/** The files of the command line, else those of `--logs`, the environment or the profile. */
function findFlags({ environment }: Io, files: string[], flags: SourceFlags): SourceFlags {
  if (files.length > 0) return { ...flags, logs: files };
  const local = findLocal(flags, environment);
  if (local?.kind === logs) return local.flags;
  throw new AnalyticsError("usage", "Name the log files.", {
    hint: "Such as analytics-mcp logs '/var/log/nginx/access.log*'",
  });
}
