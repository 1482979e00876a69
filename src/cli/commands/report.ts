import { Option } from "commander";
import { AnalyticsError } from "../../errors.ts";
import type { Answer } from "../../reports/query.ts";
import { reportQuery } from "../../reports/site-report.ts";
import type { SourceFlags } from "../../sources/source-types.ts";
import type { Io } from "../io.ts";
import { openFile } from "../output/open-file.ts";
import { QUIET } from "../output/output-format.ts";
import { showProgress } from "../output/progress-line.ts";
import { formatMail, formatReport } from "../output/report-document.ts";
import { chooseTarget, writeReport } from "../output/report-file.ts";
import { printNote, writeData } from "../output/streams.ts";
import type { Appearance } from "../output/terminal.ts";
import { openQuerySource } from "../source.ts";
import { assertNotOption } from "../usage-error.ts";
import { access, type CommandDefinition, ShellCommand } from "./command.ts";
import { addQueryOptions } from "./query.ts";
import { readQueryInput } from "./query-input.ts";

interface ReportFlags extends SourceFlags, Appearance {
  out?: string;
  open?: true;
  force?: true;
  mail?: string;
  quiet?: boolean;
}

/** `analytics-mcp report`: writes the overview, with more lists, as a page or as Markdown. */
export const command: CommandDefinition = {
  group: "Ask:",
  summary: reportQuery.summary,
  create: (io) => {
    const report = new ShellCommand("report")
      .withAccess(access.all)
      .withExamples(...reportQuery.shell.examples)
      .description(
        `${reportQuery.summary}. The file contains the totals with their change, the trend beside that of the period before, and the top lists. The command prints the file's path. The page loads nothing from the network and prints on A4.`,
      );
    addQueryOptions(report, reportQuery);
    // The overview takes it; a path is never shown in a pager.
    report.addOption(new Option("--no-pager").hideHelp());
    return report
      .option(
        "-o, --out <file>",
        "file to write: .html or .md, or - for a page on stdout (default: the site, the days and the filter, such as example.com-2026-11-01-2026-11-30.html)",
      )
      .option("--open", "open the page in the browser")
      .option("--force", "replace a file that is not a report")
      .option("-q, --quiet", QUIET)
      .option(
        "--mail <address>",
        "print the report as a mail to this address, for sendmail -t or msmtp -t; separate several by commas",
      )
      .allowExcessArguments()
      .action(async () => {
        const flags = report.optsWithGlobals<ReportFlags>();
        for (const word of report.args) assertNotOption(word, reportQuery.name);
        const { params, options, fail } = await readQueryInput(reportQuery, report, flags);
        assertMailAlone(flags);
        const { file, format } = chooseTarget(flags.out, flags.force === true);
        if (file === "-" && flags.open) {
          throw new AnalyticsError("usage", "--open needs a file, but -o - writes none.", {
            hint: "Leave out one of the two.",
          });
        }
        const source = openQuerySource(io, flags, params);
        const query = flags.mail === undefined ? reportQuery : await loadLetter();
        const ask = () => query.ask(source.call, params, options);
        const reply = await showProgress(io, source, ask).catch((error) => fail(error, source.options));
        const answer = flags.quiet ? leaveOutNotes(reply) : reply;
        if (flags.mail !== undefined) {
          const mail = await formatMail(io, answer, source, { ...flags, mail: flags.mail });
          return writeData(io, mail.trimEnd());
        }
        const { text, name } = await formatReport(io, answer, source, { format, ...flags });
        if (file === "-") return writeData(io, text.trimEnd());
        const path = writeReport(file ?? name, text, flags.force === true);
        await writeData(io, path);
        if (flags.open) await openReport(io, path);
      });
  },
};

const leaveOutNotes = (answer: Answer): Answer => ({
  ...answer,
  views: answer.views.map((view) => ({ ...view, notes: [] })),
});

const loadLetter = async () => (await import("../../reports/letter.ts")).letterQuery;

/** A mail goes to the program that sends it. */
function assertMailAlone({ mail, out, open, force }: ReportFlags): void {
  const other = out !== undefined && out !== "-" ? "--out" : open ? "--open" : force ? "--force" : undefined;
  if (mail === undefined || other === undefined) return;
  throw new AnalyticsError("usage", `${other} cannot be combined with --mail, which prints the report.`, {
    hint: "Pipe it into the program that sends it: analytics-mcp report --mail you@example.com | sendmail -t",
  });
}

async function openReport(io: Io, path: string): Promise<void> {
  if (await openFile(path, io.environment)) return;
  await printNote(io, "warning: No program here could open the page. Open it in your browser.");
}
