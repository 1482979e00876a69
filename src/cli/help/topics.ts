import { environment } from "../../documents/environment.ts";
import { paint, type Screen } from "../../render/terminal-screen.ts";
import { measure, pad, wrap } from "../../render/text-width.ts";
import { exitCodeMeanings } from "../exit-codes.ts";

interface Topic {
  title: string;
  /** A paragraph, or terms with what they mean. */
  parts: (string | Readonly<Record<string, string>>)[];
}

/** What help there is besides that of commands. */
export const topics = {
  environment: {
    title: "Environment variables",
    parts: [environment, "What the command line says goes before the environment."],
  },
  "exit-codes": {
    title: "Exit codes",
    parts: [
      exitCodeMeanings,
      "With --json a failure is JSON on stderr too: an object error with code, message and hint.",
    ],
  },
  formatting: {
    title: "What is printed",
    parts: [
      "Data goes to stdout, everything else to stderr.",
      {
        "at a terminal":
          "Tables in its width, with bars, sparklines and charts; numbers and names of countries as LC_ALL, LC_NUMERIC or LANG say.",
        "in a pipe":
          "Tab-separated values with a header line; numbers as they are, nothing where there is none.",
        "--csv":
          "Comma-separated values. A text that a spreadsheet would take for a formula gets an apostrophe before it.",
        "--json": "The service's answer, or, with --fields, a list of rows.",
        "--fields": "Some columns alone, in the order given, in every format.",
        "--plain": "No pictures and no arrows, for screen readers and plain terminals (as with TERM=dumb).",
        "--color": "auto (colours at a terminal), always or never. NO_COLOR turns them off, FORCE_COLOR on.",
      },
      "Names that visitors can write (pages, referrers, campaigns, events) are shown without control and invisible characters; --json has them escaped, and in full.",
    ],
  },
  profiles: {
    title: "Profiles",
    parts: [
      "A profile is a service's address, the key for it, and perhaps a site to ask about where none is named. login saves one, logout forgets it, and whoami --all lists them.",
      "Where the key comes from; the first that is there decides:",
      {
        "--profile": "The profile of that name.",
        "--api-key-…":
          "--api-key-file or --api-key-stdin; the address is that of --base-url or ANALYTICS_BASE_URL.",
        ANALYTICS_API_KEY: "Likewise, with --base-url or ANALYTICS_BASE_URL.",
        ANALYTICS_PROFILE: "The profile of that name.",
        "none of these": "The profile named default, or the only one.",
      },
      "A profile's key goes to its own address alone. whoami shows what was decided, and why.",
    ],
  },
} as const satisfies Record<string, Topic>;

export function formatTopic(name: keyof typeof topics, screen: Screen): string {
  const { title, parts } = topics[name];
  return [
    paint(screen, "bold", title),
    ...parts.map((part: string | Readonly<Record<string, string>>) =>
      typeof part === "string" ? wrap(part, screen.width) : formatTerms(part, screen.width),
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
