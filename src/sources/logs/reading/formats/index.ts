import type { KnownFormat, LineParser, LogFormat } from "../log-line.ts";
import { alb } from "./alb.ts";
import { boundLine } from "./bounds.ts";
import { clf } from "./clf.ts";
import { jsonLines } from "./json-lines.ts";
import { w3c } from "./w3c.ts";

export const logFormats: readonly KnownFormat[] = [clf, jsonLines, w3c, alb];

/** Creates the parser of one file. Every field of a line it returns is bounded: no later expression sees more. */
export function createLineParser(format: LogFormat): LineParser {
  const parse = format.createParser();
  return (line) => {
    const parsed = parse(line);
    return typeof parsed === "object" ? boundLine(parsed) : parsed;
  };
}

/** What the beginning of a file is. */
export type Detected = { kind: "access"; format: LogFormat } | { kind: "error-log" | "empty" | "unknown" };

/** Recognizes a file by its first lines: the format that reads most of them, and at least half. */
export function detectFormat(lines: readonly string[]): Detected {
  const filled = lines.filter((line) => line.trim() !== "");
  if (filled.length === 0) return { kind: "empty" };
  const scores = logFormats.map((format) => {
    const parse = createLineParser(format);
    return { format, read: filled.filter((line) => parse(line) !== undefined).length };
  });
  const best = scores.reduce((a, b) => (b.read > a.read ? b : a));
  if (best.read * 2 >= filled.length) return { kind: "access", format: specialize(best.format, filled) };
  return { kind: filled.some((line) => ERROR_LINE.test(line)) ? "error-log" : "unknown" };
}

/** A format as the file with these first lines has it. */
export const specialize = (format: LogFormat, lines: readonly string[]): LogFormat =>
  format.specialize?.(lines) ?? format;

/** The first words of a line in nginx's error log, and in Apache's. */
const ERROR_LINE = /^\d{4}\/\d\d\/\d\d \d\d:\d\d:\d\d \[[a-z]+\] |^\[\w{3} \w{3} \d\d [\d:.]+ \d{4}\] \[/;
