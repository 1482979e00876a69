import { appendFileSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Dimension } from "../../../../src/operations/dimensions.ts";
import type { DataSource, Span } from "../../../../src/sources/data-source.ts";
import { buildMmdb } from "../../../support/mmdb.ts";
import { combinedLine, createLogPlace, type LogPlace, NOON } from "../log-place.ts";

const DAY = 86_400_000;
const EARLY = "2026-11-16";
const SHOP = "shop.example.com";

let place: LogPlace;
beforeEach(() => {
  place = createLogPlace();
});
afterEach(() => {
  vi.unstubAllEnvs();
  place.remove();
});

const path = (name: string) => join(place.folder, "www", name);

/** Lines of the combined format. */
const plainLines = (count: number, at: number) =>
  Array.from({ length: count }, (_, index) =>
    combinedLine({ at: at + 1_000 * index, address: `198.51.100.${index % 200}`, path: `/${index % 3}` }),
  );
/** The same of a virtual host, as Apache writes them. */
const hostLines = (count: number, at: number, host = SHOP) =>
  plainLines(count, at).map((line) => `${host}:443 ${line}`);

const ALL = { site: undefined };

async function ask(source: DataSource, date: string, domain: string, to = date) {
  const site =
    (await source.sites()).find((found) => found.domain === domain) ?? (await source.site?.(domain));
  if (site === undefined) throw new Error(`There is no ${domain}.`);
  const span: Span = { site, from: date, to, now: place.clock.now };
  const days = await source.days(span);
  const warnings = (await source.warnings?.(span)) ?? [];
  const rows = async (dimension: Dimension) =>
    (await source.breakdown(span, dimension, 100)).rows.map(({ value, hits }) => [value, hits]);
  return {
    visitors: days.map(({ visitors }) => visitors).reduce((a, b) => a + b),
    pageviews: days.map(({ pageviews }) => pageviews).reduce((a, b) => a + b),
    codes: warnings.map(({ code }) => code),
    texts: warnings.map(({ detail }) => detail).join(" "),
    pages: await rows("pages"),
  };
}

/** What a new process says about a day. */
const askAnew = async (flags: Record<string, unknown>, date = EARLY, domain = SHOP) =>
  ask(await place.open(flags), date, domain);
const count = async (...asked: Parameters<typeof askAnew>) => (await askAnew(...asked)).visitors;

/** A day whose log is rotated away, and later ones. */
function writeLogs(name: string, host?: string) {
  place.write(`${name}.1`, hostLines(20, NOON - 5 * DAY, host));
  place.write(name, hostLines(5, NOON - 3_600_000, host));
}
function writeHosts() {
  place.write("access.log.1", hostLines(20, NOON - 5 * DAY));
  place.write("access.log", [
    ...hostLines(5, NOON - 3_600_000),
    ...hostLines(9, NOON - 3_600_000, "example.com"),
  ]);
}
const rotate = () => rmSync(path("access.log.1"));

describe("one set of logs has one history", () => {
  it("whether sites are listed, or one is named", async () => {
    writeHosts();
    expect(await count(ALL)).toBe(20);
    rotate();
    expect(await count({ site: [SHOP] })).toBe(20);
    expect(await count({ site: ["example.com", SHOP] })).toBe(20);
    expect(await count(ALL)).toBe(20);
    expect(place.warned).toEqual([]);
  });

  it("that begins with the question about one site", async () => {
    writeHosts();
    expect(await count({ site: ["example.com"] }, "2026-11-21", "example.com")).toBe(9);
    rotate();
    expect(await count(ALL)).toBe(20);
  });

  it("whatever timezone the machine has by then", async () => {
    writeHosts();
    vi.stubEnv("TZ", "UTC");
    expect(await count({ ...ALL, timezone: undefined })).toBe(20);
    rotate();
    vi.stubEnv("TZ", "Asia/Tokyo");
    expect(await count({ ...ALL, timezone: undefined })).toBe(20);
    expect((await (await place.open({ ...ALL, timezone: undefined })).sites())[0]?.timezone).toBe("UTC");
  });

  it("of a site that is too small to be listed, also if nobody named it", async () => {
    place.write("access.log", [
      ...hostLines(999, NOON - 3_600_000),
      ...hostLines(2, NOON - 3_600_000, "tiny.example.com"),
    ]);
    const sites = await (await place.open(ALL)).sites();
    expect(sites.map(({ domain }) => domain)).toEqual([SHOP]);
    expect(await count(ALL, "2026-11-21", "tiny.example.com")).toBe(2);
    expect(await count({ site: ["tiny.example.com"] }, "2026-11-21", "tiny.example.com")).toBe(2);
  });

  it("that a question begins which is refused for want of a site", async () => {
    place.write("access.log", plainLines(5, NOON - 3_600_000));
    await expect((await place.open(ALL)).sites()).rejects.toThrow("do not say which site they are about");
    expect(readdirSync(join(place.folder, "state", "analytics-mcp", "logs"))).toEqual([]);
    expect(await count({ site: [SHOP] }, "2026-11-21")).toBe(5);
    expect(place.warned).toEqual([]);
  });
});

describe("the name of logs without hosts", () => {
  it("stays, and another one is refused with both", async () => {
    place.write("access.log", plainLines(5, NOON - 3_600_000));
    expect(await count({ site: [SHOP] }, "2026-11-21")).toBe(5);
    const refusal = "These logs are of shop.example.com, not of other.example.";
    await expect((await place.open({ site: ["other.example"] })).sites()).rejects.toMatchObject({
      message: refusal,
      hint: expect.stringMatching(/what was counted: analytics-mcp logs --forget '\/[^']*access\.log\*'$/),
    });
    const logs = [`other.example=${path("access.log*")}`];
    await expect((await place.open({ logs, ...ALL })).sites()).rejects.toThrow(refusal);
    expect(await count(ALL, "2026-11-21")).toBe(5);
  });

  it("can come later: days whose lines exist are counted then, and the answer says since when", async () => {
    writeHosts();
    place.write("access.log.2", plainLines(7, NOON - 4 * DAY));
    await count(ALL);
    rmSync(path("access.log.1"));
    const named = await ask(
      await place.open({ site: ["plain.example"] }),
      "2026-11-14",
      "plain.example",
      "2026-11-21",
    );
    expect(named).toMatchObject({ pageviews: 7, codes: expect.arrayContaining(["site_since"]) });
    expect(named.texts).toContain("plain.example counts from 2026-11-17 on");
    expect(await count(ALL)).toBe(20);
    expect(await count(ALL, "2026-11-17", "plain.example")).toBe(7);
  });
});

it("a site that was named when all hosts were too many counts from then on, and as far as its lines exist", async () => {
  const hosts = Array.from({ length: 1_000 }, (_, index) => hostLines(1, NOON - DAY, `h${index}.example`));
  place.write("access.log.1", hosts.flat());
  await (await place.open(ALL)).sites();
  place.write("access.log", hostLines(3, NOON - 60_000, "late.example"));
  await expect(count(ALL, "2026-11-21", "late.example")).rejects.toThrow("There is no late.example.");
  rotate();
  const late = await ask(await place.open({ site: ["late.example"] }), EARLY, "late.example", "2026-11-21");
  expect(late).toMatchObject({ visitors: 3, codes: expect.arrayContaining(["site_since"]) });
  expect(late.texts).toContain("late.example counts from 2026-11-21 on");
  place.append("access.log", hostLines(4, NOON - 60_000, "late.example"));
  expect(await count({ site: ["late.example"] }, "2026-11-21", "late.example")).toBe(4);
  expect(await count(ALL, "2026-11-20", "h7.example")).toBe(1);
});

describe("other patterns", () => {
  const pattern = (...names: string[]) => ({ ...ALL, logs: names.map(path) });

  it("that match all files continue the history, and so do the first ones", async () => {
    place.write("access.log", hostLines(20, NOON - 5 * DAY));
    expect(await count(pattern("access.log"))).toBe(20);
    place.write("access.log.1", hostLines(30, NOON - 4 * DAY));
    expect(await count(pattern("access.log*"))).toBe(20);
    renameSync(path("access.log"), path("gone"));
    place.write("access.log", hostLines(5, NOON - 60_000));
    for (const asked of [pattern("access.log*"), pattern("access.log"), pattern(".")]) {
      expect(await count(asked)).toBe(20);
      expect(await count(asked, "2026-11-17")).toBe(30);
    }
    expect(place.warned).toEqual([]);
  });

  it("are the same through a link to their folder", async () => {
    writeHosts();
    await count(ALL);
    rotate();
    const { symlinkSync } = await import("node:fs");
    symlinkSync(join(place.folder, "www"), join(place.folder, "linked"));
    expect(await count({ ...ALL, logs: [join(place.folder, "linked", "access.log*")] })).toBe(20);
  });

  it("that match some of the files read these, keep nothing, and say so", async () => {
    writeHosts();
    await count(ALL);
    const before = readdirSync(join(place.folder, "state", "analytics-mcp", "logs"));
    const part = await askAnew(pattern("access.log"), EARLY);
    expect(part).toMatchObject({ visitors: 0, codes: expect.arrayContaining(["part_of_logs"]) });
    expect(part.texts).toContain('These files belong to the history of "access.log*", so they');
    expect(readdirSync(join(place.folder, "state", "analytics-mcp", "logs"))).toEqual(before);
    rotate();
    expect(await count(ALL)).toBe(20);
  });

  it("that match some of the files are counted with the history's options, if no others are given", async () => {
    writeHosts();
    await count({ ...ALL, timezone: "Asia/Tokyo", excludeAddress: ["198.51.100.0"] });
    const part = { ...pattern("access.log"), timezone: undefined };
    const source = await place.open(part);
    expect((await source.sites())[0]?.timezone).toBe("Asia/Tokyo");
    expect(await ask(source, "2026-11-21", SHOP)).toMatchObject({ visitors: 4 });
    expect((await (await place.open({ ...part, timezone: "UTC" })).sites())[0]?.timezone).toBe("UTC");
  });

  it.each([
    ["begin one of their own while nothing of the first is lost", () => {}, 20],
    ["keep nothing once a file of the first is gone", () => rmSync(path("b.log.1")), undefined],
  ])("that match whole logs of a history %s", async (_, before, kept) => {
    writeLogs("a.log");
    writeLogs("b.log", "example.com");
    await count(pattern("*.log*"));
    before();
    const some = pattern("a.log*");
    expect((await askAnew(some)).codes.includes("part_of_logs")).toBe(kept === undefined);
    rmSync(path("a.log.1"));
    expect(await count(some)).toBe(kept ?? 0);
    expect(await count(pattern("*.log*"))).toBe(20);
  });

  it("that overlap have a history of their own, and say so each time", async () => {
    writeHosts();
    place.write("other.log", hostLines(7, NOON - 4 * DAY));
    await count(ALL);
    const other = pattern("access.log", "other.log");
    for (const _ of [1, 2]) {
      const asked = await askAnew(other, "2026-11-17");
      expect(asked).toMatchObject({ visitors: 7, codes: expect.arrayContaining(["other_history"]) });
    }
    rmSync(path("other.log"));
    rotate();
    expect(await count(other, "2026-11-17")).toBe(7);
    expect(await count(ALL)).toBe(20);
    expect((await askAnew(ALL)).codes).not.toContain("other_history");
  });

  it("continue a history whose files have moved, if two of them are recognized", async () => {
    writeHosts();
    await count(ALL);
    mkdirSync(join(place.folder, "moved"));
    for (const name of ["access.log", "access.log.1"])
      renameSync(path(name), join(place.folder, "moved", name));
    const moved = { ...ALL, logs: [join(place.folder, "moved", "*")] };
    appendFileSync(join(place.folder, "moved", "access.log"), `${hostLines(6, NOON - 60_000).join("\n")}\n`);
    expect(await count(moved, "2026-11-21")).toBe(6);
    rmSync(join(place.folder, "moved", "access.log.1"));
    expect(await count(moved)).toBe(20);
  });

  it("begin anew if only one of the files is recognized", async () => {
    place.write("access.log", hostLines(5, NOON - 60_000));
    await count(ALL, "2026-11-21");
    mkdirSync(join(place.folder, "moved"));
    renameSync(path("access.log"), join(place.folder, "moved", "access.log"));
    await count({ ...ALL, logs: [join(place.folder, "moved", "*")] }, "2026-11-21");
    const names = readdirSync(join(place.folder, "state", "analytics-mcp", "logs"));
    expect(names.filter((name) => !name.includes("."))).toHaveLength(2);
  });
});

describe("the options of a history", () => {
  it.each([
    ["timezone", "Asia/Tokyo", "--timezone UTC", "--timezone Asia/Tokyo"],
    ["timezone", "Japan", "--timezone UTC", "--timezone Japan"],
    ["excludeAddress", ["198.51.100.0/24"], "--exclude-address none", "--exclude-address 198.51.100.0/24"],
    ["keepQuery", ["q"], "--keep-query none", "--keep-query q"],
    ["trustForwarded", "1", "--trust-forwarded 0", "--trust-forwarded 1"],
    ["logFormat", "json", "--log-format none", "--log-format json"],
    ["keep", "1", "--keep none", "--keep 1"],
  ])(
    "are saved: another %s is refused, with both and how to change it",
    async (name, value, before, after) => {
      writeHosts();
      expect(await count(ALL)).toBe(20);
      rotate();
      const refused = await count({ ...ALL, [name]: value }).catch((error: unknown) => error);
      expect(refused).toMatchObject({
        code: "usage",
        message: expect.stringContaining(`are counted with ${before}; ${after} would give a second number`),
        hint: expect.stringContaining(`analytics-mcp logs --set ${after} '${path("access.log*")}'`),
      });
      expect(await count(ALL)).toBe(20);
    },
  );

  it("are saved with the database of places: another is refused, and a missing one for that reason", async () => {
    writeHosts();
    expect(await count(ALL)).toBe(20);
    const geoip = path("places.mmdb");
    await expect(count({ ...ALL, geoip })).rejects.toMatchObject({
      code: "usage",
      message: expect.stringMatching(/^The database of places .* cannot be used: .*does not exist/),
    });
    writeFileSync(geoip, buildMmdb({ "8.8.8.0/24": { country: { iso_code: "US" } } }));
    await expect(count({ ...ALL, geoip })).rejects.toThrow(
      `are counted with --geoip none; --geoip ${geoip} would give a second number`,
    );
  });

  it("can be named again, as they are, and hold where they are not named", async () => {
    place.write("access.log", [
      ...plainLines(3, NOON - 60_000),
      combinedLine({ at: NOON, address: "203.0.113.7" }),
    ]);
    const flags = { excludeAddress: ["203.0.113.7"], timezone: "UTC" };
    expect(await count({ ...flags, site: [SHOP] }, "2026-11-21")).toBe(3);
    expect(await count({ ...flags, site: [SHOP] }, "2026-11-21")).toBe(3);
    expect(await count({ site: [SHOP], timezone: undefined }, "2026-11-21")).toBe(3);
  });

  it("change what can still be counted, and answers across the change say so each time", async () => {
    writeHosts();
    place.write("access.log.0", hostLines(8, NOON - 4 * DAY));
    expect(await count(ALL)).toBe(20);
    rotate();
    await place.set({ ...ALL, excludeAddress: ["198.51.100.0", "198.51.100.1"] });
    for (const _ of [1, 2]) {
      expect(await count(ALL)).toBe(20);
      expect(await count(ALL, "2026-11-17")).toBe(6);
      expect(await count(ALL, "2026-11-21")).toBe(3);
      const across = await ask(await place.open(ALL), EARLY, SHOP, "2026-11-21");
      expect(across.codes).toContain("options_changed");
      expect(across.texts).toContain("Other addresses are left out from 2026-11-17 on.");
      expect((await askAnew(ALL, "2026-11-17")).codes).not.toContain("options_changed");
    }
    await expect(count({ ...ALL, excludeAddress: ["none"] })).rejects.toThrow(
      "--exclude-address none would give",
    );
    place.append("access.log", hostLines(30, NOON - 60_000));
    expect(await count(ALL, "2026-11-21")).toBe(28);
  });

  it("change all days if all lines exist", async () => {
    writeHosts();
    expect(await count(ALL)).toBe(20);
    await place.set({ ...ALL, excludeAddress: ["198.51.100.0"] });
    rotate();
    const { visitors, codes } = await ask(await place.open(ALL), EARLY, SHOP, "2026-11-21");
    expect([visitors, codes.includes("options_changed")]).toEqual([19 + 4, false]);
  });

  it.each([["Asia/Tokyo"], ["Pacific/Honolulu"], ["America/New_York"]])(
    "change the timezone to %s without counting a line twice or losing one",
    async (timezone) => {
      const hours = (from: number, to: number) =>
        Array.from(
          { length: to - from },
          (_, index) => `${SHOP}:443 ${combinedLine({ at: NOON - (to - index) * 3_600_000 })}`,
        );
      place.write("access.log.1", hours(80, 120));
      place.write("access.log", hours(0, 80));
      const total = async () =>
        (await ask(await place.open({ ...ALL, timezone: undefined }), "2026-11-14", SHOP, "2026-11-22"))
          .pageviews;
      expect(await total()).toBe(120);
      rotate();
      await place.set({ ...ALL, timezone });
      expect(await total()).toBe(120);
      const { texts } = await ask(
        await place.open({ ...ALL, timezone: undefined }),
        "2026-11-14",
        SHOP,
        "2026-11-22",
      );
      expect(texts).toContain(`Days are those of ${timezone} from 2026-11-19 on, and of UTC before.`);
      place.append("access.log", hostLines(3, NOON + 3_600_000));
      place.clock.now = NOON + 2 * 3_600_000;
      expect(await total()).toBe(123);
      place.clock.now = NOON + 5 * DAY;
      expect(await total()).toBe(123);
    },
  );

  it("change in a process that runs, too", async () => {
    writeHosts();
    const [source, other] = [await place.open(ALL), await place.open({ ...ALL, excludeAddress: ["none"] })];
    expect((await ask(source, EARLY, SHOP)).visitors).toBe(20);
    expect((await ask(other, EARLY, SHOP)).visitors).toBe(20);
    await place.set({ ...ALL, excludeAddress: ["198.51.100.0"] });
    expect((await ask(source, EARLY, SHOP)).visitors).toBe(19);
    await expect(ask(other, EARLY, SHOP)).rejects.toThrow("would give a second number");
  });
});

describe("--exclude-path", () => {
  it("is applied when asking, to all days, and to no later question", async () => {
    writeHosts();
    place.append("access.log.1", [
      `${SHOP}:443 ${combinedLine({ at: NOON - 5 * DAY, address: "203.0.113.9", path: "/0?q=1" })}`,
      `${SHOP}:443 ${combinedLine({ at: NOON - 5 * DAY, address: "203.0.113.9", path: "/files/a.pdf" })}`,
      `${SHOP}:443 ${combinedLine({ at: NOON - 5 * DAY, address: "203.0.113.8", path: "/0/gone", status: 404 })}`,
    ]);
    const all = await askAnew(ALL);
    expect(all).toMatchObject({ visitors: 21, pageviews: 21 });
    rotate();
    const some = await askAnew({ ...ALL, excludePath: ["/0"] });
    expect(some).toMatchObject({
      visitors: 13,
      pageviews: 13,
      pages: [
        ["/1", 7],
        ["/2", 6],
      ],
    });
    expect(await askAnew({ ...ALL, excludePath: ["/other"] })).toEqual(all);
    expect(await askAnew(ALL)).toEqual(all);
    const today = await askAnew({ ...ALL, excludePath: ["/0"] }, "2026-11-21");
    expect(today).toMatchObject({
      pageviews: 3,
      pages: [
        ["/1", 2],
        ["/2", 1],
      ],
    });
  });
});

describe("logs whose files are gone", () => {
  it.each([
    ["all of them", () => rmSync(join(place.folder, "www"), { recursive: true })],
    [
      "and the current one is empty",
      () => {
        rotate();
        writeFileSync(path("access.log"), "");
      },
    ],
  ])("are answered from the history, as stale: %s", async (_, remove) => {
    writeHosts();
    await count(ALL);
    remove();
    for (const flags of [ALL, { site: [SHOP] }]) {
      const { visitors, texts, codes } = await ask(await place.open(flags), EARLY, SHOP, "2026-11-21");
      expect([visitors, codes.includes("stale")]).toEqual([25, true]);
      expect(texts).toMatch(/The log ends on 2026-11-21 at \d\d:\d\d \(.+\): what/);
    }
  });

  it("are named if there is no history", async () => {
    await expect((await place.open(ALL)).sites()).rejects.toThrow("No log file matches");
  });
});
