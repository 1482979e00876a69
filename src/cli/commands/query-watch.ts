import { AnalyticsError, quoteWord } from "../../errors.ts";
import { formatJson } from "../../render/clean-text.ts";
import type { Answer } from "../../reports/query.ts";
import type { Io } from "../io.ts";
import type { Output } from "../output/output-format.ts";
import { formatAnswer, printAnswer } from "../output/print-answer.ts";
import { printFailure, writeData } from "../output/streams.ts";

const DEFAULT_SECONDS = 10;
const MAX_SECONDS = 3_600;
/** More answers than the widest terminal has columns. */
const MAX_REMEMBERED = 200;
/** Failures that may be over at the next attempt. Any other ends the watch. */
const TEMPORARY = new Set(
  "unreachable timeout rate_limited internal_error unavailable bad_answer".split(" "),
);

/** Returns the milliseconds between two answers. Throws AnalyticsError `usage` for anything but a number of seconds. */
export function readInterval(text: true | string): number {
  if (text === true) return DEFAULT_SECONDS * 1_000;
  if (/^[1-9]\d{0,3}$/.test(text) && Number(text) <= MAX_SECONDS) return Number(text) * 1_000;
  throw new AnalyticsError(
    "usage",
    `--watch must be a whole number of seconds from 1 to ${MAX_SECONDS}, not ${quoteWord(text)}.`,
    {
      hint: `Without a number, it is ${DEFAULT_SECONDS} seconds.`,
    },
  );
}

/**
 * Asks again and again until the process is asked to stop. At a terminal the page is redrawn with a chart of the
 * answers so far; elsewhere each answer is one line. Throws failures that retrying cannot fix.
 */
export async function watch(io: Io, ask: () => Promise<Answer>, interval: number, given: Output) {
  // A pager would stop the watch. Where the output is no terminal, each answer would be a table of its own.
  const isRedrawn = io.stdout.isTTY === true && given.format === "table";
  const format = given.format === "table" && !isRedrawn ? "tsv" : given.format;
  const output: Output = { ...given, format, pager: false };
  const stop = new AbortController();
  const stopped = io.untilStopped().then(() => stop.abort());
  const seen: Seen[] = [];
  let isFirst = true;
  while (!stop.signal.aborted) {
    const outcome = await Promise.race([ask().catch((failure: unknown) => ({ failure })), stopped]);
    if (outcome === undefined) break;
    if ("failure" in outcome) {
      if (!(outcome.failure instanceof AnalyticsError) || !TEMPORARY.has(outcome.failure.code))
        throw outcome.failure;
      await printFailure(io, outcome.failure, output.format);
      const last = seen.at(-1);
      if (last) seen.push({ ...last, visitors: null });
    } else if (isRedrawn) {
      const { visitors = null, as_of } = outcome.views[0]?.rows[0] ?? {};
      seen.push({ visitors: Number(visitors), time: String(as_of).slice(...CLOCK) });
      await redraw(io, outcome, seen.slice(-MAX_REMEMBERED), output);
    } else {
      await printLine(io, outcome, output, isFirst);
      isFirst = false;
    }
    await io.pause(interval, stop.signal);
  }
}

/** An answer, by the clock at the site: hours and minutes. Its visitors are null if the question failed. */
interface Seen {
  visitors: number | null;
  time: string;
}

/** Where a timestamp has hours and minutes. */
const CLOCK = ["2026-11-20T".length, "2026-11-20T14:00".length] as const;

async function redraw(io: Io, answer: Answer, seen: Seen[], output: Output): Promise<void> {
  const [view] = answer.views;
  const starts = seen.map(({ time }) => time);
  if (view) {
    view.series = {
      label: "active visitors while watching",
      from: starts[0] ?? "",
      values: seen.map(({ visitors }) => visitors),
      partial: false,
      interval: { name: "answer", starts, to: starts.at(-1) ?? "" },
    };
  }
  // Cursor to the top, then clear to the end of the screen.
  io.stdout.write("\u001b[H\u001b[J");
  await printAnswer(io, answer, output);
}

/** Prints an answer, which has one row, as one line. What comes before the row is only printed the first time. */
async function printLine(io: Io, answer: Answer, output: Output, isFirst: boolean): Promise<void> {
  if (output.format === "json") return writeData(io, formatJson(answer.result));
  const lines = (await formatAnswer(io, answer, output)).split("\n");
  await writeData(io, lines.slice(isFirst ? 0 : -1).join("\n"));
}
