import { randomBytes } from "node:crypto";
import { setImmediate as yieldToOthers } from "node:timers/promises";
import { createCounterHash } from "./sealing.ts";
import { loadDriver, type OpenDatabase } from "./sqlite-driver.ts";
import { createGrants } from "./sqlite-grants.ts";
import { createRecords } from "./sqlite-records.ts";
import { openSession, type Session } from "./sqlite-session.ts";
import type { Store, StoreOptions } from "./store.ts";
import { describeFailure } from "./store-failure.ts";

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
  { prepare, write }: Session,
  nameCounter: (name: string) => string,
): Pick<Store, "hit" | "unhit"> {
  const count = prepare(`
    INSERT INTO counters (name, count, ends) VALUES (?1, 1, ?2 + ?3)
    ON CONFLICT (name) DO UPDATE SET
      count = CASE WHEN ends <= ?2 THEN 1 ELSE count + 1 END,
      ends = CASE WHEN ends <= ?2 THEN ?2 + ?3 ELSE min(ends, ?2 + ?3) END
    RETURNING count`);
  const takeBack = prepare(
    "UPDATE counters SET count = count - 1 WHERE name = ?1 AND ends > ?2 AND count > 0",
  );
  return {
    hit: (counter, windowMs, now) =>
      write(() => Number(count.all(nameCounter(counter), now, windowMs)[0]?.count)),
    unhit: (counter, now) => write(() => void takeBack.run(nameCounter(counter), now)),
  };
}

function createCheck({ prepare, read, write }: Session): Store["check"] {
  const replace = prepare("INSERT OR REPLACE INTO probe (id, value) VALUES (1, ?1)");
  const select = prepare("SELECT value FROM probe");
  return async () => {
    // As large as a page, so that writing it needs space on the disk as a record does.
    const value = randomBytes(4096);
    await write(() => void replace.run(value));
    const [row] = await read(() => select.all());
    if (row?.value === undefined) throw describeFailure("it does not keep what is written", undefined);
  };
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
