import { readFileSync, writeFileSync } from "node:fs";

/** Each bench writes its own chapter of this file. */
const RESULTS = "bench/RESULTS.md";

export const table = (head: string[], rows: (string | number)[][]) =>
  [head, head.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |`).join("\n");

/** Prints a section and writes it to its chapter, in place of the section with the same heading. */
export function publish(chapter: string, section: string, { trial }: { trial: boolean }): void {
  process.stdout.write(`${section}\n\n`);
  if (trial) return;
  const [heading = ""] = section.split("\n");
  writeFileSync(RESULTS, replaceSection(readFileSync(RESULTS, "utf8"), chapter, heading, section));
}

/** Replaces the section with the same heading, or adds it at the end of its chapter. */
export function replaceSection(document: string, chapter: string, heading: string, section: string): string {
  const lines = document.trimEnd().split("\n");
  const findEnd = (level: RegExp, from: number) => {
    const end = lines.findIndex((line, index) => index > from && level.test(line));
    return end === -1 ? lines.length : end;
  };
  const top = lines.indexOf(chapter);
  if (top === -1) throw new Error(`There is no chapter ${chapter}.`);
  const bottom = findEnd(/^## /, top);
  // Other chapters may have a section with the same heading.
  const within = lines.slice(top, bottom).indexOf(heading);
  const start = within === -1 ? bottom : top + within;
  const end = within === -1 ? bottom : findEnd(/^##?#? /, start);
  const before = lines.slice(0, start).join("\n").trimEnd();
  const behind = lines.slice(end).join("\n").trim();
  return `${[before, section.trim(), behind].filter((part) => part !== "").join("\n\n")}\n`;
}
