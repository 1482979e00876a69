import { renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { isPart } from "../../../../src/sources/logs/store/find-history.ts";
import { createHistory } from "../../../../src/sources/logs/store/history.ts";
import { createLogStore } from "../../../../src/sources/logs/store/log-store.ts";
import { isNotKept, openHistoryOf } from "../../../../src/sources/logs/store/open-history.ts";
import { IS_LONG } from "../../../support/seed.ts";
import {
  CHROME,
  combinedLine,
  createLogPlace,
  type LogPlace,
  NOON,
  readAll,
  readSettings,
} from "../log-place.ts";
import {
  changeClosedDays,
  changeManifest,
  listFiles,
  readDayParts,
  readEverything,
  readManifest,
} from "./history-files.ts";

const DAY = 86_400_000;
const FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";

let place: LogPlace;
beforeEach(() => {
  place = createLogPlace();
});
afterEach(() => place.remove());

/** A reproducible stream of lines over some days: visitors come back, on other days and to other pages. */
function makeLines(count: number, days: number, seed = 1): string[] {
  let state = seed;
  const draw = (below: number) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 8) % below;
  };
  return Array.from({ length: count }, (_, index) =>
    combinedLine({
      at: NOON - days * DAY + Math.floor((index * days * DAY) / count),
      address: `198.51.100.${draw(20)}`,
      path: draw(10) === 0 ? "/files/report.pdf" : `/page/${draw(8)}`,
      status: draw(12) === 0 ? 404 : 200,
      referrer: draw(3) === 0 ? "https://www.google.com/" : "-",
      agent: draw(2) === 0 ? CHROME : FIREFOX,
    }),
  );
}

const FROM = "2026-11-10";
const TO = "2026-11-21";
const read = async (flags = {}, withHistory = true) =>
  readAll(await place.open(flags, withHistory), FROM, TO, place.clock.now);

describe("the history of logs", () => {
  it.each(IS_LONG ? [1, 2, 3] : [1])(
    "gives the same numbers however often the program starts in between (%i)",
    async (seed) => {
      const lines = makeLines(600, 6, seed);
      const cuts = [50, 51, 400, 600];
      let done = 0;
      for (const cut of cuts) {
        place.append("access.log", lines.slice(done, cut));
        done = cut;
        await read();
      }
      place.clock.now = NOON + 2 * DAY;
      expect(await read()).toEqual(await read({}, false));
      expect((await read()).days.some(({ visitors }) => visitors > 3)).toBe(true);
    },
  );

  it("knows a visitor again after a restart", async () => {
    place.write("access.log", [combinedLine({ at: NOON - 3_600_000, path: "/a" })]);
    await read();
    place.append("access.log", [combinedLine({ at: NOON - 60_000, path: "/b" })]);
    const { days, active } = await read();
    expect(days.at(-1)).toMatchObject({ visitors: 1, pageviews: 2 });
    expect(active).toBe(1);
  });

  it("continues a large day whose journal was written in parts", async () => {
    const lines = Array.from({ length: 45_003 }, (_, index) =>
      combinedLine({
        at: NOON - 9 * 3_600_000 + 500 * index,
        address: `10.${index % 200}.${(index >> 3) % 200}.7`,
        path: `/page/${(index * 7) % 21_000}`,
      }),
    );
    place.write("access.log", lines.slice(0, 42_001));
    await read();
    expect(readDayParts(place.history(), "2026-11-21").length).toBeGreaterThan(2);
    place.append("access.log", lines.slice(42_001));
    expect(await read()).toEqual(await read({}, false));
    place.clock.now = NOON + 3 * DAY;
    expect(await read()).toEqual(await read({}, false));
  });

  it("keeps days whose files have rotated away", async () => {
    place.write("access.log.1", makeLines(300, 6));
    place.clock.now = NOON + 2 * DAY;
    const before = await read();
    rmSync(join(place.folder, "www", "access.log.1"));
    place.write("access.log", [combinedLine({ at: NOON + DAY })]);
    const { days } = await read();
    expect(days.filter(({ date }) => date <= "2026-11-20")).toEqual(
      before.days.filter(({ date }) => date <= "2026-11-20"),
    );
  });

  it("counts what two processes read, once", async () => {
    const lines = makeLines(600, 5);
    place.append("access.log", lines.slice(0, 200));
    const [one, other] = [await place.open(), await place.open()];
    const readBy = (source: typeof one) => readAll(source, FROM, TO, place.clock.now);
    await Promise.all([readBy(one), readBy(other)]);
    place.append("access.log", lines.slice(200, 400));
    place.clock.now = NOON + DAY;
    await readBy(one);
    await readBy(other);
    place.append("access.log", lines.slice(400));
    place.clock.now = NOON + 3 * DAY;
    const expected = await read({}, false);
    expect(await readBy(other)).toEqual(expected);
    expect(await readBy(one)).toEqual(expected);
    expect(await read()).toEqual(expected);
  });

  it("reads the requests of an open day however often other processes add to it, until it is closed", async () => {
    place.write("access.log", makeLines(100, 2));
    await read();
    const load = () =>
      createHistory(place.history(), () => {})
        .load()
        ?.sites[0]?.open.get(TO);
    const before = load()?.load().hits.sender.length ?? 0;
    const [early, late] = [load(), load()];
    place.append("access.log", [combinedLine({ at: NOON - 60_000 })]);
    await read();
    expect([before > 0, early?.load().hits.sender.length]).toEqual([true, before]);
    expect(load()?.load().hits.sender.length).toBe(before + 1);
    place.clock.now = NOON + 3 * DAY;
    await read();
    expect(() => late?.load()).toThrow("Another process has just counted these logs again.");
  });

  it("reads nothing again if another process has just saved the same lines", async () => {
    place.write("access.log", makeLines(100, 2));
    await read();
    place.append("access.log", [combinedLine({ at: NOON - 60_000 })]);
    const settings = readSettings(place.folder, {});
    let loads = 0;
    const openHistory = async () => {
      const history = await openHistoryOf(settings, place.environment, () => {});
      if (history === undefined || isNotKept(history) || isPart(history))
        throw new Error("There is no history.");
      const load = () => {
        loads++;
        return history.load();
      };
      return { ...history, load };
    };
    const readStore = async () => {
      const store = createLogStore(settings, { clock: () => place.clock.now, openHistory });
      return [...(await store.read()).collector.sites.values()][0]?.pageviews;
    };
    const [one, other] = await Promise.all([readStore(), readStore()]);
    expect([one, loads]).toEqual([other, 2]);
  });

  it("knows whether another process has saved at least as many lines", async () => {
    place.write("access.log", makeLines(100, 2));
    await read();
    const history = createHistory(place.history(), () => {});
    const { contents: [content] = [], sites = [], logs } = history.load() ?? {};
    if (content === undefined || logs === undefined) throw new Error("Nothing was read.");
    const hasAll = (changed: object) =>
      history.hasAll({ contents: [{ ...content, ...changed }], sites, logs });
    expect(hasAll({})).toBe(true);
    expect(hasAll({ read: content.read + 1 })).toBe(false);
    place.append("access.log", [combinedLine({ at: NOON - 60_000 })]);
    await read();
    expect(hasAll({ read: content.read + 1 })).toBe(true);
    expect(hasAll({ fingerprint: "another log" })).toBe(false);
    expect(history.hasAll({ contents: [content, content], sites, logs })).toBe(false);
    changeManifest(place.history(), (manifest) => ({
      sites: manifest.sites.map((site) => ({ ...site, late: { [FROM]: 1 } })),
    }));
    expect(hasAll({})).toBe(false);
  });

  it("reads no numbers of a closed day that another process has counted again since", async () => {
    const on16 = NOON - 5 * DAY;
    place.write("access.log", [
      combinedLine({ at: on16, path: "/first" }),
      combinedLine({ at: NOON - 60_000, path: "/first" }),
    ]);
    const long = await place.open();
    const [site] = await long.sites();
    if (site === undefined) throw new Error("There is no site.");
    const older = Array.from({ length: 10_000 }, (_, second) =>
      combinedLine({
        at: on16 + 1_000 * second,
        path: "/older",
        address: `198.51.100.${second % 250}`,
      }),
    );
    place.write("access.log.2", older);
    await read();
    rmSync(join(place.folder, "www", "access.log.2"));
    place.append("access.log", [combinedLine({ at: NOON - 30_000, path: "/today" })]);
    const span = { site, from: "2026-11-16", to: "2026-11-16", now: place.clock.now };
    const { rows } = await long.breakdown(span, "pages", 10);
    expect(rows.map(({ value, hits }) => [value, hits])).toEqual([
      ["/older", 10_000],
      ["/first", 1],
    ]);
    expect(await long.days(span)).toMatchObject([{ pageviews: 10_001 }]);
  });

  it("gives what another process has told meanwhile, although its file is gone", async () => {
    place.write("access.log", makeLines(100, 2));
    const long = await place.open();
    await readAll(long, FROM, TO, place.clock.now);
    place.write("access.log.2", [combinedLine({ at: NOON - 60_000, address: "198.51.100.99" })]);
    const told = await read();
    rmSync(join(place.folder, "www", "access.log.2"));
    expect((await readAll(long, FROM, TO, place.clock.now)).days).toEqual(told.days);
  });

  it("gives the numbers of days that another process has closed before this one needed their requests", async () => {
    const crawler = combinedLine({ at: NOON - 50_000, agent: "Mozilla/5.0 (compatible; GPTBot/1.2)" });
    place.write("access.log", [...makeLines(100, 2), crawler]);
    await read();
    const askLong = async () => {
      const source = await place.open();
      const [site] = await source.sites();
      if (site === undefined) throw new Error("There is no site.");
      return { source, span: { site, from: FROM, to: TO, now: place.clock.now } };
    };
    const [one, two, three] = [await askLong(), await askLong(), await askLong()];
    place.clock.now = NOON + 3 * DAY;
    const expected = await read();
    // They have read nothing of the days yet, and the files that they know are gone.
    expect(await readAll(one.source, FROM, TO, place.clock.now)).toEqual(expected);
    expect((await two.source.crawlers?.(two.span, 10))?.totalRequests).toBe(1);
    place.append("access.log", [combinedLine({ at: NOON - 40_000, path: "/late" })]);
    expect(await readAll(three.source, FROM, TO, place.clock.now)).toEqual(await read({}, false));
  });

  it("counts a closed day again if an older file with its lines appears", async () => {
    const early = combinedLine({ at: NOON - 5 * DAY, address: "198.51.100.1" });
    const late = combinedLine({ at: NOON - 5 * DAY + 60_000, address: "198.51.100.2" });
    place.write("access.log", [early, combinedLine({ at: NOON - 60_000 })]);
    const on16 = async () => (await read()).days.find(({ date }) => date === "2026-11-16");
    expect(await on16()).toMatchObject({ visitors: 1 });
    place.write("access.log.2", [late]);
    expect(await on16()).toMatchObject({ visitors: 2, pageviews: 2 });
    expect(await read()).toEqual(await read({}, false));
  });

  it.each<[string, (path: (name: string) => string) => void]>([
    ["nothing", () => {}],
    ["another log", (path) => renameSync(path("access.log"), path("access.log.1"))],
    ["an empty file", (path) => writeFileSync(path("access.log.1"), "")],
  ])(
    "reports lines of a closed day whose other lines are gone, and does not count them: %s has their name",
    async (_, takeName) => {
      place.write("access.log.1", [combinedLine({ at: NOON - 5 * DAY, address: "198.51.100.1" })]);
      place.write("access.log", [combinedLine({ at: NOON - 60_000 })]);
      await read();
      rmSync(join(place.folder, "www", "access.log.1"));
      takeName((name) => join(place.folder, "www", name));
      place.write("access.log.2", [combinedLine({ at: NOON - 5 * DAY + 60_000, address: "198.51.100.2" })]);
      const source = await place.open();
      const { site, days } = await readAll(source, FROM, TO, place.clock.now);
      expect(days.find(({ date }) => date === "2026-11-16")).toMatchObject({ visitors: 1 });
      expect(days.find(({ date }) => date === "2026-11-21")).toMatchObject({ visitors: 1 });
      const warnings = await source.warnings?.({ site, from: FROM, to: TO, now: place.clock.now });
      expect(warnings).toContainEqual({
        code: "late",
        detail: "1 line came after its day was closed and is not counted.",
        values: { lines: 1 },
      });
      expect(days).toEqual((await read()).days);
    },
  );

  it("keeps what an earlier definition counted where the lines are gone, and says so", async () => {
    place.write("access.log.1", makeLines(300, 6));
    place.clock.now = NOON + 2 * DAY;
    const before = await read();
    changeClosedDays(place.history(), (day) => ({ ...day, definition: 0 }));
    changeManifest(place.history(), () => ({ definition: 0 }));
    rmSync(join(place.folder, "www", "access.log.1"));
    place.write("access.log", [combinedLine({ at: NOON + DAY })]);
    const source = await place.open();
    const { site, days } = await readAll(source, FROM, TO, place.clock.now);
    expect(days.filter(({ date }) => date <= "2026-11-20")).toEqual(
      before.days.filter(({ date }) => date <= "2026-11-20"),
    );
    const warnings = await source.warnings?.({ site, from: FROM, to: TO, now: place.clock.now });
    expect(warnings?.map(({ code }) => code)).toContain("definition");
  });
});

describe("what the history holds", () => {
  const ADDRESSES = ["198.51.100.77", "2001:db8:aa:bb:1234::77"];
  const AGENT = `${FIREFOX} Zanary7`;
  const lines = (at: number) =>
    ADDRESSES.flatMap((address, index) => [
      combinedLine({ at, address, agent: AGENT, path: "/seen" }),
      combinedLine({ at: at + 1_000 * index, address, agent: AGENT, path: "/files/a.pdf" }),
    ]);
  const bytes = () => readEverything(place.history());

  it("is for its owner alone", async () => {
    place.write("access.log", [...lines(NOON - 4 * DAY), ...lines(NOON - 60_000)]);
    await read();
    const files = listFiles(place.history());
    expect(files.length).toBeGreaterThan(4);
    for (const path of files) expect(statSync(path).mode & 0o777, path).toBe(0o600);
    for (const path of ["", "open", "sites", "sites/example.com"]) {
      expect(statSync(join(place.history(), path)).mode & 0o777, path).toBe(0o700);
    }
  });

  it("is no address and no user agent, of open days or closed ones", async () => {
    place.write("access.log", [...lines(NOON - 4 * DAY), ...lines(NOON - 60_000)]);
    await read();
    const found = await bytes();
    expect(found.includes("/seen")).toBe(true);
    for (const text of [...ADDRESSES, "2001:db8:aa:bb", AGENT, "Zanary7", "rv:140.0"]) {
      expect(found.includes(text), text).toBe(false);
      expect(found.includes(Buffer.from(text, "utf16le")), text).toBe(false);
    }
  });

  const readSalts = () =>
    readManifest(place.history()).sites.flatMap(({ open }) => Object.values(open).map(({ salt }) => salt));

  it("is no salt of a day that is closed", async () => {
    place.write("access.log", lines(NOON - 60_000));
    await read();
    const salts = readSalts();
    expect(salts).toHaveLength(1);
    const hashes = readDayParts(place.history(), "2026-11-21").flatMap(({ columns }) => [
      columns.addresses ?? [],
      columns.networks ?? [],
      columns.agents ?? [],
    ]);
    expect(hashes).toHaveLength(3);
    const secrets = [
      ...salts.map((salt) => Buffer.from(salt, "base64")),
      ...hashes.map((hash) => Buffer.from(hash)),
    ];
    for (const secret of secrets) {
      expect(secret.length).toBeGreaterThanOrEqual(12);
      expect((await bytes()).includes(secret)).toBe(true);
    }
    place.clock.now = NOON + 3 * DAY;
    await read();
    for (const gone of secrets) expect((await bytes()).includes(gone)).toBe(false);
    expect(readSalts()).toEqual([]);
  });

  it("has the salt of no other day or site", async () => {
    place.write("access.log", [...lines(NOON - DAY), ...lines(NOON - 60_000)]);
    await read();
    const salts = readSalts();
    expect(salts).toHaveLength(2);
    expect(new Set(salts).size).toBe(2);
  });
});
