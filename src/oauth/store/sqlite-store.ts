import { setImmediate as yieldToOthers } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { AnalyticsError } from "../../errors.ts";
import { findDriver, type OpenDatabase } from "../../sqlite/driver.ts";
import { adviseOnLibsql } from "./install-libsql.ts";
import { createCounterHash } from "./sealing.ts";
import { createGrants, createRecords, LIVE_GRANTS } from "./sqlite-records.ts";
import { openSession, type Session } from "./sqlite-session.ts";
import { LIMITED_KINDS, MAX_WITHOUT_GRANT, type Store, type StoreOptions } from "./store.ts";

/** Milliseconds between two sweeps, and how many rows one step of a sweep removes at most. */
const SWEEP_INTERVAL = 60_000;
const SWEPT_PER_STEP = 500;

/**
 * Opens a store in one file. Several processes on one machine may have it open, such as a server and admin commands.
 * Acknowledged writes survive a killed process and a power loss. If the file is removed or replaced, every method
 * throws until the store is opened again.
 */
export async function openSqliteStore(
  file: string,
  { clock, secret, report, maxWithoutGrant = MAX_WITHOUT_GRANT }: StoreOptions,
  driver?: OpenDatabase,
): Promise<Store> {
  const hashCounterName = createCounterHash(secret);
  const session = await openSession(file, driver ?? (await loadDriver()));
  const sweep = createSweep(session, clock, maxWithoutGrant);
  const sweepQuietly = () =>
    sweep().catch((error: Error) => report(`Expired records could not be removed. ${error.message}`));
  await sweepQuietly();
  const timer = setInterval(sweepQuietly, SWEEP_INTERVAL).unref();
  return {
    ...createRecords(session, clock),
    ...createGrants(session, clock),
    ...createCounters(session, hashCounterName),
    check: createCheck(session),
    close: async () => {
      clearInterval(timer);
      await session.checkpoint().catch(() => {});
      session.close();
    },
  };
}

/** Loads SQLite. Throws AnalyticsError `usage` if there is none. */
export async function loadDriver(): Promise<OpenDatabase> {
  const open = await findDriver();
  if (open) return open;
  throw createLackError();
}

/** What is to be said if there is no SQLite; undefined if there is. */
export const findDriverLack = async () => ((await findDriver()) ? undefined : createLackError());

const createLackError = () =>
  new AnalyticsError("usage", "This Node has no SQLite, which a store in a file needs.", {
    hint: `Use Node 22.13 or newer, or ${adviseOnLibsql(fileURLToPath(import.meta.url))}. Or choose another store: --store memory (sign-ins end with the process) or --store redis://host:6379.`,
  });

function createCounters(
  { prepare, writeUnsynced }: Session,
  hashCounterName: (name: string) => string,
): Pick<Store, "hit" | "unhit"> {
  // A full window is not touched, so nothing is written then.
  const count = prepare(`
    INSERT INTO counters (name, count, ends) VALUES (?1, 1, ?3)
    ON CONFLICT (name) DO UPDATE SET
      count = CASE WHEN ends <= ?2 THEN 1 ELSE count + 1 END,
      ends = CASE WHEN ends <= ?2 THEN ?3 ELSE min(ends, ?3) END
    WHERE ends <= ?2 OR count < ?4
    RETURNING count`);
  const shorten = prepare("UPDATE counters SET ends = ?2 WHERE name = ?1 AND ends > ?2");
  const select = prepare("SELECT ends FROM counters WHERE name = ?1");
  const takeBack = prepare(
    "UPDATE counters SET count = count - 1 WHERE name = ?1 AND ends > ?2 AND count > 0",
  );
  return {
    hit: (counter, { max, windowMs }, now) => {
      const [name, latest] = [hashCounterName(counter), now + windowMs];
      return writeUnsynced(() => {
        if (count.all(name, now, latest, max).length > 0) return 0;
        const ends = Number(select.get(name)?.ends ?? latest);
        if (ends > latest) shorten.run(name, latest);
        return Math.max(1, Math.min(ends, latest) - now);
      });
    },
    unhit: (counter, now) => writeUnsynced(() => void takeBack.run(hashCounterName(counter), now)),
  };
}

function createCheck({ prepare, read }: Session): Store["check"] {
  const select = prepare("SELECT 1 FROM grants LIMIT 1");
  return () => read(() => void select.get());
}

/**
 * Removes expired rows and surplus ones, a few at a time so that requests are answered in between, and then empties the
 * write-ahead log, where removed rows would remain.
 */
function createSweep(
  { prepare, read, write, checkpoint }: Session,
  clock: () => number,
  maxWithoutGrant: number,
): () => Promise<void> {
  const erasers = [
    ["records", "expires"],
    ["grants", "forgotten"],
    ["counters", "ends"],
  ].map(([table, end]) =>
    prepare(`
      DELETE FROM ${table}
      WHERE rowid IN (SELECT rowid FROM ${table} WHERE ${end} <= ?1 LIMIT ${SWEPT_PER_STEP})`),
  );
  const unused = `kind = ?2 AND grant_id IS NULL AND (${LIVE_GRANTS}) = 0`;
  const countUnused = prepare(`SELECT count(*) AS count FROM records AS c WHERE ${unused}`);
  const eraseOldest = prepare(`
    DELETE FROM records
    WHERE rowid IN (SELECT rowid FROM records AS c WHERE ${unused} ORDER BY created LIMIT ?3)`);
  const eraseSurplus = async (kind: string) => {
    const count = await read(() => Number(countUnused.get(clock(), kind)?.count));
    for (let surplus = count - maxWithoutGrant; surplus > 0; surplus -= SWEPT_PER_STEP) {
      await write(() => eraseOldest.run(clock(), kind, Math.min(surplus, SWEPT_PER_STEP)));
      await yieldToOthers();
    }
  };
  return async () => {
    for (const eraser of erasers) {
      while ((await write(() => eraser.run(clock()))) === SWEPT_PER_STEP) await yieldToOthers();
    }
    for (const kind of LIMITED_KINDS) await eraseSurplus(kind);
    await checkpoint();
  };
}
