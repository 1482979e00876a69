import type { OutputFormat } from "./output-format.ts";

/** How to print a failure, by the words of the command line alone: it may be one that cannot be read. */
export function readFailureFormat(words: readonly string[]): OutputFormat | undefined {
  if (words.includes("--json")) return "json";
  return (["json", "ndjson"] as const).find(
    (format) =>
      words.includes(`--output=${format}`) ||
      words.some((word, index) => word === "--output" && words[index + 1] === format),
  );
}
