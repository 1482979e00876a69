import { createHash } from "node:crypto";
import { columnsOf, type Hit } from "../../hits.ts";
import type { VisitDimension } from "../../measure/hit-table.ts";
import { findVisits } from "../../measure/visits.ts";
import { copyText } from "../copy-text.ts";
import { isServerError } from "../counting/add-failed.ts";
import { append, type Column, createColumn, readColumn } from "../counting/columns.ts";
import type { CountedDay } from "../counting/count-day.ts";
import { DEFINITION } from "../counting/day-counts.ts";
import { ORIGIN_DIMENSIONS, PROFILE_DIMENSIONS } from "../counting/line-dimensions.ts";
import type { OpenDay } from "../counting/open-day.ts";
import { DOWNLOAD, tabulateDay } from "../counting/open-table.ts";
import { isProxied } from "../counting/proxied-days.ts";
import { listUnrecorded } from "../counting/recorded.ts";
import type { Recorder } from "../counting/recorder.ts";
import type { SiteLog } from "../counting/site-log.ts";

export interface ExportOptions {
  /** The domains to export. */
  sites: ReadonlySet<string>;
  /** Turns visitors' addresses into pseudonyms. */
  secret: Uint8Array;
  /** The first day to export, `YYYY-MM-DD`. */
  since?: string | undefined;
  /** Whether to export the day on which the log begins, too; its first lines may be missing. */
  hasFirstDay: boolean;
  /** Whether to export days, too, on which nearly all visitors seem to come from a proxy. */
  acceptProxyAddresses: boolean;
  write: (hit: Hit) => void;
}

export interface HitExport extends Recorder {
  days: ExportedDay[];
  /** To be called when a day is closed. */
  closeDay(log: SiteLog, day: OpenDay, counted: CountedDay): undefined;
}

export interface ExportedDay {
  site: string;
  date: string;
  hits: number;
  /** Why it was left out. */
  leftOut?: "first_day" | "proxied";
}

/** Creates a recorder that writes the hits of each day that is closed. */
export function createHitExport(options: ExportOptions): HitExport {
  const { sites, secret, since = "", write } = options;
  const isWanted = ({ domain }: SiteLog, { date }: OpenDay) => sites.has(domain) && date >= since;
  /** Details of open days, which the days themselves keep only as sums. */
  const kept = new WeakMap<OpenDay, DayDetails>();
  const keep = (day: OpenDay) => {
    let own = kept.get(day);
    if (own === undefined) {
      own = {
        visitors: [],
        bots: [],
        failed: {
          sender: createColumn(),
          link: createColumn(),
          status: createColumn(),
          second: createColumn(),
        },
      };
      kept.set(day, own);
    }
    return own;
  };
  const nameVisitor = ({ domain }: SiteLog, { date }: OpenDay, group: string, userAgent: string) =>
    hash64(secret, domain, date, group, userAgent);
  const days: ExportedDay[] = [];

  return {
    days,
    addSender: (log, day, group, userAgent) => {
      if (isWanted(log, day)) keep(day).visitors.push(nameVisitor(log, day, group, userAgent));
    },
    addBot: (log, day, { group, userAgent, crawler, path, status, time }) => {
      if (!isWanted(log, day)) return;
      const visitor = nameVisitor(log, day, group, userAgent);
      keep(day).bots.push({
        site: log.domain,
        kind: "bot",
        day: day.date,
        time,
        visitor,
        path: copyText(path),
        status,
        ...(crawler !== undefined && { crawler }),
      });
    },
    addFailed: (log, day, { sender, link, status, time }) => {
      if (!isWanted(log, day)) return;
      const { failed } = keep(day);
      append(failed.sender, sender);
      append(failed.link, link);
      append(failed.status, status);
      append(failed.second, time - day.start);
    },
    closeDay: (log, day, { counts, table: { scanners } }) => {
      const { domain: site, first = 0, calendar } = log;
      const { date } = day;
      if (!isWanted(log, day)) return;
      const note = (rest: Omit<ExportedDay, "site" | "date">) => void days.push({ site, date, ...rest });
      if (!options.hasFirstDay && date === calendar.find(first).date) {
        note({ hits: 0, leftOut: "first_day" });
      } else if (!options.acceptProxyAddresses && isProxied(log, date, counts)) {
        note({ hits: 0, leftOut: "proxied" });
      } else {
        const { excluded } = counts.tables.notFound();
        note({ hits: writeDay({ log, day, ...keep(day), scanners, excluded, secret }, write) });
      }
      kept.delete(day);
    },
  };
}

/** What is kept of a day to write it. */
interface DayDetails {
  /** The names of the senders, by number. */
  visitors: string[];
  bots: Omit<Hit, "id">[];
  /** The requests that failed. */
  failed: Record<"sender" | "link" | "status" | "second", Column>;
}

interface DayToWrite extends Readonly<DayDetails> {
  log: SiteLog;
  day: OpenDay;
  scanners: ReadonlySet<number>;
  /** The requests for what is not there that are left out. */
  excluded: { bots: number; scanners: number };
  secret: Uint8Array;
}

/** Writes a day's hits, and last the row that marks the day as complete. Returns how many hits. */
function writeDay(given: DayToWrite, write: (hit: Hit) => void): number {
  const { log, day, bots, excluded, secret } = given;
  const head = { site: log.domain, day: day.date };
  const addId = createIds(secret);
  let [hits, pageviews] = [0, 0];
  const ids = createHash("sha256").update(secret);
  // Of all values, which another database of countries or an update can change for the same hits.
  const values = createHash("sha256");
  const writeHit = (hit: Omit<Hit, "id">) => {
    const whole = addId(hit);
    ids.update(whole.id);
    values.update(JSON.stringify(whole));
    write(whole);
    hits++;
    if (hit.kind === "pageview") pageviews++;
  };
  forEachHit(given, (hit) => writeHit({ ...head, ...hit }));
  for (const bot of bots.toSorted((a, b) => compareVisitors(a, b) || a.time - b.time)) writeHit(bot);
  for (const hit of listFailed(given)) writeHit({ ...head, ...hit });
  const unrecorded = listUnrecorded(log);
  write({
    ...head,
    kind: "day",
    time: day.start,
    visitor: "0",
    id: toDecimal(ids.digest()),
    pageviews,
    bots_not_found: excluded.bots,
    scanners_not_found: excluded.scanners,
    digest: toDecimal(values.digest()),
    definition: DEFINITION,
    timezone: log.calendar.timezone,
    unrecorded,
  });
  return hits;
}

/** What people asked for on a day and did not get, by visitor and time. The server can fail scanners, too. */
function listFailed({ day, visitors, failed, scanners }: DayToWrite): Omit<Hit, "id" | "site" | "day">[] {
  const { sender, link, status: statuses, second } = failed;
  return Array.from(readColumn(sender), (number, at): Omit<Hit, "id" | "site" | "day">[] => {
    const status = statuses.values[at] ?? 0;
    const hasFailed = isServerError(status);
    if (!hasFailed && scanners.has(number)) return [];
    const { links } = hasFailed ? day.serverErrors : day.notFound;
    const { path, referrer } = links.at(link.values[at] ?? 0);
    const time = day.start + (second.values[at] ?? 0);
    const visitor = visitors[number] ?? "0";
    const hit = { kind: "not_found" as const, time, visitor, path, status };
    return [referrer === null ? hit : { ...hit, referrer }];
  })
    .flat()
    .sort((a, b) => compareVisitors(a, b) || a.time - b.time);
}

/** The page views and events of a day, by visitor, as `countDay` counts them. */
function forEachHit(
  { day, visitors, scanners }: DayToWrite,
  take: (hit: Omit<Hit, "id" | "site" | "day">) => void,
): void {
  const table = tabulateDay(day, { withScanners: true });
  const { first, last, ofRow } = findVisits(table);
  const paths = day.values.of("pages");
  const originTexts = createTexts(ORIGIN_DIMENSIONS, day.origins.list);
  const profileTexts = createTexts(PROFILE_DIMENSIONS, day.profiles.list);
  const pathOf = (row = 0) => paths.at((day.hits.page.values[table.hits[row] ?? 0] ?? 0) >>> 1) ?? "";
  const senderOf = (row: number) => day.hits.sender.values[table.hits[row] ?? 0] ?? 0;
  const takeView = (row: number, start: number) => {
    const [sender, visit] = [senderOf(row), ofRow[row] ?? 0];
    take({
      kind: scanners.has(sender) ? "scanner" : "pageview",
      ...hitAt(row, start),
      visit: table.visits[row] ?? 0,
      entry_page: pathOf(first[visit]),
      exit_page: pathOf(last[visit]),
      ...originTexts(day.hits.origin.values[table.hits[first[visit] ?? 0] ?? 0] ?? 0),
      ...profileTexts(day.senders.profiles.values[sender] ?? 0),
    });
  };
  const hitAt = (row: number, start: number) => ({
    time: table.times[row] ?? 0,
    visitor: visitors[senderOf(row)] ?? "0",
    sequence: row - start,
    path: pathOf(row),
  });
  for (let start = 0, end = 0; start < table.length; start = end) {
    while (end < table.length && table.visitors[end] === table.visitors[start]) end++;
    for (let row = start; row < end; row++) if (table.events[row] === 0) takeView(row, start);
    // Only visitors have events.
    if (scanners.has(senderOf(start))) continue;
    for (let row = start; row < end; row++) {
      if (table.events[row] === 1) take({ kind: "event", ...hitAt(row, start), event: DOWNLOAD });
    }
  }
}

/** The texts of rows of values, by column. Empty ones are left out. Each row is looked at once. */
function createTexts<D extends VisitDimension>(
  dimensions: readonly D[],
  rows: readonly Readonly<Record<D, string | null>>[],
): (number: number) => Partial<Hit> {
  const known = new Map<number, Partial<Hit>>();
  return (number) => {
    let texts = known.get(number);
    if (texts === undefined) {
      const row = rows[number];
      texts = Object.fromEntries(
        dimensions.flatMap((dimension) => (row?.[dimension] ? [[columnsOf[dimension], row[dimension]]] : [])),
      );
      known.set(number, texts);
    }
    return texts;
  };
}

const compareVisitors = (a: { visitor: string }, b: { visitor: string }) =>
  a.visitor < b.visitor ? -1 : Number(a.visitor > b.visitor);

/** Adds ids, which differ even for equal hits of a visitor. Hits must come visitor by visitor. */
function createIds(secret: Uint8Array): (hit: Omit<Hit, "id">) => Hit {
  const seen = new Map<string, number>();
  let current = "";
  return (hit) => {
    const { site, day, visitor, time, kind, path = "", status = 0 } = hit;
    if (visitor !== current) seen.clear();
    current = visitor;
    const plain = hash64(secret, site, day, visitor, String(time), kind, path, String(status));
    const count = (seen.get(plain) ?? 0) + 1;
    seen.set(plain, count);
    return { ...hit, id: count === 1 ? plain : hash64(secret, plain, String(count)) };
  };
}

/** Not HMAC, which is slow in Node 24: a truncated hash is safe from length extension anyway. */
function hash64(secret: Uint8Array, ...texts: string[]): string {
  return toDecimal(createHash("sha256").update(secret).update(texts.join("\n")).digest());
}

const toDecimal = (digest: Buffer): string => digest.readBigUInt64LE().toString();
