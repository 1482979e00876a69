import { basename } from "node:path";
import { quote } from "../../errors.ts";
import { addDays, countDays, type Days, listDays } from "../../operations/days.ts";
import type { Dimension } from "../../operations/dimensions.ts";
import { PROVISIONAL, PROXIED, type Warning } from "../../operations/warning.ts";
import { formatInstant } from "../calendar.ts";
import type { Span } from "../data-source.ts";
import { describeDates, warnOfEnd, warnOfFolding, warnOfScanners, warnOfSilence } from "../data-warnings.ts";
import { OTHER } from "../measure/definition.ts";
import { countOpenDay } from "./counting/count-day.ts";
import { type Damage, type DaySummary, DEFINITION } from "./counting/day-counts.ts";
import { listProxied } from "./counting/proxied-days.ts";
import type { SiteLog } from "./counting/site-log.ts";
import { type EndContext, findEnd, findLast, type LogEnd } from "./log-end.ts";
import type { LogPattern, LogSettings } from "./settings.ts";

const HOUR = 3_600;
/** A few lines may be in another format. */
const MAX_WITHOUT_AGENT = 0.01;

/** Warnings about the log's days that a reader needs before using their numbers. */
export function coverageWarnings(
  log: SiteLog,
  { from, to, now }: Span,
  {
    trustForwarded,
    acceptProxyAddresses,
    ...ending
  }: Pick<LogSettings, "trustForwarded" | "acceptProxyAddresses" | "files"> & Omit<EndContext, "now">,
): Warning[] {
  const { first, last, calendar, fields } = log;
  if (first === undefined || last === undefined) return [];
  const warnings: Warning[] = [];
  const warn = (code: string, detail: string, values?: Warning["values"]) =>
    void warnings.push({ code, detail, ...(values && { values }) });
  const firstDay = calendar.find(first).date;
  const lastDay = calendar.find(findLast(log, now)).date;
  const lateStart = first - calendar.spanOf(firstDay).start;
  if (from <= firstDay && firstDay <= to && lateStart > HOUR) {
    const time = formatTime(lateStart);
    warn("partial_first_day", `The log begins on ${firstDay} at ${time}: that day is incomplete.`, {
      day: firstDay,
      time,
    });
  }
  const gaps = listGaps(log, later(from, firstDay), earlier(to, lastDay));
  if (gaps.length > 0) {
    const days = gaps.length === 1 ? "day" : "days";
    warn(
      "gap",
      `The log has no line of ${gaps.length} ${days} (${listSome(gaps)}): their numbers are missing, not zero.`,
      describeDates(gaps),
    );
  }
  warnings.push(...warnOfLastDays(log, { from, to, now }, ending));
  const late = [...log.late].filter(([date]) => from <= date && date <= to);
  if (late.length > 0) {
    const lines = late.reduce((sum, [, count]) => sum + count, 0);
    warn(
      "late",
      lines === 1
        ? "1 line came after its day was closed and is not counted."
        : `${lines} lines came after their day was closed and are not counted.`,
      { lines },
    );
  }
  warnings.push(...warnOfDamage(log, { from, to }));
  const folded = listFolded(log, from, to);
  if (folded.length > 0) warnings.push(warnOfFolding(folded, OTHER));
  const isMixed = [...log.closed].some(
    ([date, { definition }]) => from <= date && date <= to && definition !== DEFINITION,
  );
  if (isMixed) {
    warn("definition", "Some days were counted by an earlier version of this program, whose rules differ.");
  }
  warnings.push(...warnOfSenders(log, { from, to }, acceptProxyAddresses));
  if (fields.agent.absent > MAX_WITHOUT_AGENT * (fields.agent.absent + fields.agent.present)) {
    warn("no_user_agent", "The log has no user agents, so bots are counted as visitors.");
  }
  const { forwarded } = fields;
  if (trustForwarded > 0 && forwarded.present === 0 && forwarded.absent > 0) {
    warn(
      "no_forwarded",
      "No page view in the log has an X-Forwarded-For, so --trust-forwarded has no effect: if its addresses are a proxy's, many visitors count as one.",
    );
  }
  return warnings;
}

/** Says that the log has ended before the days do, or else that yesterday can still grow. */
function warnOfLastDays(
  log: SiteLog,
  { from, to, now }: Omit<Span, "site">,
  { files, ...ending }: Omit<EndContext, "now"> & Pick<LogSettings, "files">,
): Warning[] {
  const { first = 0, calendar } = log;
  const lastDay = calendar.find(findLast(log, now)).date;
  const end = to >= lastDay || !ending.hasFiles ? findEnd(log, { now, ...ending }) : undefined;
  if (end !== undefined && to >= calendar.find(end.last).date) {
    const { detail, ...warning } = describeEnd(log, end, now);
    return [{ ...warning, detail: ending.hasFiles ? detail : `${detail} ${describeGone(files)}` }];
  }
  // A day is closed 24 hours after it ended.
  const day = addDays(calendar.find(now / 1000).date, -1);
  if (end?.isSilent === false || later(from, calendar.find(first).date) > day || day > to) return [];
  const detail = `${day} can still grow a little: servers write some lines late.`;
  return [{ code: PROVISIONAL, detail, values: { day } }];
}

/** Others see it: it names no folders. */
const describeGone = (files: readonly LogPattern[]) =>
  `No file matches ${files.map(({ glob }) => quote(basename(glob))).join(", ")} any more: if the logs have moved, name their new place.`;

/** @param now Milliseconds since 1970. */
export function describeEnd(
  { first = 0, calendar }: SiteLog,
  { last, isSilent }: LogEnd,
  now: number,
): Warning {
  const { date: day } = calendar.find(last);
  const { timezone } = calendar;
  const time = formatInstant(last * 1000, timezone).slice(11, 16);
  if (isSilent) return warnOfSilence({ day, time, timezone });
  const today = calendar.find(now / 1000).date;
  const days = { first: calendar.find(first).date, last: day };
  return warnOfEnd("log", days, today, day === today ? { time, timezone } : undefined);
}

/** Names the days of dimensions that an earlier version of this program, which recorded the days, did not know. */
export function warnOfUnrecorded(
  days: readonly { date: string; counts: Pick<DaySummary, "dimensions"> | undefined }[],
  asked: readonly Dimension[],
): Warning[] {
  return [...new Set(asked)].flatMap((dimension) => {
    const dates = days.flatMap(({ date, counts }) =>
      counts === undefined || counts.dimensions.includes(dimension) ? [] : date,
    );
    if (dates.length === 0) return [];
    return {
      code: "not_recorded",
      detail: `An earlier version of this program did not record ${dimension.replaceAll("_", " ")} on ${listSome(dates)}: they are unknown or missing there.`,
      values: { ...describeDates(dates), dimension },
    };
  });
}

/** Names the days of which the history has lost something. */
function warnOfDamage({ closed, lost }: SiteLog, { from, to }: Days): Warning[] {
  const isIn = (date: string) => from <= date && date <= to;
  const withTotals = [...closed].flatMap(([date, { damage }]) =>
    damage !== undefined && isIn(date) ? [{ date, damage }] : [],
  );
  const without = [...lost].flatMap(([date, damage]) => (isIn(date) ? [{ date, damage }] : []));
  return [
    ...describeDamage(
      withTotals,
      (days) => `Of ${days}, only the totals are left, and other numbers lack them`,
    ),
    ...describeDamage(
      without,
      (days) => `What was counted of ${days} is lost if its log lines are gone, so numbers can be too low`,
    ),
  ];
}

function describeDamage(
  days: readonly { date: string; damage: Damage }[],
  describe: (days: string) => string,
): Warning[] {
  const [first] = days;
  if (first === undefined) return [];
  const dates = days.map(({ date }) => date).sort();
  const { file, reason } = first.damage;
  return [
    {
      code: "damaged_history",
      detail: `${describe(listSome(dates))}: a file of the history is damaged (${file}: ${reason}).`,
      values: { ...describeDates(dates), file },
    },
  ];
}

/** The dimensions of which days have folded values. */
function listFolded({ open, closed }: SiteLog, from: string, to: string): Dimension[] {
  const isIn = ([date]: readonly [string, unknown]) => from <= date && date <= to;
  const days = [
    ...[...closed].filter(isIn).map(([, counts]) => counts),
    ...[...open].filter(isIn).map(([, day]) => countOpenDay(day)),
  ];
  return [...new Set(days.flatMap(({ folded }) => folded))];
}

/** Warnings that few or many senders are behind the numbers of some days. */
function warnOfSenders(log: SiteLog, { from, to }: Days, acceptProxyAddresses: boolean): Warning[] {
  const counted = listCounted(log, from, to);
  const scanners = warnOfScanners(
    counted.map(({ date, counts }) => ({
      date,
      visitors: counts.totals.visitors,
      scanners: counts.scanners.viewers,
    })),
  );
  const proxied = acceptProxyAddresses ? [] : listProxied(log, counted);
  const suspected = counted
    .filter(({ date, counts }) => counts.proxy !== "none" && !proxied.includes(date))
    .map(({ date }) => date);
  return [
    ...(scanners === undefined ? [] : [scanners]),
    ...(suspected.length === 0 || acceptProxyAddresses
      ? []
      : [
          {
            code: "maybe_proxied",
            detail: `On ${listSome(suspected)}, nearly all page views come from a few addresses: either somebody who requests pages all the time (see --exclude-address), or a proxy that makes many visitors count as one (see --trust-forwarded and --accept-proxy-addresses).`,
            values: describeDates(suspected),
          },
        ]),
    ...(proxied.length === 0
      ? []
      : [
          {
            code: PROXIED,
            detail: `${describeProxy(proxied)} All numbers but those of crawlers leave ${proxied.length === 1 ? "that day" : "these days"} out: they are missing, not zero. See --trust-forwarded and --accept-proxy-addresses.`,
            values: describeDates(proxied),
          },
        ]),
  ];
}

/** Why visitors of some days cannot be counted. */
export const describeProxy = (dates: readonly string[]): string =>
  `Visitors cannot be counted on ${listSome(dates)}: nearly all page views come from a few addresses, as if from a proxy in front of the server.`;

/** The days that were counted by today's definition. */
function listCounted(log: SiteLog, from: string, to: string) {
  return listDays(from, to).flatMap((date) => {
    const open = log.open.get(date);
    const counts = log.closed.get(date) ?? (open && countOpenDay(open));
    return counts?.definition === DEFINITION ? { date, counts } : [];
  });
}

/** The days without any line between the first and the last day of a log. */
const listGaps = (log: SiteLog, from: string, to: string): string[] =>
  listDays(from, to).filter((date) => !hasLines(log, date));

const hasLines = ({ open, closed }: SiteLog, date: string) => open.has(date) || closed.has(date);

/**
 * Creates a function that marks a time of which a log has no data, whose zeros are then no counts: before its first line, in a
 * gap, and after its last line if no other is expected.
 *
 * @returns Takes a day and, for a part of it, its first second since 1970 and the one after its last.
 */
export function createGapMarker(log: SiteLog, ending: EndContext) {
  const { first = Number.POSITIVE_INFINITY, calendar } = log;
  const last = findLast(log, ending.now);
  const lastDay = calendar.find(last).date;
  // Most questions are about days before the end.
  let latest: number | undefined;
  const isAfter = (start: number) => {
    latest ??= findEnd(log, ending)?.last ?? Number.POSITIVE_INFINITY;
    return start > latest;
  };
  return (
    date: string,
    { start, end }: { start: number; end: number } = calendar.spanOf(date),
  ): { missing?: true } => {
    const isGap = date <= lastDay && !hasLines(log, date);
    return end <= first || isGap || (start > last && isAfter(start)) ? { missing: true } : {};
  };
}

function listSome(days: readonly string[]): string {
  const [first = "", last = ""] = [days[0], days.at(-1)];
  if (days.length <= 3) return days.join(", ");
  return `${first} to ${last}${countDays(first, last) === days.length ? "" : ", not all between"}`;
}

const later = (a: string, b: string) => (a > b ? a : b);
const earlier = (a: string, b: string) => (a < b ? a : b);

const formatTime = (seconds: number) =>
  `${String(Math.floor(seconds / 3600)).padStart(2, "0")}:${String(Math.floor((seconds % 3600) / 60)).padStart(2, "0")}`;
