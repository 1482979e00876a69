import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { AnalyticsError, quoteWord } from "../../errors.ts";
import { hasTrend } from "../../mcp/chart/trend-days.ts";
import { formatNotes } from "../../operations/note.ts";
import { areAddedUp } from "../../operations/period.ts";
import { formatCommand } from "../../operations/shell-command.ts";
import { listWarnings } from "../../operations/view.ts";
import { hasLookalikes, NUMBER_NOTE } from "../../render/clean-rows.ts";
import { cleanText } from "../../render/clean-text.ts";
import { formatPage } from "../../render/terminal-page.ts";
import type { Screen } from "../../render/terminal-screen.ts";
import { wrap } from "../../render/text-width.ts";
import { letterQuery } from "../../reports/letter.ts";
import type { Answer } from "../../reports/query.ts";
import { describeVisitors } from "./mail-lead.ts";
import { formatMailPage, type MailContent } from "./mail-page.ts";

/** As wide as text in mails is. */
const TEXT_WIDTH = 72;

interface Mail {
  to: string;
  /** Milliseconds since 1970. */
  date: number;
  title: string;
  /** Options that choose the source on the command line. */
  source: readonly string[];
  /** Where the numbers are from, and who made the mail. */
  origin: readonly string[];
}

/**
 * A letter as `sendmail -t` takes it: as text and as a page. Who it is from, that program knows.
 *
 * @param screen How the reader's numbers are written.
 */
export async function composeMail(
  { result, views, empty }: Answer,
  { to, date, title, source, origin }: Mail,
  screen: Screen,
): Promise<string> {
  const { default: MimeNode } = await import("nodemailer/lib/mime-node");
  const letter = letterQuery.result.parse(result);
  const { lead, subject } =
    empty === undefined ? describeVisitors(letter, screen) : { lead: [empty], subject: "" };
  const numbers = new Intl.NumberFormat(screen.locale);
  const format = (notes: Parameters<typeof formatNotes>[0]) =>
    formatNotes(notes, "people", (value) => numbers.format(value)).map((note) => cleanText(note, 400));
  const shown = empty === undefined ? views.filter(({ columns }) => columns.length > 0) : [];
  const { site, period, filter } = letter;
  const days = { period: period.from === period.to ? period.from : `${period.from}/${period.to}` };
  const content: MailContent = {
    title,
    lead,
    warnings: empty === undefined ? format(listWarnings(views)) : [],
    views: shown,
    trend: empty === undefined && hasTrend(letter.trend) ? letter.trend : undefined,
    command: formatCommand({ name: "report" }, { site: site.domain, ...days, ...(filter && { filter }) }, [
      ...source,
      "--open",
    ]),
    notes: [
      ...(empty === undefined && period.days > 1 && areAddedUp(letter.warnings)
        ? ["Visitors are daily unique visitors, added up."]
        : []),
      ...format(shown.flatMap(({ notes }) => notes)),
      ...(shown.some(({ rows }) => hasLookalikes(rows)) ? [NUMBER_NOTE] : []),
      ...origin,
    ],
  };
  const message = new MimeNode("multipart/alternative", { newline: "linux" });
  message.setHeader({
    to: await readAddresses(to),
    subject: `${title}${subject}`,
    date: new Date(date),
    "message-id": `<${randomUUID()}@${hostname()}>`,
    // So that nobody's absence notice answers it.
    "auto-submitted": "auto-generated",
  });
  message.createChild("text/plain; charset=utf-8").setContent(formatText(content, screen));
  message.createChild("text/html; charset=utf-8").setContent(formatMailPage(content, screen));
  return String(await message.build());
}

function formatText({ title, lead, warnings, views, command, notes }: MailContent, screen: Screen): string {
  const page = { ...screen, width: TEXT_WIDTH, color: false, pictures: false };
  const paragraphs = [`${title}: ${lead.join(" ")}`, ...warnings].map((text) => wrap(text, TEXT_WIDTH));
  const parts = [
    paragraphs.join("\n"),
    formatPage(views, page),
    `The rest:\n${command}\n${wrap(notes.join(" "), TEXT_WIDTH)}`,
  ];
  return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
}

/** Reads the addresses of `--mail`. Throws AnalyticsError `usage` for a text that is none. */
async function readAddresses(text: string) {
  const { default: parseAddresses } = await import("nodemailer/lib/addressparser");
  const found = parseAddresses(text, { flatten: true });
  const isComplete = found.every(({ address }) => /^[^\s@]+@[^\s@]+$/.test(address));
  if (found.length > 0 && isComplete && !/\p{Cc}/u.test(text)) return found;
  throw new AnalyticsError("usage", `--mail needs an address, not ${quoteWord(text)}.`, {
    hint: "Such as --mail you@example.com; separate several by commas.",
  });
}
