import { existsSync } from "node:fs";
import { dirname, extname, resolve } from "node:path";
import { readRegularFile } from "../../config/read-regular-file.ts";
import { replaceFile } from "../../config/replace-file.ts";
import { explainSystemError } from "../../config/system-error.ts";
import { AnalyticsError, quotePath } from "../../errors.ts";
import { readMember } from "../../member.ts";
import type { Period } from "../../operations/period.ts";

export type ReportFormat = "html" | "markdown";

interface ReportTarget {
  /** As given; `-` is stdout. If absent, the report's site and days are the name. */
  file?: string | undefined;
  format: ReportFormat;
}

const FORMATS: Readonly<Record<string, ReportFormat>> = {
  ".html": "html",
  ".htm": "html",
  ".md": "markdown",
  ".markdown": "markdown",
};

/** Reads `--out`. Throws AnalyticsError `usage` for another kind of file, and for one that must not be replaced. */
export function chooseTarget(file: string | undefined, force: boolean): ReportTarget {
  if (file === undefined || file === "-") return { file, format: "html" };
  const format = readMember(FORMATS, extname(file).toLowerCase());
  if (format === undefined) {
    throw new AnalyticsError("usage", `The file must end in .html or .md, not ${quotePath(file)}.`, {
      hint: "Use .html for a page and .md for Markdown; - writes a page to standard output.",
    });
  }
  const path = resolve(file);
  if (!existsSync(dirname(path))) {
    throw new AnalyticsError("usage", `There is no folder ${dirname(path)} to write the report to.`, {
      hint: "Create it, or choose another with -o.",
    });
  }
  assertReplaceable(path, force);
  return { file, format };
}

/** Writes a report that only its owner can read, and returns its path. Throws AnalyticsError `usage`, `unavailable`. */
export function writeReport(file: string, text: string, force: boolean): string {
  const path = resolve(file);
  assertReplaceable(path, force);
  try {
    replaceFile(path, `${text.trimEnd()}\n`);
  } catch (cause) {
    throw createFileError("written", path, cause);
  }
  return path;
}

/** A report may replace an earlier one, but no other file. */
function assertReplaceable(path: string, force: boolean): void {
  if (force || !existsSync(path) || isReport(readText(path))) return;
  throw new AnalyticsError("usage", `${path} is not a report, so it is not replaced.`, {
    hint: "Choose another name with -o, or replace it with --force.",
  });
}

function readText(path: string): string {
  try {
    return readRegularFile(path).toString();
  } catch (cause) {
    throw createFileError("read", path, cause);
  }
}

const createFileError = (what: "read" | "written", path: string, cause: unknown) =>
  new AnalyticsError("usage", `${path} cannot be ${what}: ${explainSystemError(cause)}.`, {
    hint: "Choose another file with -o.",
    cause,
  });

/** The last line of every report: what made it, and when. */
export const formatMark = (
  version: string,
  { as_of, timezone = "UTC" }: Pick<Period, "as_of"> & { timezone?: string | undefined },
): string => `Made with analytics-mcp ${version}, ${as_of.slice(0, 16).replace("T", " ")} (${timezone}).`;

/** Whether a file is a report, so that a new one may replace it. */
const isReport = (text: string): boolean => /^.*\bMade with analytics-mcp \S+, \d{4}-\d\d-\d\d /m.test(text);
