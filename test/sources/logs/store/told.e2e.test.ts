import {
  copyFileSync,
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { DataSource } from "../../../../src/sources/data-source.ts";
import { backUpHistory } from "../../../../src/sources/logs/store/back-up.ts";
import { IS_LONG, SEED } from "../../../support/seed.ts";
import { CHROME, combinedLine, createLogPlace, type LogPlace } from "../log-place.ts";
import { listFiles } from "./history-files.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const [FROM, TO] = ["2026-10-01", "2026-12-31"];
const FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";

const dateOf = (time: number) => new Date(time).toISOString().slice(0, 10);

/** What the program says about all days. */
async function ask(source: DataSource, now: number) {
  const [site] = await source.sites();
  if (site === undefined) throw new Error("There is no site.");
  const span = { site, from: FROM, to: TO, now };
  const days = (await source.days(span)).filter(({ pageviews }) => pageviews > 0);
  const { rows } = await source.breakdown(span, "pages", 1000);
  return { days, pages: rows.map(({ value, visitors, hits }) => ({ value, visitors, hits })) };
}
type Answer = Awaited<ReturnType<typeof ask>>;

interface Line {
  at: number;
  sender: string;
  text: string;
}

/** Logs that are written, rotated, removed and asked about, and what was told about them. */
class Logs {
  readonly place: LogPlace;
  sources: DataSource[] = [];
  /** The numbers and their times. */
  private readonly told: { now: number; answer: Answer }[] = [];
  private readonly written: Line[] = [];
  /** The lines that were in a file when a question was asked. */
  private readonly read = new Set<Line>();
  /** Whether no line was lost. */
  private isWhole = true;
  private wentBack = false;

  constructor(place: LogPlace) {
    this.place = place;
  }

  private get folder() {
    return join(this.place.folder, "www");
  }

  private path(name: string) {
    return join(this.folder, name);
  }

  private listFiles() {
    return readdirSync(this.folder).sort();
  }

  async restart() {
    this.sources = [await this.place.open(), await this.place.open()];
  }

  private makeLines(count: number, from: number, to: number, random: number): string[] {
    const lines = Array.from({ length: count }, (_, index) => {
      const number = this.written.length + index;
      const mixed = (random + 7 * number) % 1_009;
      const parts = { address: `198.51.100.${mixed % 23}`, agent: mixed % 2 === 0 ? CHROME : FIREFOX };
      const at = Math.floor((from + ((to - from) * (index + 1)) / count) / 1000) * 1000;
      // The query makes each line another, and does not count.
      const text = combinedLine({ at, path: `/page/${mixed % 5}?${number}`, ...parts });
      return { at, sender: `${parts.address} ${parts.agent}`, text };
    });
    this.written.push(...lines);
    return lines.map(({ text }) => text);
  }

  append(count: number, hours: number, random: number) {
    const { now } = this.place.clock;
    this.place.append("access.log", this.makeLines(count, now - hours * HOUR, now, random));
  }

  /** Lines of an earlier day in the log of today, as a server writes that was asleep. */
  appendLate(count: number, days: number, random: number) {
    const { now } = this.place.clock;
    this.place.append("access.log", this.makeLines(count, now - days * DAY - HOUR, now - days * DAY, random));
  }

  addOlderFile(count: number, days: number, random: number) {
    const { now } = this.place.clock;
    const lines = this.makeLines(count, now - days * DAY - 9 * HOUR, now - days * DAY, random);
    this.place.write(`access.log.old${this.written.length}`, lines);
  }

  private shift() {
    for (let number = 9; number >= 1; number--) {
      for (const end of ["", ".gz"]) {
        const path = this.path(`access.log.${number}${end}`);
        if (existsSync(path)) renameSync(path, this.path(`access.log.${number + 1}${end}`));
      }
    }
  }

  rotate(compress: boolean) {
    if (!existsSync(this.path("access.log"))) return;
    this.shift();
    renameSync(this.path("access.log"), this.path("access.log.1"));
    const older = this.path("access.log.2");
    if (!compress || !existsSync(older)) return;
    writeFileSync(`${older}.gz`, gzipSync(readFileSync(older)));
    rmSync(older);
  }

  copyAndTruncate() {
    if (!existsSync(this.path("access.log"))) return;
    this.shift();
    copyFileSync(this.path("access.log"), this.path("access.log.1"));
    truncateSync(this.path("access.log"));
  }

  remove(index: number) {
    const files = this.listFiles();
    const name = files[index % files.length];
    if (name === undefined) return;
    this.isWhole = false;
    rmSync(this.path(name));
  }

  moveClock(by: number) {
    this.place.clock.now += by;
    if (by < 0) this.wentBack = true;
  }

  /** Puts a copy of the history in its place. */
  restoreBackup() {
    const [history, backup] = [this.place.history(), join(this.place.folder, "backup")];
    if (!existsSync(join(history, "manifest"))) return;
    backUpHistory(history, backup, false);
    rmSync(history, { recursive: true });
    cpSync(backup, history, { recursive: true });
    rmSync(backup, { recursive: true });
  }

  /** Changes a bit of a file that can be made again from others. */
  flip(index: number) {
    const files = listFiles(this.place.history()).filter((path) => /manifest$|\.copy$|\.json$/.test(path));
    const path = files[index % files.length];
    if (path === undefined) return;
    const bytes = readFileSync(path);
    const at = (7 * index) % bytes.length;
    bytes[at] = (bytes[at] ?? 0) ^ 0x10;
    writeFileSync(path, bytes);
  }

  async ask(index: number) {
    this.check(await ask(this.sources[index % 2] as DataSource, this.place.clock.now));
    await this.compare();
  }

  async askBoth() {
    const answers = await Promise.all(this.sources.map((source) => ask(source, this.place.clock.now)));
    for (const answer of answers) this.check(answer);
    await this.compare();
  }

  async askAnew() {
    await this.restart();
    await this.ask(0);
  }

  private check(answer: Answer) {
    const { now } = this.place.clock;
    this.checkTold(answer, now);
    this.checkLines(answer, now);
    this.told.push({ now, answer });
  }

  /** No day has less than was told, unless a clock that went back leaves out what comes after now. */
  private checkTold({ days, pages }: Answer, now: number) {
    for (const before of this.told) {
      const isBefore = before.now <= now;
      for (const { date, pageviews, visitors } of before.answer.days) {
        if (!isBefore && date >= dateOf(now)) continue;
        const found = days.find((day) => day.date === date);
        expect(found?.pageviews ?? 0, `page views of ${date}`).toBeGreaterThanOrEqual(pageviews);
        expect(found?.visitors ?? 0, `visitors of ${date}`).toBeGreaterThanOrEqual(visitors);
      }
      if (!isBefore) continue;
      for (const { value, hits, visitors } of before.answer.pages) {
        const found = pages.find((page) => page.value === value);
        expect(found?.hits ?? 0, `page views of ${value}`).toBeGreaterThanOrEqual(hits);
        expect(found?.visitors ?? 0, `visitors of ${value}`).toBeGreaterThanOrEqual(visitors);
      }
    }
  }

  /** No line counts twice, and every line that was there counts while its day is open. */
  private checkLines({ days }: Answer, now: number) {
    const files = this.listFiles().map((name) => {
      const bytes = readFileSync(this.path(name));
      return (name.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString();
    });
    const present = new Set(files.flatMap((text) => text.split("\n")));
    for (const line of this.written) if (present.has(line.text)) this.read.add(line);
    for (const date of new Set(this.written.map(({ at }) => dateOf(at)))) {
      const isOf = ({ at }: Line) => dateOf(at) === date;
      const { pageviews, visitors } = days.find((day) => day.date === date) ?? { pageviews: 0, visitors: 0 };
      const all = this.written.filter(isOf);
      expect(pageviews, `page views of ${date}`).toBeLessThanOrEqual(all.length);
      expect(visitors, `visitors of ${date}`).toBeLessThanOrEqual(
        new Set(all.map(({ sender }) => sender)).size,
      );
      if (this.wentBack || Date.parse(date) + 2 * DAY <= now) continue;
      const counted = [...this.read].filter(isOf).filter(({ at }) => at <= now);
      expect(pageviews, `page views of ${date}, which is open`).toBe(counted.length);
      expect(visitors, `visitors of ${date}, which is open`).toBe(
        new Set(counted.map(({ sender }) => sender)).size,
      );
    }
  }

  /** As long as all lines are there, a new reading gives the same. */
  private async compare() {
    if (!this.isWhole) return;
    const { now } = this.place.clock;
    expect(this.told.at(-1)?.answer).toEqual(await ask(await this.place.open({}, false), now));
  }
}

const count = fc.integer({ min: 1, max: 30 });
const random = fc.nat(1_000);
/** The steps by name, with what they are given. */
const STEPS: fc.Arbitrary<[string, (logs: Logs) => unknown]>[] = [
  fc
    .tuple(count, fc.integer({ min: 0, max: 20 }), random)
    .map(([lines, hours, seed]) => [
      `append ${lines} of ${hours} hours`,
      (logs) => logs.append(lines, hours, seed),
    ]),
  fc
    .tuple(count, fc.integer({ min: 0, max: 4 }), random)
    .map(([lines, days, seed]) => [
      `append ${lines} of ${days} days before`,
      (logs) => logs.appendLate(lines, days, seed),
    ]),
  fc
    .tuple(count, fc.integer({ min: 0, max: 8 }), random)
    .map(([lines, days, seed]) => [
      `add a file with ${lines} of ${days} days before`,
      (logs) => logs.addOlderFile(lines, days, seed),
    ]),
  fc
    .boolean()
    .map((compress) => [`rotate ${compress ? "and compress" : ""}`, (logs) => logs.rotate(compress)]),
  fc.constant(["copy and truncate", (logs) => logs.copyAndTruncate()]),
  fc.nat(20).map((index) => [`remove file ${index}`, (logs) => logs.remove(index)]),
  fc
    .integer({ min: 1, max: 30 })
    .map((hours) => [`${hours} hours later`, (logs) => logs.moveClock(hours * HOUR)]),
  fc.integer({ min: 1, max: 6 }).map((days) => [`${days} days later`, (logs) => logs.moveClock(days * DAY)]),
  fc
    .integer({ min: 1, max: 90 })
    .map((hours) => [`${hours} hours back`, (logs) => logs.moveClock(-hours * HOUR)]),
  fc.constant(["restart", (logs) => logs.restart()]),
  fc.constant(["back up and restore", (logs) => logs.restoreBackup()]),
  fc.nat(1_000).map((index) => [
    `flip a bit ${index}, and ask anew`,
    (logs) => {
      logs.flip(index);
      return logs.askAnew();
    },
  ]),
  ...[0, 1].map((index) =>
    fc.constant<[string, (logs: Logs) => unknown]>([`ask source ${index}`, (logs) => logs.ask(index)]),
  ),
  fc.constant(["ask both", (logs) => logs.askBoth()]),
  fc.constant(["ask anew", (logs) => logs.askAnew()]),
];

const describeStep = ([name, act]: [string, (logs: Logs) => unknown]) =>
  Object.assign(act, { [fc.toStringMethod]: () => name });

/** The clock that goes back makes more allowed: half of the sequences are without. */
const isForward = (act: object) => !fc.stringify(act).endsWith("back");

async function follow(steps: ((logs: Logs) => unknown)[]) {
  const place = createLogPlace();
  try {
    const logs = new Logs(place);
    await logs.restart();
    logs.append(20, 30, 1);
    await logs.ask(0);
    for (const step of steps) await step(logs);
    await logs.askAnew();
  } finally {
    place.remove();
  }
}

const anySteps = fc.array(fc.oneof(...STEPS).map(describeStep), { minLength: 4, maxLength: 14 });

describe("nothing that was told is lost, and nothing counts twice", { concurrent: true }, () => {
  const numRuns = IS_LONG ? 1_000 : 12;
  it("whatever happens to the logs", async () => {
    await fc.assert(
      fc.asyncProperty(anySteps, (steps) => follow(steps.filter(isForward))),
      { numRuns },
    );
  }, 600_000);

  it("whatever happens to the logs and the clock", async () => {
    // Other sequences than above, half of which would be the same.
    await fc.assert(fc.asyncProperty(anySteps, follow), { numRuns, seed: SEED + 1 });
  }, 600_000);
});
