import { service } from "./network.ts";
import { runShell, type ShellOptions } from "./shell.ts";

export const WIDTHS = [60, 80, 120];
/** A phone's terminal: answers fit it, help does not. */
const NARROW = 40;

export const isHelp = (argv: string[]) => argv.includes("--help") || argv.includes("help");
export const widthsOf = (argv: string[]) => (isHelp(argv) ? WIDTHS : [NARROW, ...WIDTHS]);

const site = ["--site", "example.com"];

/** Each command as somebody sees it at one width; looked at, then kept. */
export const screens: Record<string, { columns: number; argv: string[] }> = {
  sites: { columns: 40, argv: ["sites"] },
  "sites of a week": { columns: 120, argv: ["sites", "--period", "last-week"] },
  stats: { columns: 60, argv: ["stats", ...site, "--days", "7"] },
  "timeseries of a week": { columns: 80, argv: ["timeseries", ...site, "--days", "7"] },
  "timeseries of a month": { columns: 40, argv: ["timeseries", ...site] },
  "timeseries by week": { columns: 60, argv: ["timeseries", ...site, "--days", "60", "--by", "week"] },
  "timeseries by month": { columns: 120, argv: ["timeseries", ...site, "--days", "300", "--by", "month"] },
  "timeseries by hour": { columns: 80, argv: ["timeseries", ...site, "--days", "2", "--by", "hour"] },
  "breakdown of pages": {
    columns: 80,
    argv: ["breakdown", ...site, "--dimension", "pages", "--limit", "8"],
  },
  "breakdown of campaigns": {
    columns: 60,
    argv: ["breakdown", ...site, "--dimension", "utm_campaigns", "--days", "365"],
  },
  "breakdown of countries": {
    columns: 40,
    argv: ["breakdown", ...site, "--dimension", "countries", "--days", "28"],
  },
  realtime: { columns: 80, argv: ["realtime", ...site] },
  overview: { columns: 120, argv: ["overview", ...site] },
  compare: { columns: 40, argv: ["compare", ...site, "--days", "90"] },
  openapi: { columns: 60, argv: ["openapi"] },
  help: { columns: 80, argv: ["--help"] },
  "help of breakdown": { columns: 60, argv: ["breakdown", "--help"] },
  "help on formatting": { columns: 80, argv: ["help", "formatting"] },
  "a mistake": { columns: 60, argv: ["breakdown", ...site, "--dimension", "pags"] },
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
