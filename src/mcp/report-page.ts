import { formatJson } from "../render/clean-text.ts";
import { cleanValue } from "../render/clean-value.ts";

/**
 * The chart as a file of its own: it holds its answer, loads nothing, and its policy allows no other script.
 *
 * @param report An overview with its text as visitors wrote it, and notes on it; `empty` is shown in its place.
 */
export async function buildReportPage(
  title: string,
  {
    result,
    notes,
    empty,
  }: { result: Record<string, unknown>; notes: readonly string[]; empty?: string | undefined },
): Promise<string> {
  const { reportPage } = await import("./chart-pages.ts");
  // A tool's answer has its notes in a receipt.
  const answer = { ...(empty === undefined ? cleanValue(result) : { message: empty }), receipt: { notes } };
  return (
    reportPage
      .replace("{{title}}", () => escapeHtml(title))
      // Without "<", the answer can neither end its element nor begin a comment.
      .replace('"{{answer}}"', () => formatJson(answer).replaceAll("<", "\\u003c"))
  );
}

const escapeHtml = (text: string) => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
