import { quoteIfNeeded } from "../../errors.ts";
import { buildReportPage } from "../../mcp/report-page.ts";
import { headFilter } from "../../operations/filter.ts";
import { formatNotes } from "../../operations/note.ts";
import { formatSpan } from "../../operations/period.ts";
import { listNotes } from "../../operations/view.ts";
import { hasLookalikes, NUMBER_NOTE } from "../../render/clean-rows.ts";
import { cleanText } from "../../render/clean-text.ts";
import { escapeMarkdown, formatMarkdown } from "../../render/markdown.ts";
import { nameFile } from "../../reports/file-name.ts";
import { type ReportedOverview, reportResult } from "../../reports/overview.ts";
import type { Answer } from "../../reports/query.ts";
import type { Source } from "../../sources/source-types.ts";
import type { Io } from "../io.ts";
import { formatMark, type ReportFormat } from "./report-file.ts";
import { type Appearance, readScreen } from "./terminal.ts";

/** Formats the answer of `letterQuery` as a mail. */
export async function formatMail(
  io: Io,
  answer: Answer,
  source: Source,
  { mail, ...appearance }: { mail: string } & Appearance,
): Promise<string> {
  const { composeMail } = await import("./report-mail.ts");
  const report = reportResult().parse(answer.result);
  const content = {
    title: titleOf(report),
    to: mail,
    date: io.clock(),
    source: source.options,
    origin: [await describeSource(source), formatMark(io.version, report.period)],
  };
  return composeMail(answer, content, readScreen(io, "stdout", appearance));
}

const titleOf = ({ site, filter, period }: ReportedOverview) =>
  cleanText(`${quoteIfNeeded(site.domain)}${headFilter(filter)}, ${formatSpan(period)}`);

/** Formats the answer of `reportQuery` as a document, with a name for its file. */
export async function formatReport(
  io: Io,
  { result, views, empty }: Answer,
  source: Source,
  { format, ...appearance }: { format: ReportFormat } & Appearance,
): Promise<{ text: string; name: string }> {
  const report = reportResult().parse(result);
  const { period } = report;
  const screen = readScreen(io, "stdout", appearance);
  const numbers = new Intl.NumberFormat(screen.locale);
  const notes = [
    await describeSource(source),
    ...formatNotes(listNotes(views), "people", (value) => numbers.format(value)),
    ...(views.some(({ rows }) => hasLookalikes(rows)) ? [NUMBER_NOTE] : []),
    formatMark(io.version, period),
  ].map((note) => cleanText(note, 400));
  const name = `${nameFile(report)}.html`;
  if (format === "html") {
    return {
      name,
      text: await buildReportPage(titleOf(report), { result: report, notes, empty }, screen.locale),
    };
  }
  const tables = empty === undefined ? formatMarkdown(views, screen) : escapeMarkdown(cleanText(empty));
  const list = notes.map((note) => `- ${escapeMarkdown(note)}`).join("\n");
  return { name, text: `${tables}\n\n${list}` };
}

/** Where the numbers are from. Without it, a reader of the file could not tell that they are made up. */
async function describeSource(source: Source): Promise<string> {
  if (source.kind === "local") return source.about.note ?? `Source: ${source.about.label}.`;
  const { host } = new URL((await source.readAccess()).baseUrl);
  const { label, note } = source.about;
  return `Source: ${note === undefined ? host : `${label} at ${host}`}.`;
}
