import { rmSync } from "node:fs";
import { afterEach, beforeEach, expect, it } from "vitest";
import { checkFiles } from "../../../src/sources/logs/doctor.ts";
import { combinedLine, createLogPlace, type LogPlace, NOON } from "./log-place.ts";

let place: LogPlace;
beforeEach(() => {
  place = createLogPlace();
});
afterEach(() => place.remove());

it("finds a site that is new although strangers have invented thousands of hosts", async () => {
  const line = (host: string, at: number, status: number) =>
    `${host}:443 ${combinedLine({ at, address: "198.51.100.9", status })}`;
  place.write("access.log", [
    ...Array.from({ length: 3_000 }, (_, index) => line(`h${index}.invalid`, NOON - 7_200_000 + index, 404)),
    line("new.example", NOON - 60_000, 200),
  ]);
  const source = await place.open({ site: undefined });
  expect((await source.sites()).map(({ domain }) => domain)).toEqual(["new.example"]);
});

it.each([
  ["the same process", true],
  ["another process", false],
])("knows the visitors of a site that was forgotten among strangers' hosts, in %s", async (_, isSame) => {
  const day = NOON - 3 * 86_400_000;
  const line = (host: string, parts: Partial<Parameters<typeof combinedLine>[0]>) =>
    `${host}:443 ${combinedLine({ at: day, ...parts })}`;
  const flags = { site: undefined };
  place.clock.now = day + 60_000;
  place.write("access.log", [line("old.example", {}), line("new.example", { status: 404 })]);
  const first = await place.open(flags);
  await first.sites();
  const strangers = Array.from({ length: 1_000 }, (_, index) => line(`h${index}.invalid`, { status: 404 }));
  const firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0";
  place.append("access.log", [...strangers, line("new.example", { agent: firefox })]);
  // Closes the day, so that it is kept.
  place.clock.now = NOON;
  await (isSame ? first : await place.open(flags)).sites();
  const readBrowsers = async (withHistory: boolean) => {
    const source = await place.open(flags, withHistory);
    const site = (await source.sites()).find(({ domain }) => domain === "new.example");
    if (site === undefined) throw new Error("There is no site.");
    const span = { site, from: "2026-11-18", to: "2026-11-18", now: NOON };
    return (await source.breakdown(span, "browsers", 10)).rows.map(({ value, visitors }) => [
      value,
      visitors,
    ]);
  };
  expect(await readBrowsers(true)).toEqual([["Firefox", 1]]);
  expect(await readBrowsers(false)).toEqual([["Firefox", 1]]);
});

it("counts a closed day of a site again among thousands of strangers' hosts", async () => {
  const day = NOON - 3 * 86_400_000;
  const line = (host: string, parts: Partial<Parameters<typeof combinedLine>[0]>) =>
    `${host}:443 ${combinedLine({ at: day, ...parts })}`;
  const strangers = Array.from({ length: 3_000 }, (_, index) => line(`h${index}.invalid`, { status: 404 }));
  const before = line("old.example", { at: day - 86_400_000, path: "/before" });
  place.write("access.log", [before, ...strangers, line("old.example", { path: "/a" })]);
  const source = await place.open({ site: undefined });
  const [site] = await source.sites();
  if (site === undefined) throw new Error("There is no site.");
  place.append("access.log", [line("old.example", { path: "/late" })]);
  const span = { site, from: "2026-11-18", to: "2026-11-18", now: NOON };
  const { rows } = await source.breakdown(span, "pages", 10);
  expect(rows.map(({ value, hits }) => [value, hits])).toEqual([
    ["/a", 1],
    ["/late", 1],
  ]);
});

it("counts crawlers again when only a crawler has come", async () => {
  const crawler = (at: number) => combinedLine({ at, agent: "Mozilla/5.0 (compatible; GPTBot/1.2)" });
  place.write("access.log", [combinedLine({ at: NOON - 60_000 }), crawler(NOON - 50_000)]);
  const source = await place.open();
  const [site] = await source.sites();
  if (site === undefined) throw new Error("There is no site.");
  const span = { site, from: "2026-11-21", to: "2026-11-21", now: NOON };
  expect((await source.crawlers?.(span, 10))?.totalRequests).toBe(1);
  place.append("access.log", [crawler(NOON - 40_000)]);
  expect((await source.crawlers?.(span, 10))?.totalRequests).toBe(2);
});

it("says that lines of overlapping files count twice", async () => {
  const lines = Array.from({ length: 2_000 }, (_, index) =>
    combinedLine({
      at: NOON - 4_000_000 + index * 1_000,
      address: `198.51.100.${index % 250}`,
      path: `/${index}`,
    }),
  );
  const warningsOf = async () => {
    const source = await place.open();
    const [site] = await source.sites();
    if (site === undefined) throw new Error("There is no site.");
    const span = { site, from: "2026-11-01", to: "2026-11-21", now: NOON };
    return (await source.warnings?.(span))?.map(({ code }) => code);
  };
  place.write("access.log", lines.slice(0, 1_200));
  place.write("access.log.other", lines.slice(1_200));
  expect(await warningsOf()).not.toContain("repeated_lines");
  rmSync(place.history(), { recursive: true });
  place.write("access.log.backup", lines.slice(800));
  expect(await warningsOf()).toContain("repeated_lines");
  // The next process knows it, too, and so does doctor.
  expect(await warningsOf()).toContain("repeated_lines");
  const { environment, folder } = place;
  const flags = { logs: [`${folder}/www/access.log*`], site: ["example.com"], timezone: "UTC" };
  const found = await checkFiles({ flags, environment, clock: () => NOON });
  expect(found).toMatchObject({
    warning: expect.stringMatching(/access\.log\S* has lines of \S+access\.log\S*, which count twice\./),
    fix: expect.stringContaining("Give each log once."),
  });
});
