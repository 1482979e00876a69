import { deserialize, serialize } from "node:v8";
import { type Database, readBytes, readTogether, transact } from "../../../sqlite/driver.ts";
import { countOpenDay, wasClosedTooEarly } from "../counting/close-days.ts";
import { type DayCounts, DEFINITION } from "../counting/day-counts.ts";
import { createOutcomes, type Outcomes } from "../counting/outcomes.ts";
import { createSiteLog, type SiteLog } from "../counting/site-log.ts";
import { createSiteValues, type SiteValues, valueSpaces } from "../counting/values.ts";
import type { KeptMarks } from "../reading/compared-days.ts";
import type { LogContent } from "../reading/log-content.ts";
import { ForeignIndex } from "./index-file.ts";
import { packOpenDay, unpackOpenDay } from "./open-day-file.ts";
import { createStoredTallies, packTallies } from "./stored-tallies.ts";

/** All that reading the logs has found. */
export interface LogState {
  contents: readonly LogContent[];
  /** For comparison with the lines of other contents. */
  marks: readonly KeptMarks[];
  sites: readonly SiteLog[];
  outcomes: Outcomes;
  userAgents: readonly string[];
}

/** What an earlier process kept. */
export interface KeptState extends Omit<LogState, "userAgents"> {
  /**
   * By site and date: days to use only if their lines are gone, since they were counted by an earlier definition or while the
   * clock was ahead.
   */
  older: ReadonlyMap<string, ReadonlyMap<string, DayCounts>>;
}

/** Keeps what was read in one file: the next process continues where this one stopped. */
export interface LogIndex {
  /**
   * Undefined if nothing was kept yet. Throws ForeignIndex if a newer version of this program has written it.
   *
   * @param now Seconds since 1970.
   */
  load(now: number): KeptState | undefined;
  /**
   * Writes the state, all of it or nothing. False if another process has written since `load`: then this one has to load
   * again, because the same value may have another number there.
   */
  save(state: LogState): boolean;
  close(): void;
}

interface Head {
  /** Increases with each save. */
  generation: number;
  definition: number;
  contents: LogContent[];
  marks: readonly KeptMarks[];
  outcomes: Outcomes;
  sites: KeptSite[];
}

interface KeptSite extends Omit<SiteLog, "values" | "open" | "closed"> {
  /** What its rows have as their site: a site that was forgotten and is new has other ones. */
  key: string;
}

interface WrittenSite {
  key: string;
  values: SiteValues;
  /** By space, how many values are on disk. */
  counts: ReadonlyMap<string, number>;
}

export function createLogIndex(db: Database): LogIndex {
  let generation = 0;
  /** By domain, what is on disk of sites; and which closed days are. */
  const writtenSites = new Map<string, WrittenSite>();
  const writtenDays = new Set<DayCounts>();

  const readHead = (): Head | undefined => {
    const row = db.prepare("SELECT value FROM state WHERE name = 'head'").get();
    return row === undefined ? undefined : deserialize(readBytes(row.value));
  };

  const loadValues = ({ domain, key }: KeptSite): SiteValues => {
    const count = db.prepare(
      "SELECT space, count(*) AS count FROM site_values WHERE site = ? GROUP BY space",
    );
    const counts = new Map(count.all(key).map((row) => [String(row.space), Number(row.count)]));
    const select = db.prepare("SELECT value FROM site_values WHERE site = ? AND space = ? ORDER BY number");
    const values = createSiteValues((space) => select.all(key, space).map((row) => String(row.value)));
    writtenSites.set(domain, { key, values, counts });
    return values;
  };

  const loadDays = ({ key }: KeptSite): Map<string, DayCounts> => {
    const days = new Map<string, DayCounts>();
    const select = db.prepare("SELECT date, generation, totals FROM closed_days WHERE site = ?");
    for (const row of select.all(key)) {
      const date = String(row.date);
      const day: DayCounts = {
        ...deserialize(readBytes(row.totals)),
        tallies: createStoredTallies(db, key, date, Number(row.generation)),
      };
      days.set(date, day);
      writtenDays.add(day);
    }
    return days;
  };

  const loadSite = (site: KeptSite): SiteLog => {
    const { key, ...kept } = site;
    const log: SiteLog = { ...createSiteLog(kept.domain, kept.timezone, loadValues(site)), ...kept };
    for (const [date, day] of loadDays(site)) log.closed.set(date, day);
    const select = db.prepare("SELECT bytes FROM open_days WHERE site = ? AND date = ? AND part = ?");
    for (const row of db.prepare("SELECT DISTINCT date FROM open_days WHERE site = ?").all(key)) {
      const date = String(row.date);
      log.open.set(
        date,
        unpackOpenDay(date, (part) => readBytes(select.get(key, date, part)?.bytes)),
      );
    }
    return log;
  };

  const loadAll = (now: number): KeptState | undefined => {
    const head = readHead();
    if (head === undefined) return undefined;
    writtenSites.clear();
    if (head.definition > DEFINITION) throw new ForeignIndex("a newer version of this program wrote it");
    generation = head.generation;
    const { contents, marks, outcomes, sites } = head;
    if (head.definition === DEFINITION) {
      const logs = sites.map(loadSite);
      if (!logs.some((log) => wasClosedTooEarly(log, now))) {
        return { contents, marks, outcomes, sites: logs, older: new Map() };
      }
    }
    return {
      contents: [],
      marks: [],
      outcomes: createOutcomes(),
      sites: sites.map((site) => ({
        ...createSiteLog(site.domain, site.timezone, loadValues(site)),
        first: site.first,
      })),
      older: new Map(sites.map((site) => [site.domain, loadDays(site)])),
    };
  };

  // While another process may write.
  const load = (now: number) => readTogether(db, () => loadAll(now));

  // Runs once the transaction is committed.
  type Effect = () => void;

  /** What is on disk of a site: nothing if it is new, also where one of the same name was forgotten. */
  const findWritten = ({ domain, values }: SiteLog): WrittenSite => {
    const written = writtenSites.get(domain);
    if (written?.values === values) return written;
    return { key: `${domain} ${generation + 1}`, values, counts: new Map() };
  };

  const writeClosed = (key: string, { closed }: SiteLog): Effect[] => {
    const next = generation + 1;
    const insertDay = db.prepare("INSERT INTO closed_days VALUES (?, ?, ?, ?)");
    const insert = db.prepare("INSERT INTO tallies VALUES (?, ?, ?, ?)");
    return [...closed].flatMap(([date, day]) => {
      if (writtenDays.has(day)) return [];
      const { tallies, ...totals } = day;
      if (!(tallies instanceof Map)) throw new TypeError("These tallies are on disk already.");
      removeClosed(key, date);
      insertDay.run(key, date, next, serialize(totals));
      for (const [dimension, counts] of tallies) insert.run(key, date, dimension, packTallies(counts));
      return () => {
        // From now on they are read when they are asked for.
        day.tallies = createStoredTallies(db, key, date, next);
        writtenDays.add(day);
      };
    });
  };

  const removeClosed = (key: string, date: string) => {
    for (const table of ["closed_days", "tallies"]) {
      db.prepare(`DELETE FROM ${table} WHERE site = ? AND date = ?`).run(key, date);
    }
  };

  const writeOpen = (key: string, site: SiteLog, userAgents: readonly string[]): Effect[] => {
    const insert = db.prepare("INSERT INTO open_days VALUES (?, ?, ?, ?)");
    return [...site.open.values()].map((day) => {
      const { parts, hashes } = packOpenDay(day, countOpenDay(site, day), userAgents);
      // It may have been closed too early.
      removeClosed(key, day.date);
      for (const [part, bytes] of parts) insert.run(key, day.date, part, bytes);
      return () => {
        day.hashes = hashes;
      };
    });
  };

  const writeValues = ({ key, values, counts }: WrittenSite, domain: string): Effect => {
    const insertValue = db.prepare("INSERT INTO site_values VALUES (?, ?, ?, ?)");
    const now = new Map<string, number>();
    for (const space of valueSpaces) {
      const { at, size } = values(space);
      for (let number = (counts.get(space) ?? 0) + 1; number < size; number++) {
        insertValue.run(key, space, number, at(number) ?? "");
      }
      now.set(space, size - 1);
    }
    return () => void writtenSites.set(domain, { key, values, counts: now });
  };

  const save = ({ contents, marks, sites, outcomes, userAgents }: LogState): boolean => {
    const committed = transact(db, () => {
      if ((readHead()?.generation ?? 0) !== generation) return undefined;
      db.exec("DELETE FROM open_days");
      const pairs = sites.map((site) => ({ site, written: findWritten(site) }));
      const effects = pairs.flatMap(({ site, written }) => [
        ...writeClosed(written.key, site),
        // Counting may number values.
        ...writeOpen(written.key, site, userAgents),
        writeValues(written, site.domain),
      ]);
      const head: Head = {
        generation: generation + 1,
        definition: DEFINITION,
        outcomes,
        contents: [...contents],
        marks,
        sites: pairs.map(({ site: { values: _, open: __, closed: ___, ...kept }, written: { key } }) => ({
          ...kept,
          key,
        })),
      };
      db.prepare("INSERT OR REPLACE INTO state VALUES ('head', ?)").run(serialize(head));
      return effects;
    });
    if (committed === undefined) return false;
    generation++;
    for (const commit of committed) commit();
    return true;
  };

  return { load, save, close: () => db.close() };
}
