import { rmSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { selectSites } from "../../../src/config/site-patterns.ts";
import type { Warning } from "../../../src/operations/warning.ts";
import { checkFiles } from "../../../src/sources/logs/doctor.ts";
import { openLogViews } from "../../../src/sources/logs/open.ts";
import { runShell } from "../../support/shell.ts";
import { combinedLine, createLogPlace, type LogPlace } from "./log-place.ts";

let place: LogPlace;
beforeEach(() => {
  place = createLogPlace();
  place.clock.now = NOW;
});
afterEach(() => place.remove());

const HOUR = 3_600_000;
const NOW = Date.parse("2026-11-28T01:38:00Z");
const LAST = Date.parse("2026-11-27T11:59:00Z");

/** Lines of somebody else each, from the first instant to the last, as often as asked; only in some hours of UTC. */
function makeLines({
  first = "2026-11-20T00:09:00Z",
  last = LAST,
  each = HOUR / 3,
  isAwake = (_: Date): boolean => true,
  host = "",
} = {}) {
  const lines: string[] = [];
  for (let at = last; at >= Date.parse(first); at -= each) {
    const address = `10.${(at / 60_000) & 3}.${(at / HOUR) & 255}.${(at / 1_200_000) & 255}`;
    if (isAwake(new Date(at))) lines.unshift(`${host}${combinedLine({ at, address })}`);
  }
  return lines;
}

const flags = () => ["--logs", `${place.folder}/www/access.log*`, "--timezone", "UTC"];
const shell = (...words: string[]) =>
  runShell([...words, ...flags()], { clock: () => place.clock.now, environment: place.environment });
const ask = async (...words: string[]) => {
  const { stdout } = await shell(words[0] ?? "", "example.com", ...words.slice(1), "--json");
  return JSON.parse(stdout);
};

/** What is said of the log's end in an answer about days until today. */
async function findStale(settings: Record<string, unknown> = {}, name = "example.com") {
  const source = await place.open({ timezone: "UTC", ...settings });
  const site = await source.site?.(name);
  if (site === undefined) throw new Error("There is no site.");
  const span = { site, from: "2026-11-26", to: "2026-11-28", now: place.clock.now };
  return (await source.warnings?.(span))?.find(({ code }) => code === "stale");
}

const SENTENCE =
  "The log's last line is of 2026-11-27 11:59 (UTC): what came later is missing, or nobody came.";

it("a log whose files are gone is named, with what to do", async () => {
  place.write("access.log", makeLines());
  await shell("stats", "example.com");
  rmSync(`${place.folder}/www/access.log`);
  const { stderr } = await shell("stats", "example.com");
  expect(stderr).toContain(
    'No file matches "access.log*" any more: if the logs have moved, name their new place.',
  );
  const context = { environment: place.environment, clock: () => place.clock.now };
  const logs = [`${place.folder}/www/access.log*`];
  expect(await checkFiles({ ...context, flags: { logs, site: ["example.com"] } })).toEqual({
    warning: expect.stringContaining(`0 files present. No file matches "${logs[0]}" any more.`),
    fix: expect.stringMatching(/^If the logs have moved, name their new place with --logs/),
  });
});

describe("a log that stopped within the last 24 hours", () => {
  beforeEach(() => place.write("access.log", makeLines()));

  it.each([
    ["stats", "--days", "1"],
    ["stats", "--period", "yesterday"],
    ["timeseries", "--period", "yesterday", "--by", "hour"],
    ["breakdown", "--dimension", "pages", "--period", "yesterday"],
    ["overview", "--period", "today"],
    ["realtime"],
  ])("%s %s %s %s %s says so", async (...words) => {
    const { warnings } = await ask(...words.filter((word) => word !== undefined));
    const told = (warnings as Warning[]).filter(({ code }) => code === "stale" || code === "provisional");
    expect(told).toEqual([
      { code: "stale", detail: SENTENCE, values: { data_until: "2026-11-27", time: "11:59" } },
    ]);
  });

  it("has no zeros after its last line", async () => {
    const { points } = await ask("timeseries", "--period", "yesterday", "--by", "hour");
    const missing = points.map(({ missing }: { missing?: true }) => missing === true);
    expect(missing).toEqual(Array.from({ length: 24 }, (_, hour) => hour >= 12));
  });

  it("has a sentence with the time in place of zeros", async () => {
    const { stdout, stderr } = await shell("stats", "example.com", "--days", "1");
    expect(`${stdout}${stderr}`).toContain(
      "example.com has no data after 2026-11-27 11:59: it is missing, or nobody came.",
    );
  });

  it("gives no percentage of a change", async () => {
    const { comparable, incomplete } = await ask("compare", "--period", "yesterday");
    expect([comparable, incomplete]).toEqual([false, SENTENCE]);
  });

  it("cannot be checked from then on, but before", async () => {
    const check = (period: string) =>
      shell("check", "example.com", "--below", "50", "--above", "90", "--period", period);
    expect(await check("yesterday")).toEqual({
      code: 3,
      stdout: "",
      stderr: "warning: Not checked: example.com may lack data of the last hours on Friday, 2026-11-27.\n",
    });
    expect((await check("2026-11-26")).code).toBe(0);
  });

  it("says nothing of days before", async () => {
    const { warnings } = await ask("stats", "--period", "2026-11-26");
    expect(warnings).toEqual([expect.objectContaining({ code: "only_events" })]);
  });

  it("is a warning of doctor", async () => {
    const context = {
      flags: { logs: [`${place.folder}/www/access.log`], site: ["example.com"], timezone: "UTC" },
      environment: place.environment,
      clock: () => place.clock.now,
    };
    expect(await checkFiles(context)).toMatchObject({
      warning: expect.stringContaining(SENTENCE),
      fix: expect.stringContaining("reload"),
    });
    place.clock.now = LAST + HOUR;
    expect(await checkFiles(context)).toBe("540 lines; 1 file present");
  });

  it("is silent whatever line is dated after now", async () => {
    place.append("access.log", [combinedLine({ at: NOW + 20 * HOUR })]);
    for (let time = 1; time <= 2; time++) expect((await findStale())?.detail).toBe(SENTENCE);
  });

  it("is known from a history, too, and no longer said once lines come", async () => {
    expect(await findStale()).toMatchObject({ detail: SENTENCE });
    expect(await findStale()).toMatchObject({ detail: SENTENCE });
    place.append("access.log", [combinedLine({ at: NOW - 60_000 })]);
    expect(await findStale()).toBeUndefined();
  });
});

it.each([
  ["four times the pause of an hour", 4 * HOUR, undefined],
  ["a minute more", 4 * HOUR + 60_000, SENTENCE],
])("a log with lines in all hours is silent after more than %s", async (_, silence, detail) => {
  place.write("access.log", makeLines());
  place.clock.now = LAST + silence;
  expect((await findStale())?.detail).toBe(detail);
});

it("the time is that of the site", async () => {
  place.write("access.log", makeLines());
  const { detail, values } = (await findStale({ timezone: "Asia/Tokyo" })) ?? {};
  expect(detail).toContain("2026-11-27 20:59 (Asia/Tokyo)");
  expect(values).toEqual({ data_until: "2026-11-27", time: "20:59" });
});

it("a day that the log has to its last hour is complete", async () => {
  place.write("access.log", makeLines({ last: Date.parse("2026-11-27T23:50:00Z") }));
  place.clock.now = NOW + 6 * HOUR;
  expect((await findStale())?.values).toEqual({ data_until: "2026-11-27", time: "23:50" });
  const { code } = await shell("check", "example.com", "--below", "50", "--period", "yesterday");
  expect(code).toBe(0);
});

it.each([
  ["at night", { isAwake: (at: Date) => at.getUTCHours() > 7 }],
  ["at weekends", { isAwake: (at: Date) => at.getUTCDay() % 6 > 0 }],
  ["nearly always", { each: 9 * HOUR }],
  ["at unknown times, because the log is young", { first: "2026-11-26T13:00:00Z" }],
])("a log that pauses %s is not said to be silent", async (_, parts) => {
  place.write("access.log", makeLines(parts));
  expect(await findStale()).toBeUndefined();
});

describe("a site whose lines stopped", () => {
  const hosts = (last: number) => [
    ...makeLines({ host: "example.com " }),
    ...makeLines({ host: "shop.example ", each: HOUR / 4, last }),
  ];

  it.each([
    ["goes on", NOW - 60_000, undefined],
    ["has stopped, too", LAST - HOUR, SENTENCE],
  ])("in a log of which another site %s", async (_, last, detail) => {
    place.write("access.log", hosts(last));
    const source = await place.open({ site: [] });
    expect((await source.sites()).map(({ domain }) => domain)).toEqual(["example.com", "shop.example"]);
    expect((await findStale({ site: [] }))?.detail).toBe(detail);
  });

  it("in a log of which the other site has only lines dated after now", async () => {
    place.write("access.log", [
      ...makeLines({ host: "example.com " }),
      `shop.example ${combinedLine({ at: NOW + HOUR })}`,
    ]);
    expect((await findStale({ site: [] }))?.detail).toBe(SENTENCE);
  });

  it("does not tell when the last line of another organization came", async () => {
    place.write("access.log", [
      ...makeLines({ host: "example.com ", last: LAST - 2 * HOUR }),
      ...makeLines({ host: "shop.example " }),
    ]);
    const { environment, clock } = place;
    const logs = [`${place.folder}/www/access.log`];
    const view = await openLogViews({
      flags: { logs, timezone: "UTC" },
      environment,
      clock: () => clock.now,
      warn: () => {},
    });
    const tell = async (name: string) => {
      const source = view(selectSites([name]));
      const site = await source.site?.(name);
      if (site === undefined) throw new Error("There is no site.");
      const found = await source.warnings?.({ site, from: "2026-11-26", to: "2026-11-28", now: clock.now });
      return found?.find(({ code }) => code === "stale")?.values;
    };
    expect(await tell("example.com")).toMatchObject({ time: "09:59" });
    expect(await tell("shop.example")).toMatchObject({ time: "11:59" });
  });

  it("in a log of its own is silent, whatever another log has", async () => {
    place.write("access.log", makeLines());
    place.write("other.log", makeLines({ last: NOW - 60_000 }));
    const logs = ["example.com=access.log", "shop.example=other.log"].map((each) =>
      each.replace("=", `=${place.folder}/www/`),
    );
    expect((await findStale({ site: [], logs }))?.detail).toBe(SENTENCE);
    expect(await findStale({ site: [], logs }, "shop.example")).toBeUndefined();
  });
});
