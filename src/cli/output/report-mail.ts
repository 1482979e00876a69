import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { AnalyticsError, quoteWord } from "../../errors.ts";
import { formatMailPage, type MailContent } from "../../render/mail-page.ts";
import { createCellFormat } from "../../render/table-cells.ts";
import { formatPage } from "../../render/terminal-page.ts";
import type { Screen } from "../../render/terminal-screen.ts";
import { wrap } from "../../render/text-width.ts";
import { MEASURE_NAMES } from "../../reports/report-fields.ts";

/** As wide as text in mails is. */
const TEXT_WIDTH = 72;

export interface Mail extends MailContent {
  to: string;
  /** Milliseconds since 1970. */
  date: number;
}

/**
 * A mail as `sendmail -t` takes it: as text and as a page. Who it is from, that program knows.
 *
 * @param screen How the reader's numbers are written.
 */
export async function composeMail({ to, date, ...content }: Mail, screen: Screen): Promise<string> {
  const { default: MimeNode } = await import("nodemailer/lib/mime-node");
  const message = new MimeNode("multipart/alternative", { newline: "linux" });
  message.setHeader({
    to: await readAddresses(to),
    subject: `${content.title}${describeVisitors(content, screen)}`,
    date: new Date(date),
    "message-id": `<${randomUUID()}@${hostname()}>`,
    // So that nobody's absence notice answers it.
    "auto-submitted": "auto-generated",
  });
  message.createChild("text/plain; charset=utf-8").setContent(formatText(content, screen));
  message.createChild("text/html; charset=utf-8").setContent(formatMailPage(content, screen));
  return String(await message.build());
}

/** The visitors with their change, as the subject says them; empty where there are none to show. */
function describeVisitors({ views, empty }: MailContent, screen: Screen): string {
  const [first] = views;
  const row = first?.rows.find(({ label }) => label === MEASURE_NAMES.visitors);
  if (row === undefined || empty !== undefined) return "";
  const format = createCellFormat({ ...screen, pictures: false });
  const [count = "", change] = ["current", "percent"].flatMap((key) => {
    const column = first?.columns.find((each) => each.key === key);
    return column && typeof row[key] === "number" ? [format(column, row)] : [];
  });
  return `: ${count} visitors${change === undefined ? "" : ` (${change})`}`;
}

function formatText({ views, notes, empty }: MailContent, screen: Screen): string {
  const page = { ...screen, width: TEXT_WIDTH, color: false, pictures: false };
  const body = empty === undefined ? formatPage(views, page) : wrap(empty, TEXT_WIDTH);
  const list = notes.map((note) => wrap(`- ${note}`, TEXT_WIDTH, "  ")).join("\n");
  return `${body}\n\n${list}\n`;
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
