import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { addDays } from "../../../operations/days.ts";
import type { Damage } from "../counting/day-counts.ts";
import { createDayFiles, type DayFiles, type FoundDay } from "./day-files.ts";
import { type HistoryFolder, journalPath, openFolder } from "./history-folder.ts";
import type { KeptSite } from "./manifest.ts";
import { listJournalSites } from "./read-journal.ts";
import type { NamedDays } from "./site-files.ts";

/*
 * What is left if a list of days, or the manifest with its copy, cannot be read: the file of each closed day says which day of which
 * site it is.
 */

/** The closed days of a site by their files. */
function recoverDays(files: DayFiles): Map<string, FoundDay> {
  const found = new Map<string, FoundDay>();
  for (const day of files.findAll()) {
    const known = found.get(day.head.date);
    if (known === undefined || isNewer(day, known)) found.set(day.head.date, day);
  }
  return new Map([...found].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** A day is counted again when more of its lines come. */
const isNewer = (a: FoundDay, b: FoundDay): boolean =>
  a.head.generation === b.head.generation
    ? a.day.totals.pageviews > b.day.totals.pageviews
    : a.head.generation > b.head.generation;

/** Makes up for a list of days that cannot be read. */
export function recoverList(
  files: DayFiles,
  { closed, settled, lost }: Pick<KeptSite, "closed" | "settled" | "lost">,
  damage: Damage,
): { named: NamedDays } & Pick<KeptSite, "settled" | "lost"> {
  const days = new Map([...recoverDays(files)].map(([date, { day }]) => [date, day]));
  const dates = closed.flatMap(listDates);
  const missing = dates.filter((date) => !days.has(date));
  // The manifest is older than these, as in a copy that was made while a day was closed.
  const unknown = [...days.keys()].filter((date) => !dates.includes(date));
  return {
    named: { hash: null, days },
    settled: [settled, ...unknown].sort().at(-1) ?? "",
    lost: { ...lost, ...Object.fromEntries(missing.map((date) => [date, damage])) },
  };
}

/** The dates of a span such as `2026-11-01/2026-11-20`. */
function listDates(span: string): string[] {
  const [from = "", to = ""] = span.split("/");
  const dates: string[] = [];
  for (let date = from; date <= to; date = addDays(date, 1)) dates.push(date);
  return dates;
}

export interface RecoveredSite {
  kept: KeptSite;
  named: NamedDays;
}

/** What is left without a manifest: the closed days of all sites. The other days, which the journals name, are lost. */
export function recoverSites(folder: HistoryFolder, damage: Damage): RecoveredSite[] {
  const lost = findOpenDays(folder);
  const closed = findClosedDays(folder.path);
  const domains = new Set([...lost.keys(), ...closed.keys()]);
  return [...domains].map((domain) => {
    const days = closed.get(domain) ?? new Map<string, FoundDay>();
    const [newest] = [...days.values()].sort((a, b) => b.head.generation - a.head.generation);
    const missing = [...(lost.get(domain) ?? [])].filter((date) => !days.has(date));
    return {
      kept: {
        domain,
        ...(newest?.head.log ?? NOTHING_KNOWN),
        late: {},
        open: {},
        days: null,
        closed: [],
        settled: [...days.keys()].at(-1) ?? "",
        lost: Object.fromEntries(missing.map((date) => [date, { ...damage, isForGood: true }])),
      },
      named: { hash: null, days: new Map([...days].map(([date, { day }]) => [date, day])) },
    };
  });
}

const NOTHING_KNOWN: FoundDay["head"]["log"] = {
  pageviews: 0,
  fields: {},
  first: null,
  last: null,
  places: [],
};

/** Whether a history without a manifest has closed days all the same. */
export const hasClosedDays = (folder: string): boolean => findClosedDays(folder).size > 0;

/** By site. */
function findClosedDays(folder: string): Map<string, Map<string, FoundDay>> {
  const sites = join(folder, "sites");
  if (!existsSync(sites)) return new Map();
  const found = readdirSync(sites).map((name) => recoverDays(createDayFiles(join(sites, name))));
  return new Map(
    found.flatMap((days) => {
      const [first] = days.values();
      return first === undefined ? [] : [[first.head.site, days] as const];
    }),
  );
}

/** By site, the dates of the journals. */
function findOpenDays(folder: HistoryFolder): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  if (!existsSync(openFolder(folder.path))) return found;
  for (const name of readdirSync(openFolder(folder.path))) {
    const date = name.slice(0, "2026-11-21".length);
    const path = journalPath(folder, date);
    folder.aside.add(path);
    for (const site of listJournalSites(path)) found.set(site, (found.get(site) ?? new Set()).add(date));
  }
  return found;
}
