import { basename } from "node:path";
import { listDays } from "../../../operations/days.ts";
import type { Warning } from "../../../operations/warning.ts";
import { dateAt } from "../../calendar.ts";
import type { Span } from "../../data-source.ts";
import { describeDates } from "../../data-warnings.ts";
import type { LogContent } from "./log-content.ts";

/** A file that could not be read, or not to its end. */
export interface LostLines {
  /** Empty if the file is gone. */
  path: string;
  /** The site that they are about; any if undefined. */
  site: string | undefined;
  reason: string;
  /** Seconds since 1970, -Infinity if nothing could be read: no line before it is missing, */
  from: number;
  /** and none after it, since the file was last written then. */
  until: number;
}

/** A file that was found and not read. */
export interface LeftOut {
  reason: string;
  /** Whether its first lines are in a known format, if not in the asked one. */
  isKnown?: boolean | undefined;
  /** Absent if nothing is missing: it has no requests, or another file has them. */
  lost?: LostLines | undefined;
  /** Of a damaged file: the logs that begin as it does. */
  known?: readonly LogContent[];
}

/** What is missing because files are damaged. */
export function listLost(contents: Iterable<LogContent>, leftOut: ReadonlyMap<string, LeftOut>): LostLines[] {
  const cut = [...contents].flatMap(({ path, site, latest, damage }) =>
    damage === undefined
      ? []
      : { path, site, reason: damage.reason, from: latest, until: Math.max(latest, damage.until) },
  );
  return [...cut, ...[...leftOut.values()].flatMap(({ lost }) => lost ?? [])];
}

/** The warning that lines of some days may be missing. It names files without their folders, since others see it, too. */
export function warnOfLost(lost: readonly LostLines[], { site, from, to }: Span): Warning[] {
  const { domain, timezone } = site;
  const mayLack = (day: string) => (lines: LostLines) =>
    (lines.from === Number.NEGATIVE_INFINITY || dateAt(lines.from * 1000, timezone) <= day) &&
    day <= dateAt(lines.until * 1000, timezone);
  const own = lost.filter((lines) => lines.site === undefined || lines.site === domain);
  const days = listDays(from, to).filter((day) => own.some(mayLack(day)));
  const [first] = days;
  if (first === undefined) return [];
  const touching = own.filter((lines) => days.some((day) => mayLack(day)(lines)));
  const when = days.length === 1 ? first : `${first} to ${days.at(-1)}`;
  return [
    {
      code: "damaged_file",
      detail: `${nameFiles(touching)} damaged or incomplete: lines of ${when} may be missing, so these numbers can be too low. On the server, analytics-mcp doctor says more.`,
      values: { ...describeDates(days), files: touching.length },
    },
  ];
}

const MAX_NAMED = 3;

function nameFiles(lost: readonly LostLines[]): string {
  const names = lost.slice(0, MAX_NAMED).map(({ path }) => basename(path) || "a file that is gone");
  const others = lost.length - names.length;
  const all = others > 0 ? [...names, `${others} more`] : names;
  return lost.length === 1
    ? `The log file ${all[0]} is`
    : `The log files ${all.slice(0, -1).join(", ")} and ${all.at(-1)} are`;
}
