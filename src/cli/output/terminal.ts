import type { Environment } from "../../config/variables.ts";
import { AnalyticsError, quoteWord } from "../../errors.ts";
import type { Screen } from "../../render/terminal-screen.ts";
import type { Io } from "../io.ts";

/** Options on colours and pictures. */
export interface Appearance {
  color?: string | undefined;
  plain?: boolean | undefined;
}

export const colorChoices = ["auto", "always", "never"] as const;

const DEFAULT_SIZE = { width: 80, height: 24 };
/** Longer lines are no easier to read. */
const MAX_WIDTH = 200;
const MIN_WIDTH = 20;

/** Reads the size, colours and locale of the terminal behind a stream. Throws AnalyticsError `usage` for an unknown `--color`. */
export function readScreen(io: Io, stream: "stdout" | "stderr", flags: Appearance): Screen {
  const { isTTY = false, columns, rows } = io[stream];
  const isDumb = io.environment.TERM === "dumb";
  return {
    width: Math.min(MAX_WIDTH, Math.max(MIN_WIDTH, (isTTY && columns) || DEFAULT_SIZE.width)),
    height: (isTTY && rows) || DEFAULT_SIZE.height,
    color: readColor(flags.color ?? "auto", io.environment, isTTY),
    pictures: flags.plain !== true && !isDumb,
    // Read only when numbers are formatted: looking up locales takes longer than the rest of `--help`.
    get locale() {
      return readLocale(io.environment);
    },
  };
}

/** `--color` overrides NO_COLOR (no-color.org), which overrides FORCE_COLOR, which overrides the terminal. */
function readColor(choice: string, environment: Environment, isTTY: boolean): boolean {
  if (choice === "always" || choice === "never") return choice === "always";
  if (choice !== "auto") {
    throw new AnalyticsError("usage", `--color must be auto, always or never, not ${quoteWord(choice)}.`, {
      hint: "With auto, a terminal has colours unless NO_COLOR or TERM=dumb is set; FORCE_COLOR turns them on anywhere.",
    });
  }
  const { NO_COLOR, FORCE_COLOR, TERM } = environment;
  if (NO_COLOR) return false;
  if (FORCE_COLOR !== undefined && FORCE_COLOR !== "") return FORCE_COLOR !== "0" && FORCE_COLOR !== "false";
  return isTTY && TERM !== "dumb";
}

/** The locale for numbers from POSIX's variables; English if it is unknown. */
function readLocale({ LC_ALL, LC_NUMERIC, LANG }: Environment): string {
  const name = (LC_ALL || LC_NUMERIC || LANG || "").replace(/[.@].*$/, "").replaceAll("_", "-");
  try {
    const [known] = Intl.NumberFormat.supportedLocalesOf(name === "" || name === "C" ? "en-US" : name);
    return known ?? "en-US";
  } catch {
    return "en-US";
  }
}
