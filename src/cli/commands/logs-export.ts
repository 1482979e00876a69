import { readVisitorSecret } from "../../config/visitor-secret.ts";
import { AnalyticsError, quoteIfNeeded, quoteWord } from "../../errors.ts";
import { formatJson } from "../../render/clean-text.ts";
import { formatCount } from "../../render/plural.ts";
import type { Hit } from "../../sources/hits.ts";
import { type ExportSummary, exportHits } from "../../sources/logs/command/export-hits.ts";
import { type LogSettings, quotePatterns } from "../../sources/logs/settings.ts";
import type { Io } from "../io.ts";
import { printNote } from "../output/streams.ts";

export interface ExportFlags {
  ndjson?: true;
  parquet?: string;
  since?: string;
  withFirstDay?: true;
  visitorSecret?: string;
}

/** Writes the hits of closed days to stdout, one JSON object per line, or to Parquet files; and a summary to stderr. */
export async function writeHits(io: Io, settings: LogSettings, flags: ExportFlags): Promise<void> {
  if (flags.ndjson && flags.parquet !== undefined) {
    throw new AnalyticsError("usage", "Use --ndjson or --parquet, not both.", {
      hint: "--ndjson prints the hits, --parquet writes files into a folder.",
    });
  }
  const since = readDate(flags.since);
  const secret = readVisitorSecret(flags.visitorSecret, io.environment);
  const output =
    flags.parquet === undefined ? createLineWriter(io.stdout) : await createFileWriter(flags.parquet);
  try {
    const summary = await exportHits(settings, io.clock, {
      secret,
      since,
      hasFirstDay: flags.withFirstDay === true,
      write: output.write,
    });
    await output.end();
    for (const note of describeExport(summary, settings)) await printNote(io, note);
  } finally {
    output.abandon();
  }
}

/** Takes hits, one after the other. */
interface HitWriter {
  write(hit: Hit): void;
  end(): Promise<void>;
  /** Removes what is not complete. */
  abandon(): void;
}

async function createFileWriter(folder: string): Promise<HitWriter> {
  const { createHitFiles } = await import("../../sources/logs/command/hit-files.ts");
  return { ...createHitFiles(folder), end: async () => {} };
}

function describeExport(
  { days, open, unknown, late, damaged }: ExportSummary,
  { files }: LogSettings,
): string[] {
  const written = days.filter(({ leftOut }) => leftOut === undefined);
  const hits = written.reduce((sum, day) => sum + day.hits, 0);
  const list = (some: readonly { site: string; date: string }[]) =>
    some.map(({ site, date }) => `${date} (${quoteIfNeeded(site)})`).join(", ");
  const leftOut = (reason: string) => days.filter((day) => day.leftOut === reason);
  const [first, proxied] = [leftOut("first_day"), leftOut("proxied")];
  return [
    `Wrote ${formatCount(hits, "hit")} of ${formatCount(written.length, "day")}.`,
    ...(open.length > 0 ? [`Not yet written: ${list(open)}. A day is closed 24 hours after it ended.`] : []),
    ...unknown.map(
      (site) =>
        `No line is about ${quoteIfNeeded(site)}. To see which hosts there are: analytics-mcp logs ${quotePatterns(files)}`,
    ),
    ...(first.length > 0
      ? [
          `Left out: ${list(first)}, on which the log begins. If the log has all of that day, add --with-first-day.`,
        ]
      : []),
    ...(proxied.length > 0
      ? [
          `Left out: ${list(proxied)}, on which nearly all page views come from a few addresses, as if from a proxy in front of the server. See --trust-forwarded and --accept-proxy-addresses.`,
        ]
      : []),
    ...(late > 0
      ? [`${formatCount(late, "line")} came after their day had been written, and are not in the export.`]
      : []),
    ...damaged.map(({ path, damage }) => `${path} could not be read to its end: ${damage?.reason}`),
  ];
}

function readDate(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const date = new Date(`${text}T00:00:00Z`);
  const isDate = !Number.isNaN(date.getTime()) && date.toISOString().slice(0, 10) === text;
  if (isDate) return text;
  throw new AnalyticsError("usage", `--since must be a date such as 2026-11-01, not ${quoteWord(text)}.`);
}

const CHUNK = 65_536;

/** Writes lines in large chunks. Fails if the reader stops early, since it does not have everything. */
function createLineWriter(stream: Io["stdout"]): HitWriter {
  let lines: string[] = [];
  let size = 0;
  let failure: Error | undefined;
  const flush = (done?: () => void) => {
    const text = lines.join("");
    [lines, size] = [[], 0];
    stream.write(text, (error) => {
      failure ??= error ?? undefined;
      done?.();
    });
  };
  return {
    write: (hit) => {
      if (failure !== undefined) throw createClosedPipeError(failure);
      const line = formatJson(hit);
      lines.push(`${line}\n`);
      size += line.length;
      if (size >= CHUNK) flush();
    },
    end: async () => {
      await new Promise<void>((resolve) => flush(resolve));
      if (failure !== undefined) throw createClosedPipeError(failure);
    },
    abandon: () => {},
  };
}

const createClosedPipeError = (cause: Error) =>
  new AnalyticsError("usage", "Not all hits could be written: the program that reads them stopped.", {
    hint: "Fix it and load them again: hits that are there already are replaced, not added.",
    cause,
  });
