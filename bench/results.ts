import { readFileSync, writeFileSync } from "node:fs";

/** Where the benches write what they measured, each into its own chapter. */
const RESULTS = "bench/RESULTS.md";

export const table = (head: string[], rows: (string | number)[][]) =>
  [head, head.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |`).join("\n");

/** Prints a section, and writes it into its chapter under the heading that it starts with. */
export function publish(chapter: string, section: string, { trial }: { trial: boolean }): void {
  process.stdout.write(`${section}\n\n`);
  if (trial) return;
  const [heading = ""] = section.split("\n");
  writeFileSync(RESULTS, replaceSection(readFileSync(RESULTS, "utf8"), chapter, heading, section));
}

/** The document with a section new under its heading, at the end of its chapter where it was not there. */
export function replaceSection(document: string, chapter: string, heading: string, section: string): string {
  const lines = document.trimEnd().split("\n");
  const findEnd = (level: RegExp, from: number) => {
    const end = lines.findIndex((line, index) => index > from && level.test(line));
    return end === -1 ? lines.length : end;
  };
  const top = lines.indexOf(chapter);
  if (top === -1) throw new Error(`There is no chapter ${chapter}.`);
  const bottom = findEnd(/^## /, top);
  // Other chapters may have a section of the same name.
  const within = lines.slice(top, bottom).indexOf(heading);
  const start = within === -1 ? bottom : top + within;
  const end = within === -1 ? bottom : findEnd(/^##?#? /, start);
  const before = lines.slice(0, start).join("\n").trimEnd();
  const behind = lines.slice(end).join("\n").trim();
  return `${[before, section.trim(), behind].filter((part) => part !== "").join("\n\n")}\n`;
}
