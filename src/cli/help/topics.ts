import { environment } from "../../documents/environment.ts";
import { PERIOD_FORMS } from "../../operations/period-words.ts";
import { paint, type Screen } from "../../render/terminal-screen.ts";
import { measure, pad, wrap } from "../../render/text-width.ts";
import { exitCodeMeanings } from "../exit-codes.ts";
import type { OutputFormat } from "../output/output-format.ts";
import type { TopicName } from "./topic-names.ts";

/** Stands for the options of the program. */
const OPTIONS = {};

interface Topic {
  title: string;
  /** Paragraphs, or terms with their meanings. */
  parts: (string | Readonly<Record<string, string>>)[];
}

const OUTPUTS: Readonly<Record<`--output ${OutputFormat}`, string>> = {
  "--output table": "Tables, in a pipe too; --color always does the same.",
  "--output tsv": "Tab-separated values, at a terminal too.",
  "--output csv": "Or --csv. Comma-separated values with a header line.",
  "--output json": "Or --json. The whole answer; with --fields, a list of rows.",
  "--output ndjson": "One row per line, as JSON.",
  "--output markdown": "Tables for GitHub and other Markdown, with local numbers.",
};

const topics = {
  environment: {
    title: "Environment variables",
    parts: [environment, "Options override the environment."],
  },
  "exit-codes": {
    title: "Exit codes",
    parts: [
      exitCodeMeanings,
      "With --json, a failure is JSON on stderr: an object `error` with code, message and hint.",
    ],
  },
  filters: {
    title: "Filters",
    parts: [
      "--filter takes a dimension, = or !=, and a value. Repeat it: all must hold. breakdown --help lists the dimensions.",
      {
        "countries='DE|AT'": "Visits from Germany or Austria. | separates alternatives.",
        "pages='/blog/*'":
          "Only what happened on these pages. * is any text. A page alone will do: /pricing.",
        "pages!='/blog/*'": "Everything else, also of people who read the blog.",
        "visit:pages=/pricing": "Whole visits with that page; with !=, those without it.",
        "referrers=": "Visits without a referrer; referrers='*' are those with one.",
      },
      "Quote | and * for the shell. A backslash makes the next character literal.",
    ],
  },
  formatting: {
    title: "Output",
    parts: [
      "Data goes to stdout, everything else to stderr.",
      {
        "at a terminal":
          "Tables that fit its width, with bars, sparklines and charts; numbers and country names in the language of LC_ALL, LC_NUMERIC or LANG.",
        "in a pipe": "Tab-separated values with a header line. Numbers are plain; a missing one is empty.",
        ...OUTPUTS,
        "--fields": "Only these columns, in this order, in every format.",
        "--explain": "All notes. Otherwise, a terminal has at most three lines of them, and all warnings.",
        "--quiet": "No notes, only warnings that change what a number means.",
        "--no-pager":
          "No pager. Otherwise an answer longer than the screen is shown in ANALYTICS_PAGER, else in PAGER; empty or cat means none.",
        "--plain": "No bars, charts or arrows, for screen readers and plain terminals (as with TERM=dumb).",
        "--color":
          "auto (colours at a terminal), always (and tables in a pipe) or never. NO_COLOR turns them off, FORCE_COLOR on.",
      },
      "In tsv and csv, text that a spreadsheet would run as a formula is prefixed with an apostrophe.",
      "If an answer has several tables, tsv and csv print them as one, whose first column names the table.",
      "↑ in a chart marks a day that is off the scale; its number is beside the chart.",
      "Names that visitors can write (pages, referrers, campaigns, events) are shown without control and invisible characters; json and ndjson have them in full, escaped.",
    ],
  },
  options: {
    title: "Options on the source, the key and the looks of an answer",
    parts: [OPTIONS, "A command's help names those that it takes."],
  },
  periods: {
    title: "Periods",
    parts: [
      `--period can be ${PERIOD_FORMS}.`,
      "--days 7 is today and the six days before. --from and --to choose dates. All follow the site's timezone.",
    ],
  },
  profiles: {
    title: "Profiles",
    parts: [
      "A profile is a service's address, the key for it, and perhaps a default site. login saves one, logout forgets it, and whoami --all lists them.",
      "The key comes from the first of these:",
      {
        "--profile": "The profile of that name.",
        "--api-key-…": "--api-key-file or --api-key-stdin, with --base-url or ANALYTICS_BASE_URL.",
        ANALYTICS_API_KEY: "With --base-url or ANALYTICS_BASE_URL.",
        ANALYTICS_PROFILE: "The profile of that name.",
        "none of these": "The profile named default, or the only one.",
      },
      "A saved key is only sent to its saved address. whoami shows which key and address are used, and why.",
    ],
  },
} as const satisfies Record<TopicName, Topic>;

/** @param options The options of the program with their descriptions. */
export function formatTopic(
  name: TopicName,
  screen: Screen,
  options: readonly (readonly [string, string])[],
): string {
  const { title, parts } = topics[name];
  return [
    paint(screen, "bold", title),
    ...parts.map((part: string | Readonly<Record<string, string>>) =>
      typeof part === "string"
        ? wrap(part, screen.width)
        : formatTerms(part === OPTIONS ? Object.fromEntries(options) : part, screen.width),
    ),
  ].join("\n\n");
}

function formatTerms(terms: Readonly<Record<string, string>>, width: number): string {
  const margin = Math.max(...Object.keys(terms).map(measure)) + 4;
  return Object.entries(terms)
    .map(([term, meaning]) => {
      const lines = wrap(meaning, Math.max(20, width - margin)).split("\n");
      return lines
        .map((line, index) => pad(index === 0 ? `  ${term}` : "", margin, "left") + line)
        .join("\n");
    })
    .join("\n");
}
