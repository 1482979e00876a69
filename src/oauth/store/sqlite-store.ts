import { setImmediate as yieldToOthers } from "node:timers/promises";
import { createCounterHash } from "./sealing.ts";
import { loadDriver, type OpenDatabase } from "./sqlite-driver.ts";
import { createGrants } from "./sqlite-grants.ts";
import { createRecords } from "./sqlite-records.ts";
import { openSession, type Session } from "./sqlite-session.ts";
import type { Store, StoreOptions } from "./store.ts";

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
  { clock, secret, report }: StoreOptions,
  driver?: OpenDatabase,
): Promise<Store> {
  const nameCounter = createCounterHash(secret);
  const session = await openSession(file, driver ?? (await loadDriver()));
  const sweep = createSweep(session, clock);
  const sweepQuietly = () =>
    sweep().catch((error: Error) => report(`Expired records could not be removed. ${error.message}`));
  await sweepQuietly();
  const timer = setInterval(sweepQuietly, SWEEP_INTERVAL).unref();
  return {
    ...createRecords(session, clock),
    ...createGrants(session, clock),
    ...createCounters(session, nameCounter),
    check: createCheck(session),
    close: async () => {
      clearInterval(timer);
      await session.checkpoint().catch(() => {});
      session.close();
    },
  };
}

function createCounters(
  { prepare, read, writeUnsynced }: Session,
  nameCounter: (name: string) => string,
): Pick<Store, "hit" | "unhit"> {
  const select = prepare("SELECT count, ends FROM counters WHERE name = ?1");
  const replace = prepare("INSERT OR REPLACE INTO counters (name, count, ends) VALUES (?1, ?2, ?3)");
  const takeBack = prepare(
    "UPDATE counters SET count = count - 1 WHERE name = ?1 AND ends > ?2 AND count > 0",
  );
  return {
    hit: async (counter, { max, windowMs }, now) => {
      const name = nameCounter(counter);
      const latest = now + windowMs;
      const find = () => {
        const row = select.get(name);
        const known = row && { count: Number(row.count), ends: Number(row.ends) };
        return known && known.ends > now ? known : { count: 0, ends: latest };
      };
      const known = await read(find);
      if (known.count >= max && known.ends <= latest) return known.ends - now;
      return writeUnsynced(() => {
        // Another process may have counted meanwhile.
        const { count, ends } = find();
        const end = Math.min(ends, latest);
        const isFull = count >= max;
        replace.run(name, isFull ? count : count + 1, end);
        return isFull ? end - now : 0;
      });
    },
    unhit: (counter, now) => writeUnsynced(() => void takeBack.run(nameCounter(counter), now)),
  };
}

function createCheck({ prepare, read }: Session): Store["check"] {
  const select = prepare("SELECT 1 FROM grants LIMIT 1");
  return () => read(() => void select.get());
}

/**
 * Removes expired rows, a few at a time so that requests are answered in between, and then empties the write-ahead
 * log, where removed rows would remain.
 */
function createSweep({ prepare, write, checkpoint }: Session, clock: () => number): () => Promise<void> {
  const erasers = [
    ["records", "expires"],
    ["grants", "forgotten"],
    ["counters", "ends"],
  ].map(([table, end]) =>
    prepare(`
      DELETE FROM ${table}
      WHERE rowid IN (SELECT rowid FROM ${table} WHERE ${end} <= ?1 LIMIT ${SWEPT_PER_STEP})`),
  );
  return async () => {
    for (const each of erasers) {
      while ((await write(() => each.run(clock()))) === SWEPT_PER_STEP) await yieldToOthers();
    }
    await checkpoint();
  };
}
