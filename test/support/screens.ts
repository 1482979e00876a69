import { service } from "./network.ts";
import { runShell, type ShellOptions } from "./shell.ts";

export const WIDTHS = [60, 80, 120];
/** A phone's terminal: answers fit it, help does not. */
const NARROW = 40;

export const widthsOf = (argv: string[]) =>
  argv.includes("--help") || argv.includes("help") ? WIDTHS : [NARROW, ...WIDTHS];

const site = ["--site", "example.com"];

/** Each command as somebody sees it; looked at, then kept. */
export const screens: Record<string, string[]> = {
  sites: ["sites"],
  "sites of a week": ["sites", "--period", "last-week"],
  stats: ["stats", ...site, "--days", "7"],
  "timeseries of a week": ["timeseries", ...site, "--days", "7"],
  "timeseries of a month": ["timeseries", ...site],
  "timeseries by week": ["timeseries", ...site, "--days", "60", "--by", "week"],
  "timeseries by month": ["timeseries", ...site, "--days", "300", "--by", "month"],
  "timeseries by hour": ["timeseries", ...site, "--days", "2", "--by", "hour"],
  "breakdown of pages": ["breakdown", ...site, "--dimension", "pages", "--limit", "8"],
  "breakdown of campaigns": ["breakdown", ...site, "--dimension", "utm_campaigns", "--days", "365"],
  "breakdown of countries": ["breakdown", ...site, "--dimension", "countries", "--days", "28"],
  realtime: ["realtime", ...site],
  overview: ["overview", ...site],
  compare: ["compare", ...site, "--days", "90"],
  openapi: ["openapi"],
  help: ["--help"],
  "help of breakdown": ["breakdown", "--help"],
  "help on formatting": ["help", "formatting"],
  "a mistake": ["breakdown", ...site, "--dimension", "pags"],
};

const shown = new Map<string, Promise<string>>();

/** All that the program writes, asked for once. */
export function show(argv: string[], options: ShellOptions): Promise<string> {
  const key = JSON.stringify([argv, options]);
  const text =
    shown.get(key) ??
    runShell(argv, { ...options, environment: { ...service, ...options.environment } }).then(
      ({ stdout, stderr }) => stdout + stderr,
    );
  shown.set(key, text);
  return text;
}
