import { Option } from "commander";
import { AnalyticsError } from "../../errors.ts";
import type { SourceFlags } from "../../sources/source-types.ts";
import type { Io } from "../io.ts";
import type { ShellCommand } from "./command.ts";

/** The option that says which site a log is about. */
export const createSiteOption = () =>
  new Option(
    "--site <site>",
    "with --logs: the site of logs that name none; repeat it to choose among hosts",
  ).argParser((value: string, earlier: string[] = []) => [...earlier, value]);

/** Adds that option to a command that takes logs, unless `--site` means something else there. */
export function addSiteOption({ environment }: Io, command: ShellCommand): ShellCommand {
  const takesLogs = command.access.includes("--logs");
  if (!takesLogs || command.options.some(({ long }) => long === "--site")) return command;
  command.addOption(createSiteOption().hideHelp());
  return command.hook("preAction", async () => {
    const flags = command.optsWithGlobals<SourceFlags>();
    if (flags.site === undefined) return;
    const { findLocal } = await import("../../sources/local-choice.ts");
    if (findLocal(flags, environment)?.kind.takesSite) return;
    throw new AnalyticsError("usage", `With ${command.name()}, --site is only for --logs and --clickhouse.`, {
      hint: "Add --logs and your log files, or leave out --site.",
    });
  });
}
