import { quote, quoteIfNeeded } from "../../errors.ts";
import type { Cell, Column, View } from "../../operations/view.ts";
import { formatCount, nameUnit } from "../../render/plural.ts";
import { type DryRun, lineOutcomes, UNNAMED } from "../../sources/logs/command/dry-run.ts";
import { listNamedLogs, proposeNamed } from "../../sources/logs/reading/named-logs.ts";
import { describeRepeat } from "../../sources/logs/reading/repeated-lines.ts";

type Kind = Column["kind"];

const column = (key: string, kind: Kind = "text", more: Partial<Column> = {}): Column => ({
  key,
  label: key.replaceAll("_", " "),
  kind,
  ...more,
});

/** What a visitor wrote. */
const untrusted = { untrusted: true } as const;

/** The same, with the site that lines without one already count for. */
export function nameSite<Run extends Pick<DryRun, "sites" | "pages">>(run: Run, known: string): Run {
  const name = <Row extends { site: string }>(row: Row) =>
    row.site === UNNAMED ? { ...row, site: known } : row;
  return { ...run, sites: run.sites.map(name), pages: run.pages.map(name) };
}

/**
 * The tables of a dry run.
 *
 * @param known The site that lines without one already count for.
 */
export function buildLogViews(run: DryRun, known: string | undefined): View[] {
  const { files, sites, other_hosts, outcomes, pages, not_found, bots } = run;
  const hasNames = sites.some(({ site }) => site !== UNNAMED);
  return [
    {
      ...table("files", describeFiles(run), FILES, files),
      notes: listNotes(run, known),
      warnings: listWarnings(run),
    },
    table("sites", hasNames ? "Sites" : "The site", SITES, sites),
    table(
      "lines",
      `What the ${group(run.lines)} lines count as`,
      LINES,
      outcomes.map(({ outcome, lines, examples }) => ({
        counts_as: lineOutcomes[outcome],
        outcome,
        lines,
        share: Math.round((1000 * lines) / run.lines) / 10,
        examples: examples.join("  "),
      })),
    ),
    beside(table("pages", "Top pages", sites.length > 1 ? [SITE, ...PAGES] : PAGES, pages)),
    beside(table("not_found", "Answered 4xx", NOT_FOUND, not_found)),
    beside(table("bots", "Bots", BOTS, bots)),
    beside(table("other_hosts", "Hosts left out", HOSTS, other_hosts)),
  ];
}

const FILES = [
  column("file", "text", { ...untrusted, keepsEnd: true }),
  column("format"),
  column("lines", "count"),
  column("bytes", "count", { detail: true }),
  column("first_day", "date", { spare: true }),
  column("last_day", "date", { spare: true }),
];
const SITES = [
  column("site", "text", untrusted),
  column("first_day", "date", { spare: true }),
  column("last_day", "date", { spare: true }),
  column("visitors", "count"),
  column("pageviews", "count", { label: "page views" }),
  column("events", "count", { detail: true }),
  column("scanners", "count", { detail: true }),
];
const LINES = [
  column("lines", "count"),
  column("share", "percent", { spare: true }),
  column("counts_as", "word"),
  column("outcome", "text", { machine: true }),
  column("examples", "text", { ...untrusted, detail: true }),
];
const SITE = column("site", "text", untrusted);
const PAGES = [column("path", "text", untrusted), column("pageviews", "count", { label: "page views" })];
const NOT_FOUND = [column("path", "text", untrusted), column("requests", "count")];
const BOTS = [column("name", "text", untrusted), column("requests", "count")];
const HOSTS = [column("host", "text", untrusted), column("lines", "count")];

const table = <Row extends Record<keyof Row, Cell>>(
  name: string,
  headline: string,
  columns: Column[],
  rows: readonly Row[],
): View => ({
  name,
  headline,
  columns,
  rows: rows.map((row): Record<string, Cell> => ({ ...row })),
  notes: [],
});

const beside = (view: View): View => ({ ...view, beside: true });

function describeFiles({ files, lines, milliseconds }: DryRun): string {
  const read = `${formatCount(files.length, "file")} with ${group(lines)} ${nameUnit(lines, "line")}`;
  if (milliseconds === 0) return read;
  const speed = Math.round((1000 * lines) / milliseconds);
  return `${read}, ${group(speed)} lines per second`;
}

const group = (count: number) => count.toLocaleString("en");

/** Files of several sites, by their names, count as one with a single name. */
function proposeSite({ files, likely_site }: DryRun, known: string | undefined): string {
  if (known !== undefined) {
    const isOther = likely_site !== null && likely_site !== known;
    const other = isOther
      ? ` Its pages call it ${likely_site}: to count it by that name, ask with --site ${likely_site}`
      : "";
    return `The log does not say which site it is about. It counts as ${known}.${other}`;
  }
  const logs = listNamedLogs(files.map(({ file }) => file));
  return logs.size > 1
    ? `By their names, the files are of several sites, and their lines do not say which. To query them: ${proposeNamed(logs)}`
    : `The log does not say which site it is about. To query it, add --site ${likely_site ?? "example.com"}`;
}

function listNotes(run: DryRun, known: string | undefined): string[] {
  const { sites, other_hosts, other_hosts_total, timezone } = run;
  return [
    `Days are in the timezone ${timezone}; --timezone chooses another.`,
    ...(known !== undefined || sites.some(({ site }) => site === UNNAMED) ? [proposeSite(run, known)] : []),
    ...(other_hosts_total > other_hosts.length
      ? [
          `Shown are ${other_hosts.length} of ${other_hosts_total} hosts that are not sites. Without --site, a site has 1% of all page views or more.`,
        ]
      : []),
    ...run.unreadable.map((line) => `Cannot be read: ${quote(line, { mark: "'" })}`),
  ];
}

function listWarnings({ sites, outcomes, files, left_out }: DryRun): string[] {
  const late = outcomes.find(({ outcome }) => outcome === "late");
  const proxied = sites.filter(({ proxied_days }) => proxied_days > 0);
  return [
    ...proxied.map(
      ({ site, proxied_days }) =>
        `Visitors of ${quoteIfNeeded(site)} cannot be counted on ${formatCount(proxied_days, "day")}: nearly all page views come from a few addresses, as if from a proxy. See --trust-forwarded and --accept-proxy-addresses.`,
    ),
    ...(late ? [`${formatCount(late.lines, "line")} came more than 24 hours after their day ended.`] : []),
    ...files.flatMap(({ file, repeats }) =>
      repeats === null ? [] : Object.values(describeRepeat(file, repeats)).join(" "),
    ),
    ...files.flatMap(({ file, damage }) => (damage === null ? [] : [`${file}: ${damage}`])),
    ...left_out.map(({ file, reason }) => `Not read: ${file} ${reason}.`),
  ];
}
