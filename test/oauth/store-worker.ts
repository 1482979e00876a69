import { writeSync } from "node:fs";
import { createInterface } from "node:readline";
import { openStore } from "../../src/oauth/store/open-store.ts";
import { loadDriver, openSqliteStore } from "../../src/oauth/store/sqlite-store.ts";
import type { StoredRecord } from "../../src/oauth/store/store.ts";

/** A separate process that uses a store. It reports each step synchronously, so a killed process loses none. */
const say = (line: string) => void writeSync(1, `${line}\n`);
const options = { clock: () => 1_800_000_000_000, secret: Buffer.alloc(32, 7), report: say };
const build = (hash: string, sealed = Buffer.from(hash)): StoredRecord => ({
  kind: "AccessToken",
  hash,
  grantId: "worker",
  created: 1_800_000_000_000,
  sealed,
});

const [task = "", path = "", ...rest] = process.argv.slice(2);
const numbers = rest.map(Number);

const tasks: Record<string, () => Promise<void>> = {
  /** Waits for a line, then consumes records in order and reports those that it was the first to consume. */
  consume: async () => {
    const store = await openSqliteStore(path, options);
    say("ready");
    for await (const _ of createInterface({ input: process.stdin })) break;
    for (let index = 0; index < (numbers[0] ?? 0); index++) {
      // Gives the other process time, so that both work on the same record.
      await new Promise((resolve) => setTimeout(resolve, 1));
      if ((await store.consume("AccessToken", `${index}`, index))?.first) say(`first ${index}`);
    }
    say("done");
    process.exit();
  },
  /** Puts and consumes until it is killed. */
  write: async () => {
    const store = await openSqliteStore(path, options);
    for (let index = numbers[0] ?? 0; ; index++) {
      await store.put(build(`${index}`));
      say(`put ${index}`);
      if ((await store.consume("AccessToken", `${index}`, index))?.first) say(`first ${index}`);
    }
  },
  /** Locks the file until its input ends. */
  lock: async () => {
    const db = (await loadDriver())(path);
    db.exec("BEGIN EXCLUSIVE");
    say("locked");
    for await (const _ of createInterface({ input: process.stdin }));
  },
  /** Puts until that fails, then reports the error and whether all acknowledged records are there. */
  fill: async () => {
    const store = await openSqliteStore(path, options);
    let count = 0;
    try {
      for (; count < 10_000; count++) await store.put(build(`${count}`, Buffer.alloc(2000)));
    } catch (error) {
      const { code, message } = error as { code?: string; message: string };
      say(`${code} ${message}`);
    }
    let found = 0;
    while (found < count && (await store.get("AccessToken", `${found}`))) found++;
    const ready = await store.check().then(
      () => "ready",
      (error) => error.code,
    );
    say(`${count > 0} ${found === count} ${await store.get("AccessToken", `${count}`)} ${ready}`);
  },
  /** Uses every method once, for other versions of Node and for bundles. */
  smoke: async () => {
    const store = await openStore(path, options);
    const answers = [
      await store.put(build("a")),
      Buffer.from((await store.get("AccessToken", "a"))?.sealed ?? []).toString(),
      await store.consume("AccessToken", "a", 1),
      await store.consume("AccessToken", "a", 2),
      await store.hit("b", { max: 1, windowMs: 1000 }, 0),
      await store.revokeGrant("worker", options.clock()),
      await store.put(build("b")),
      await store.get("AccessToken", "a"),
      (await store.listGrants()).map(({ grantId, revoked }) => ({ grantId, revoked })),
    ];
    await store.check();
    await store.close();
    // The process then ends by itself, since a closed store does not keep it alive.
    say(JSON.stringify(answers));
  },
};

await tasks[task]?.();
