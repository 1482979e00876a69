import { deserialize, serialize } from "node:v8";
import { AnalyticsError } from "../../errors.ts";
import type { Dimension } from "../../operations/dimensions.ts";
import { type Database, readBytes, readTogether, transact } from "../../sqlite/driver.ts";
import type { KeptMarks } from "./compared-days.ts";
import { type DayCounts, DEFINITION, type Tallies } from "./day-counts.ts";
import { ForeignIndex } from "./index-file.ts";
import type { LogContent } from "./log-content.ts";
import { packOpenDay, unpackOpenDay } from "./open-day-file.ts";
import { createOutcomes, type Outcomes } from "./outcomes.ts";
import { countOpenDay, createSiteLog, isClosedEarly, type SiteLog } from "./site-log.ts";
import { createSiteValues, type SiteValues, valueSpaces } from "./values.ts";

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
  sites: Omit<SiteLog, "values" | "open" | "sealed">[];
}

export function createLogIndex(db: Database): LogIndex {
  let generation = 0;
  /** How many values of each site and space are on disk, and which sealed days. */
  const writtenValues = new Map<string, number>();
  const writtenDays = new Set<DayCounts>();

  const readHead = (): Head | undefined => {
    const row = db.prepare("SELECT value FROM state WHERE name = 'head'").get();
    return row === undefined ? undefined : deserialize(readBytes(row.value));
  };

  const loadValues = (domain: string): SiteValues => {
    const count = db.prepare(
      "SELECT space, count(*) AS count FROM site_values WHERE site = ? GROUP BY space",
    );
    for (const row of count.all(domain)) writtenValues.set(`${domain} ${row.space}`, Number(row.count));
    const select = db.prepare("SELECT value FROM site_values WHERE site = ? AND space = ? ORDER BY number");
    return createSiteValues((space) => select.all(domain, space).map((row) => String(row.value)));
  };

  const loadDays = (domain: string): Map<string, DayCounts> => {
    const days = new Map<string, DayCounts>();
    const select = db.prepare("SELECT date, generation, totals FROM sealed_days WHERE site = ?");
    for (const row of select.all(domain)) {
      const date = String(row.date);
      const day: DayCounts = {
        ...deserialize(readBytes(row.totals)),
        tallies: createStoredTallies(db, domain, date, Number(row.generation)),
      };
      days.set(date, day);
      writtenDays.add(day);
    }
    return days;
  };

  const loadSite = (kept: Head["sites"][number]): SiteLog => {
    const { domain, timezone } = kept;
    const log: SiteLog = { ...createSiteLog(domain, timezone, loadValues(domain)), ...kept };
    for (const [date, day] of loadDays(domain)) log.sealed.set(date, day);
    const select = db.prepare("SELECT bytes FROM open_days WHERE site = ? AND date = ? AND part = ?");
    for (const row of db.prepare("SELECT DISTINCT date FROM open_days WHERE site = ?").all(domain)) {
      const date = String(row.date);
      log.open.set(
        date,
        unpackOpenDay(date, (part) => readBytes(select.get(domain, date, part)?.bytes)),
      );
    }
    return log;
  };

  const loadAll = (now: number): KeptState | undefined => {
    const head = readHead();
    if (head === undefined) return undefined;
    if (head.definition > DEFINITION) throw new ForeignIndex("a newer version of this program wrote it");
    generation = head.generation;
    const { contents, marks, outcomes, sites } = head;
    if (head.definition === DEFINITION) {
      const logs = sites.map(loadSite);
      if (!logs.some((log) => isClosedEarly(log, now))) {
        return { contents, marks, outcomes, sites: logs, older: new Map() };
      }
    }
    return {
      contents: [],
      marks: [],
      outcomes: createOutcomes(),
      sites: sites.map(({ domain, timezone, first }) => ({
        ...createSiteLog(domain, timezone, loadValues(domain)),
        first,
      })),
      older: new Map(sites.map(({ domain }) => [domain, loadDays(domain)])),
    };
  };

  // While another process may write.
  const load = (now: number) => readTogether(db, () => loadAll(now));

  // Runs once the transaction is committed.
  type Effect = () => void;

  const writeSealed = ({ domain, sealed }: SiteLog): Effect[] => {
    const next = generation + 1;
    const insertDay = db.prepare("INSERT INTO sealed_days VALUES (?, ?, ?, ?)");
    const insert = db.prepare("INSERT INTO tallies VALUES (?, ?, ?, ?)");
    return [...sealed].flatMap(([date, day]) => {
      if (writtenDays.has(day)) return [];
      const { tallies, ...totals } = day;
      if (!(tallies instanceof Map)) throw new TypeError("These tallies are on disk already.");
      removeSealed(domain, date);
      insertDay.run(domain, date, next, serialize(totals));
      for (const [dimension, counts] of tallies) insert.run(domain, date, dimension, packTallies(counts));
      return () => {
        // From now on they are read when they are asked for.
        day.tallies = createStoredTallies(db, domain, date, next);
        writtenDays.add(day);
      };
    });
  };

  const removeSealed = (domain: string, date: string) => {
    for (const table of ["sealed_days", "tallies"]) {
      db.prepare(`DELETE FROM ${table} WHERE site = ? AND date = ?`).run(domain, date);
    }
  };

  const writeOpen = (site: SiteLog, userAgents: readonly string[]): Effect[] => {
    const insert = db.prepare("INSERT INTO open_days VALUES (?, ?, ?, ?)");
    return [...site.open.values()].map((day) => {
      const { parts, hashes } = packOpenDay(day, countOpenDay(site, day), userAgents);
      // It may have been closed too early.
      removeSealed(site.domain, day.date);
      for (const [part, bytes] of parts) insert.run(site.domain, day.date, part, bytes);
      return () => {
        day.hashes = hashes;
      };
    });
  };

  const writeValues = ({ domain, values }: SiteLog): Effect[] => {
    const insertValue = db.prepare("INSERT INTO site_values VALUES (?, ?, ?, ?)");
    return valueSpaces.map((space) => {
      const key = `${domain} ${space}`;
      const { at, size } = values(space);
      for (let number = (writtenValues.get(key) ?? 0) + 1; number < size; number++) {
        insertValue.run(domain, space, number, at(number) ?? "");
      }
      return () => void writtenValues.set(key, size - 1);
    });
  };

  const save = ({ contents, marks, sites, outcomes, userAgents }: LogState): boolean => {
    const committed = transact(db, () => {
      if ((readHead()?.generation ?? 0) !== generation) return undefined;
      db.exec("DELETE FROM open_days");
      const effects = sites.flatMap((site) => [
        ...writeSealed(site),
        // Counting may number values.
        ...writeOpen(site, userAgents),
        ...writeValues(site),
      ]);
      const head: Head = {
        ...{ generation: generation + 1, definition: DEFINITION },
        ...{ outcomes, contents: [...contents], marks },
        sites: sites.map(({ values: _, open: __, sealed: ___, ...rest }) => rest),
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

/** The day was counted again by another process, whose values may have other numbers. */
export class DayCountedAgain extends AnalyticsError {
  constructor() {
    super("unavailable", "Another process has just counted these logs again.", { hint: "Ask again." });
  }
}

/** @param generation The generation in which the day was written. */
function createStoredTallies(
  db: Database,
  site: string,
  date: string,
  generation: number,
): DayCounts["tallies"] {
  const known = new Map<Dimension, Tallies | undefined>();
  const read = (dimension: Dimension) => {
    const row = db
      .prepare(
        `SELECT generation, counts FROM sealed_days AS day LEFT JOIN tallies
        ON tallies.site = day.site AND tallies.date = day.date AND dimension = ?
        WHERE day.site = ? AND day.date = ?`,
      )
      .get(dimension, site, date);
    if (row?.generation !== generation) throw new DayCountedAgain();
    return row.counts === null ? undefined : unpackTallies(readBytes(row.counts));
  };
  return {
    get: (dimension) => {
      if (known.has(dimension)) return known.get(dimension);
      const tallies = explainDamage(() => read(dimension));
      known.set(dimension, tallies);
      return tallies;
    },
  };
}

function explainDamage<T>(read: () => T): T {
  try {
    return read();
  } catch (cause) {
    if (cause instanceof DayCountedAgain) throw cause;
    throw new AnalyticsError("unavailable", "The index of these logs cannot be read.", {
      hint: "Remove its file, in the folder logs of this program's state folder: it is made again from the logs.",
      cause,
    });
  }
}

function packTallies({ values, visitors, hits }: Tallies): Buffer {
  return Buffer.concat(
    [values, visitors, hits].map(({ buffer, byteOffset, byteLength }) =>
      Buffer.from(buffer, byteOffset, byteLength),
    ),
  );
}

function unpackTallies(bytes: Uint8Array): Tallies {
  const all = new Uint32Array(bytes.buffer);
  const rows = all.length / 3;
  return {
    values: all.subarray(0, rows),
    visitors: all.subarray(rows, 2 * rows),
    hits: all.subarray(2 * rows),
  };
}
