import {
  chmodSync,
  cpSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { prepareDatabase } from "../../src/oauth/store/sqlite-schema.ts";
import { loadDriver, openSqliteStore } from "../../src/oauth/store/sqlite-store.ts";
import { REVOCATION_KEPT, type Store } from "../../src/oauth/store/store.ts";
import type { OpenDatabase } from "../../src/sqlite/driver.ts";
import { hasSqlite, otherNodes } from "../support/other-nodes.ts";
import { readFolder } from "../support/search.ts";
import { bundleWorker, SMOKE, startWorker } from "./store-workers.ts";
import { buildRecord, createFolder, createOptions, drivers, MINUTE, methods } from "./stores.ts";

let worker: Awaited<ReturnType<typeof bundleWorker>>;
beforeAll(async () => {
  worker = await bundleWorker();
});
afterAll(() => worker.remove());

let place: ReturnType<typeof createFolder>;
let context: ReturnType<typeof createOptions>;
const opened: Store[] = [];
beforeEach(() => {
  place = createFolder();
  context = createOptions();
});
afterEach(async () => {
  for (const store of opened.splice(0)) await store.close();
  place.remove();
});

async function open(driver?: OpenDatabase): Promise<Store> {
  const store = await openSqliteStore(place.path, context.options, driver);
  opened.push(store);
  return store;
}

/** A driver that configures its connection first. */
const configure = async (sql: string): Promise<OpenDatabase> => {
  const driver = await loadDriver();
  return (path) => {
    const db = driver(path);
    const { exec } = db;
    return {
      ...db,
      // After the tables are created.
      exec: (text) => {
        exec(text);
        if (text === "COMMIT") exec(sql);
      },
    };
  };
};

const READING = ["get", "listGrants", "listApplications", "check"];

async function expectUnavailable(attempt: Promise<unknown>, reason: string): Promise<void> {
  const error = await attempt.then(
    (answer) => ({ answer }),
    (thrown) => thrown,
  );
  expect(error).toMatchObject({ name: "AnalyticsError", code: "unavailable" });
  expect(error.message).toContain(reason);
  expect(`${error.message} ${error.hint} ${error.cause}`).not.toContain(place.folder);
}

describe("the file", () => {
  const modeOf = (path: string) => statSync(path).mode & 0o777;

  it("is private to its owner, like its folder and the files that SQLite adds", async () => {
    const before = process.umask(0);
    try {
      await (await open()).put(buildRecord("a"));
      for (const suffix of ["", "-wal", "-shm"]) expect(modeOf(`${place.path}${suffix}`)).toBe(0o600);
      expect(modeOf(dirname(place.path))).toBe(0o700);
    } finally {
      process.umask(before);
    }
  });

  it.each<[string, () => void, string]>([
    [
      "others can read",
      () => writeFileSync(place.path, "", { mode: 0o644 }),
      "can be read or written by others",
    ],
    ["is a symbolic link", () => symlinkSync(join(place.folder, "elsewhere"), place.path), "is a link"],
    [
      "has a second name",
      () => {
        writeFileSync(join(place.folder, "one"), "", { mode: 0o600 });
        linkSync(join(place.folder, "one"), place.path);
      },
      "is a link",
    ],
    ["is a folder", () => mkdirSync(place.path, { mode: 0o700 }), "not a regular file"],
    [
      "has a log that others can write",
      () => {
        writeFileSync(`${place.path}-wal`, "");
        chmodSync(`${place.path}-wal`, 0o666);
      },
      "can be read or written by others",
    ],
    [
      "is in a folder that others can write",
      () => chmodSync(dirname(place.path), 0o777),
      "can be written by others",
    ],
    [
      "is in a folder that its group can write",
      () => chmodSync(dirname(place.path), 0o770),
      "can be written by others",
    ],
  ])("is refused if it %s", async (_, prepare, reason) => {
    mkdirSync(dirname(place.path), { mode: 0o700 });
    prepare();
    await expect(open()).rejects.toMatchObject({ code: "usage", message: expect.stringContaining(reason) });
    expect(lstatSync(place.path, { throwIfNoEntry: false })?.isFile() ? statSync(place.path).size : 0).toBe(
      0,
    );
  });

  it("is refused and left unchanged if it is another program's", async () => {
    mkdirSync(dirname(place.path), { mode: 0o700 });
    writeFileSync(place.path, "", { mode: 0o600 });
    const db = (await loadDriver())(place.path);
    db.exec("CREATE TABLE notes (text TEXT)");
    db.close();
    const before = statSync(place.path).size;
    await expect(open()).rejects.toMatchObject({
      code: "usage",
      message: expect.stringContaining("another program"),
    });
    expect(statSync(place.path).size).toBe(before);
    writeFileSync(place.path, "this is no database ".repeat(100));
    await expect(open()).rejects.toMatchObject({ message: expect.stringContaining("is not a database") });
  });

  it("is refused if a newer version wrote it", async () => {
    await open();
    const db = (await loadDriver())(place.path);
    db.exec("PRAGMA user_version = 2");
    db.close();
    await expect(open()).rejects.toMatchObject({ code: "usage", hint: expect.stringContaining("newer one") });
  });

  it("may be created by two processes at once", async () => {
    const driver = await loadDriver();
    let others = 0;
    const store = await open((path) => {
      const db = driver(path);
      return {
        ...db,
        exec: (text) => {
          // Another process is faster, between the check and the lock.
          if (text === "BEGIN IMMEDIATE" && others++ === 0) prepareDatabase(driver(path));
          db.exec(text);
        },
      };
    });
    expect(await store.put(buildRecord("a"))).toBe(true);
  });

  it("keeps its records when it is opened again, with any driver", async () => {
    for (const [name, driver] of drivers) {
      const store = await openSqliteStore(place.path, context.options, driver);
      await store.put(buildRecord(name, { grantId: "g" }));
      await store.close();
    }
    for (const [, driver] of drivers) {
      const store = await open(driver);
      for (const [name] of drivers) expect(await store.get("AccessToken", name)).toBeDefined();
    }
  });

  it("writes to the disk before it acknowledges", async () => {
    const settings: unknown[] = [];
    const driver = await loadDriver();
    const store = await open((path) => {
      const db = driver(path);
      settings.push(db);
      return db;
    });
    // Counters alone do without.
    await store.hit("a", { max: 1, windowMs: MINUTE }, 1);
    const read = (name: string) =>
      (settings[0] as ReturnType<OpenDatabase>).prepare(`PRAGMA ${name}`).all()[0];
    expect(read("synchronous")).toMatchObject({ synchronous: 2 });
    expect(read("journal_mode")).toMatchObject({ journal_mode: "wal" });
    expect(read("secure_delete")).toMatchObject({ secure_delete: 1 });
  });
});

describe("sweeping", () => {
  it.each(drivers)("leaves no trace of what was replaced, removed or revoked (%s)", async (_, driver) => {
    const mark = Buffer.from("ciphertext-with-a-key-inside");
    const store = await open(driver);
    for (const hash of ["replaced", "removed", "revoked", "kept"]) {
      const sealed = Buffer.concat([mark, Buffer.from(hash)]);
      await store.put(buildRecord(hash, { sealed, grantId: hash === "revoked" ? "g" : undefined }));
    }
    await store.put(buildRecord("replaced", { sealed: Buffer.from("without") }));
    await store.remove("AccessToken", "removed");
    await store.revokeGrant("g", context.clock.now);
    const find = () =>
      ["replaced", "removed", "revoked", "kept"].filter((hash) =>
        readFolder(dirname(place.path)).some(({ bytes }) => bytes.includes(`${mark}${hash}`)),
      );
    expect(find()).toEqual(["replaced", "removed", "revoked", "kept"]);
    // As the timer does each minute.
    await open(driver);
    expect(find()).toEqual(["kept"]);
  });

  it("removes everything expired when the store is opened, and leaves no trace of it", async () => {
    const mark = Buffer.from("ciphertext-of-a-removed-record");
    const first = await open();
    const { now } = context.clock;
    for (let index = 0; index < 1200; index++) {
      await first.put(
        buildRecord(`${index}`, { sealed: mark, expires: now + MINUTE, grantId: `g${index % 3}` }),
      );
    }
    await first.revokeGrant("revoked", now);
    await first.hit("a", { max: 9, windowMs: MINUTE }, now);
    await first.put(buildRecord("kept"));
    context.clock.now += 2 * REVOCATION_KEPT;
    await open();
    const db = (await loadDriver())(place.path);
    const count = (table: string) => db.prepare(`SELECT count(*) AS count FROM ${table}`).all()[0]?.count;
    expect(["records", "grants", "counters"].map(count)).toEqual([1, 0, 0]);
    db.close();
    for (const suffix of ["", "-wal"])
      expect(readFileSync(`${place.path}${suffix}`).includes(mark)).toBe(false);
  });
});

describe("when the medium fails", () => {
  it.each(methods)("%s says so if the file is gone or replaced", async (_, call) => {
    const store = await open();
    await store.put(buildRecord("a", { grantId: "g" }));
    renameSync(place.path, `${place.path}.moved`);
    await expectUnavailable(call(store), "removed or replaced");
    writeFileSync(place.path, "", { mode: 0o600 });
    await expectUnavailable(call(store), "removed or replaced");
    rmSync(place.path);
    renameSync(`${place.path}.moved`, place.path);
    await call(store);
  });

  it("says so if another process has locked the file, and still reads", async () => {
    const store = await open();
    await store.put(buildRecord("a", { grantId: "g" }));
    const holder = startWorker([worker.script, "lock", place.path]);
    await holder.until("locked");
    const writing = methods.filter(([name]) => !READING.includes(name));
    await Promise.all(writing.map(([, call]) => expectUnavailable(call(store), "locked")));
    for (const [name, call] of methods) if (READING.includes(name)) await call(store);
    await holder.kill();
    for (const [, call] of methods) await call(store);
  });

  it("waits for a lock without stopping the process", async () => {
    const store = await open();
    const holder = startWorker([worker.script, "lock", place.path]);
    await holder.until("locked");
    let ticks = 0;
    const timer = setInterval(() => ticks++, 5);
    const put = store.put(buildRecord("a"));
    await expect.poll(() => ticks).toBeGreaterThan(20);
    await holder.kill();
    expect(await put).toBe(true);
    clearInterval(timer);
  });

  it.each(methods.filter(([name]) => !READING.includes(name)))(
    "%s says so where it is read-only",
    async (_, call) => {
      await (await open()).put(buildRecord("a", { grantId: "g" }));
      const store = await open(await configure("PRAGMA query_only = ON"));
      // Twice, because the first failure must not leave a transaction open.
      await expectUnavailable(call(store), "read-only");
      await expectUnavailable(call(store), "read-only");
    },
  );

  it("says so if the disk is full, and keeps what it acknowledged", async () => {
    const store = await open(await configure("PRAGMA max_page_count = 40"));
    let count = 0;
    const fill = async () => {
      for (; count < 1000; count++) await store.put(buildRecord(`${count}`, { sealed: Buffer.alloc(2000) }));
    };
    await expectUnavailable(fill(), "full");
    expect(count).toBeGreaterThan(10);
    for (let index = 0; index < count; index++)
      expect(await store.get("AccessToken", `${index}`)).toBeDefined();
    expect(await store.get("AccessToken", `${count}`)).toBeUndefined();
    for (let index = 0; index < 10; index++) await store.remove("AccessToken", `${index}`);
    expect(await store.put(buildRecord("next"))).toBe(true);
  });

  it("says so if the file cannot grow, and keeps what it acknowledged", async () => {
    const shell = ["sh", "-c", 'ulimit -f 400; exec "$0" "$@"', process.execPath];
    const { stdout } = await startWorker([worker.script, "fill", place.path], shell).end();
    expect(stdout.split("\n")).toEqual([
      expect.stringMatching(
        /^unavailable The sign-in store is unavailable: .* (disk is full|read or written)\.$/,
      ),
      "true true undefined ready",
      "",
    ]);
  });

  it("says so if the file is damaged", async () => {
    const store = await openSqliteStore(place.path, context.options);
    for (let index = 0; index < 50; index++) await store.put(buildRecord(`${index}`));
    await store.close();
    const bytes = readFileSync(place.path);
    // All but the first page, which identifies the file.
    writeFileSync(place.path, bytes.fill(0xa5, 4096));
    const attempt = open().then((damaged) => damaged.get("AccessToken", "1"));
    await expectUnavailable(attempt, "is damaged");
  });

  it("undoes a step that fails, and continues", async () => {
    const store = await open();
    // Not a whole number: the grant is written before the record is refused.
    const odd = buildRecord("a", { grantId: "g", expires: 1_900_000_000_000, consumed: 0.5 });
    await expectUnavailable(store.put(odd), "cannot be used");
    expect(await store.listGrants()).toEqual([]);
    expect(await store.put({ ...odd, consumed: 1 })).toBe(true);
  });

  it.each(methods)("%s fails after the store was closed", async (_, call) => {
    const store = await openSqliteStore(place.path, context.options);
    await store.close();
    await expectUnavailable(call(store), "it was closed");
  });
});

describe("several processes", () => {
  it("together consume each record once", async () => {
    const store = await open();
    const count = 200;
    for (let index = 0; index < count; index++) await store.put(buildRecord(`${index}`));
    const workers = [1, 2].map(() => startWorker([worker.script, "consume", place.path, `${count}`]));
    for (const worker of workers) await worker.until("ready");
    for (const worker of workers) worker.go();
    for (const worker of workers) await worker.until("done");
    const firsts = workers.map((worker) => worker.lines().filter((line) => line.startsWith("first")));
    expect(firsts.flat().sort()).toEqual(
      Array.from({ length: count }, (_, index) => `first ${index}`).sort(),
    );
  });

  it(
    "killed at any moment lose nothing acknowledged, and consume nothing twice (STORE_KILLS)",
    async () => {
      const kills = Number(process.env.STORE_KILLS ?? 12);
      const store = await open();
      const put = new Set<string>();
      const firsts: string[] = [];
      let next = 0;
      for (let done = 0; done < kills; done += 2) {
        // Both use the same records, and some of the previous pair's.
        const from = Math.max(0, next - 5);
        const pair = [1, 2].map(() => startWorker([worker.script, "write", place.path, `${from}`]));
        for (const worker of pair) await worker.until("put");
        await new Promise((resolve) => setTimeout(resolve, Math.random() * 60));
        await Promise.all(pair.map((worker) => worker.kill()));
        for (const line of pair.flatMap((worker) => worker.lines())) {
          const [what, index = ""] = line.split(" ");
          if (what === "put") put.add(index);
          else firsts.push(index);
          next = Math.max(next, Number(index) + 1);
        }
        for (const index of put) expect(await store.get("AccessToken", index)).toBeDefined();
        for (const index of firsts) {
          expect(await store.consume("AccessToken", index, 0)).toMatchObject({ first: false });
        }
      }
      expect(new Set(firsts).size).toBe(firsts.length);
      expect(put.size).toBeGreaterThan(kills);
      await store.check();
    },
    120_000 + Number(process.env.STORE_KILLS ?? 12) * 10_000,
  );
});

const withSqlite = otherNodes.filter(hasSqlite);
describe.skipIf(withSqlite.length === 0)("under other Node versions (TEST_NODES)", () => {
  it.each(withSqlite.length === 0 ? ["none"] : withSqlite)(
    "%s has its own SQLite, and warns of nothing",
    async (node) => {
      // Without libsql to fall back on.
      cpSync(dirname(worker.script), join(place.folder, "worker"), { recursive: true });
      const script = join(place.folder, "worker", basename(worker.script));
      const { stdout, stderr } = await startWorker([script, "smoke", place.path], [node]).end();
      expect(stderr).toBe("");
      expect(JSON.parse(stdout)).toEqual(SMOKE);
      // This Node reads what the other wrote.
      expect(await (await open()).listGrants()).toHaveLength(1);
    },
  );
});
