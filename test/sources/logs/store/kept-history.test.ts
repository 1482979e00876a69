import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { parseFilter } from "../../../../src/operations/filter.ts";
import type { DataSource } from "../../../../src/sources/data-source.ts";
import { DEFINITION } from "../../../../src/sources/logs/counting/day-counts.ts";
import { CHROME, createLogPlace, type LogPlace, NOON, readAll } from "../log-place.ts";
import { changeManifest, listFiles, readManifest } from "./history-files.ts";

/*
 * kept-history/ is a history that an earlier version of this program has written, with closed days and an open one. Every version
 * answers from it as that one did. If the format of the history changes so that it cannot be read, write it again:
 *
 *   WRITE_HISTORY=1 npx vitest run test/sources/logs/store/kept-history.test.ts
 */

const FIXTURE = fileURLToPath(new URL("kept-history", import.meta.url));
/** In place of the folder with the logs. */
const PLACE = "/srv/example";

const DAY = 86_400_000;
const HOUR = 3_600_000;
const [FROM, TO] = ["2026-11-15", "2026-11-21"];
const FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";
/** With languages. */
const FLAGS = {
  logFormat:
    '$remote_addr [$time_iso8601] "$request" $status "$http_referer" "$http_user_agent" "$http_accept_language"',
};

interface Sent {
  at: number;
  sender?: number;
  path?: string;
  status?: number;
  referrer?: string;
  agent?: string;
  language?: string;
}

function line({ at, sender = 1, path = "/", status = 200, referrer = "-", ...rest }: Sent): string {
  const { agent = sender % 2 === 0 ? CHROME : FIREFOX, language = "de-DE,de;q=0.9" } = rest;
  const time = `${new Date(at).toISOString().slice(0, 19)}+00:00`;
  return `198.51.100.${sender} [${time}] "GET ${path} HTTP/1.1" ${status} "${referrer}" "${agent}" "${language}"`;
}

/** Some of everything. Two visits in a row differ in one value alone. */
const linesOf = (at: number): string[] => [
  line({ at, path: "/a", referrer: "https://www.google.com/" }),
  line({ at: at + 5_000, path: "/b", referrer: "https://www.example.com/a" }),
  line({ at: at + 9_000, sender: 2, path: "/a", language: "fr" }),
  line({ at: at + 10_000, sender: 3, path: "/a", language: "de" }),
  line({ at: at + 11_000, sender: 3, path: "/files/list.pdf" }),
  line({ at: at + 12_000, sender: 4, path: "/c?utm_source=letter&utm_medium=email&utm_campaign=may" }),
  line({ at: at + 13_000, sender: 5, path: "/c?utm_source=paper&utm_medium=email&utm_campaign=may" }),
  line({ at: at + 14_000, sender: 5, path: "/gone", status: 404, referrer: "https://www.example.com/c" }),
  line({ at: at + 15_000, sender: 5, path: "/c", status: 500, referrer: "https://example.net/" }),
  line({ at: at + 16_000, sender: 6, path: "/", agent: "Mozilla/5.0 (compatible; GPTBot/1.2)" }),
  line({ at: at + HOUR, sender: 2, path: "/b", language: "fr" }),
];

const NEWER = [
  line({ at: NOON - 30_000, sender: 2, path: "/b", language: "fr" }),
  line({ at: NOON - 20_000, sender: 7, path: "/a", language: "sv" }),
];

async function ask(source: DataSource, now = NOON) {
  const answer = await readAll(source, FROM, TO, now);
  const span = { site: answer.site, from: FROM, to: TO, now };
  const filter = parseFilter(["languages=fr"]);
  return {
    ...answer,
    hours: (await source.hours?.(span))?.filter(({ visitors }) => visitors > 0),
    french: (await source.days({ ...span, filter })).map(({ visitors }) => visitors),
    crawlers: await source.crawlers?.(span, 10),
    codes: (await source.warnings?.(span))?.map(({ code }) => code),
  };
}

let place: LogPlace;
beforeEach(() => {
  place = createLogPlace();
});
afterEach(() => {
  vi.doUnmock("../../../../src/operations/dimensions.ts");
  vi.doUnmock("../../../../src/sources/logs/counting/line-dimensions.ts");
  vi.resetModules();
  place.remove();
});

/** Writes a history in two steps. */
async function writeHistory(from = place) {
  from.write("access.log.1", linesOf(NOON - 5 * DAY));
  from.write("access.log", linesOf(NOON - 3 * HOUR).slice(0, 5));
  await (await from.open(FLAGS)).sites();
  from.append("access.log", linesOf(NOON - 3 * HOUR).slice(5));
  await (await from.open(FLAGS)).sites();
}

const rename = (history: string, before: string, after: string) =>
  changeManifest(history, (manifest) => JSON.parse(JSON.stringify(manifest).replaceAll(before, after)));

const readExpected = () => JSON.parse(readFileSync(join(FIXTURE, "expected.json"), "utf8"));

/** The folder of the only history. */
const findHistory = () =>
  dirname(listFiles(join(place.folder, "state")).find((path) => path.endsWith("manifest")) ?? "");

if (process.env.WRITE_HISTORY !== undefined) {
  it("writes the history that later versions read", async () => {
    await writeHistory();
    const told = await ask(await place.open(FLAGS));
    rmSync(FIXTURE, { recursive: true, force: true });
    mkdirSync(FIXTURE);
    cpSync(findHistory(), join(FIXTURE, "history"), { recursive: true });
    rename(join(FIXTURE, "history"), place.folder, PLACE);
    rmSync(join(FIXTURE, "history", "manifest.copy"));
    place.append("access.log", NEWER);
    const later = await ask(await place.open(FLAGS));
    writeFileSync(join(FIXTURE, "expected.json"), `${JSON.stringify({ told, later }, null, 1)}\n`);
  });
}

describe("a history that an earlier version of this program has written", () => {
  /** The history is there, and its log files, but for the one with the closed day. */
  async function restore() {
    // It makes the folder of the history.
    place.write("access.log", linesOf(NOON - 3 * HOUR));
    await (await place.open(FLAGS)).sites();
    const history = findHistory();
    rmSync(history, { recursive: true });
    cpSync(join(FIXTURE, "history"), history, { recursive: true });
    rename(history, PLACE, place.folder);
  }

  it("gives the answers that were told", async () => {
    await restore();
    const { told } = readExpected();
    expect(told.french).toEqual([0, 1, 0, 0, 0, 0, 1]);
    expect(await ask(await place.open(FLAGS))).toMatchObject(told);
    expect(place.warned).toEqual([]);
  });

  it("was counted by today's rules: others need a higher DEFINITION, and then the history to be written again", async () => {
    const { definition } = readManifest(join(FIXTURE, "history"));
    place.write("access.log.1", linesOf(NOON - 5 * DAY));
    place.write("access.log", linesOf(NOON - 3 * HOUR));
    const fresh = await ask(await place.open(FLAGS, false));
    expect({ definition, ...readExpected().told }).toMatchObject({ definition: DEFINITION, ...fresh });
  });

  it("goes on although its version did not know a field of lines", async () => {
    await restore();
    changeManifest(findHistory(), ({ sites }) => ({
      sites: sites.map((site) => ({ ...site, fields: { ...site.fields, language: undefined } })),
    }));
    place.append("access.log", NEWER);
    expect(await ask(await place.open(FLAGS))).toMatchObject(readExpected().later);
  });

  it("goes on: who came before is known", async () => {
    await restore();
    place.append("access.log", NEWER);
    const { told, later } = readExpected();
    expect(later.days.at(-1).visitors).toBe(told.days.at(-1).visitors + 1);
    expect(await ask(await place.open(FLAGS))).toMatchObject(later);
    place.clock.now = NOON + 3 * DAY;
    const closed = await ask(await place.open(FLAGS));
    expect(closed.rankings).toMatchObject(later.rankings);
    expect(closed).toMatchObject({ days: later.days, hours: later.hours, french: later.french });
    expect(place.warned).toEqual([]);
  });

  it("is small", () => {
    const bytes = listFiles(FIXTURE).reduce((sum, path) => sum + readFileSync(path).length, 0);
    expect(existsSync(join(FIXTURE, "history", "open", "2026-11-21.journal"))).toBe(true);
    expect(bytes).toBeLessThan(60_000);
  });
});

/** Opens the same place as a version of this program that does not know a dimension. */
async function openWithout(name: string): Promise<LogPlace> {
  const drop = (names: readonly string[]) => names.filter((each) => each !== name);
  vi.resetModules();
  vi.doMock("../../../../src/operations/dimensions.ts", async (importReal) => {
    const real = await importReal<{ dimensions: string[] }>();
    return { ...real, dimensions: drop(real.dimensions) };
  });
  vi.doMock("../../../../src/sources/logs/counting/line-dimensions.ts", async (importReal) => {
    const real = await importReal<{ ORIGIN_DIMENSIONS: string[]; PROFILE_DIMENSIONS: string[] }>();
    const ofOrigin = drop(real.ORIGIN_DIMENSIONS);
    return {
      ...real,
      ORIGIN_DIMENSIONS: ofOrigin,
      PROFILE_DIMENSIONS: drop(real.PROFILE_DIMENSIONS),
      isOfOrigin: (dimension: string) => ofOrigin.includes(dimension),
    };
  });
  const other: { createLogPlace: typeof createLogPlace } = await import("../log-place.ts");
  return other.createLogPlace(place.folder);
}

const withoutRanking = (rankings: object, name: string) =>
  Object.fromEntries(Object.entries(rankings).filter(([dimension]) => dimension !== name));

/** The first, one in the middle and the last of both lists. */
describe.each(["hostnames", "utm_sources", "languages", "devices", "operating_systems"])(
  "a version that knows %s, and one that does not",
  (name) => {
    it("the later one reads what the earlier one wrote: no value is another, and what lacks is said", async () => {
      await writeHistory(await openWithout(name));
      const source = await place.open(FLAGS);
      const answer = await readAll(source, FROM, TO, NOON);
      const fresh = await readAll(await place.open(FLAGS, false), FROM, TO, NOON);
      expect(answer.days).toEqual(fresh.days);
      expect(withoutRanking(answer.rankings, name)).toEqual(withoutRanking(fresh.rankings, name));
      const said = [
        { code: "not_recorded", values: { days: 2, from: "2026-11-16", to: TO, dimension: name } },
      ];
      const span = { site: answer.site, from: FROM, to: TO, now: NOON };
      // `hostnames` are not in these lines, so that nothing is asked about them.
      if (name !== "hostnames") expect(answer.rankings[name]).toMatchObject({ warnings: said });
      const filter = parseFilter([`${name}=x`]);
      const warnings = (await source.warnings?.({ ...span, filter })) ?? [];
      expect(warnings.filter(({ code }) => code === "not_recorded")).toMatchObject(said);
      // What comes from now on is recorded.
      place.clock.now = NOON + 4 * DAY;
      place.append("access.log", linesOf(NOON + 4 * DAY - 3 * HOUR));
      const later = { ...span, from: "2026-11-25", to: "2026-11-25", now: place.clock.now };
      expect(await source.warnings?.({ ...later, filter })).not.toContainEqual(
        expect.objectContaining({ code: "not_recorded" }),
      );
    });

    it("the earlier one reads what the later one wrote", async () => {
      await writeHistory();
      const fresh = await readAll(await place.open(FLAGS, false), FROM, TO, NOON);
      const older = await openWithout(name);
      const answer = await readAll(await older.open(FLAGS), FROM, TO, NOON);
      expect(answer.days).toEqual(fresh.days);
      const rankings = withoutRanking(answer.rankings, name);
      expect(Object.keys(rankings).length).toBeGreaterThan(5);
      expect(rankings).toEqual(withoutRanking(fresh.rankings, name));
    });
  },
);
