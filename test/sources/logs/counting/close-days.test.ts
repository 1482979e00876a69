import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { closeDays } from "../../../../src/sources/logs/counting/close-days.ts";
import { createCollector } from "../../../../src/sources/logs/counting/collector.ts";
import { addHit, addRequest, holdDay, openDay } from "../../../../src/sources/logs/counting/open-day.ts";
import { numberSender } from "../../../../src/sources/logs/counting/senders.ts";
import { createSiteLog } from "../../../../src/sources/logs/counting/site-log.ts";
import { createCalendar } from "../../../../src/sources/logs/day-span.ts";
import { readLogSettings } from "../../../../src/sources/logs/open.ts";
import { FIREFOX } from "../../../support/logs.ts";

const DAY = 86_400;
const START = Date.UTC(2026, 0, 1) / 1_000;

describe("days that are over", () => {
  it.each([
    ["stay open, since their lines may come in any order", 500, 500],
    ["are closed early if a thousand of them take much memory, however few lines they have", 1_100, 2],
  ])("%s", (_, days, left) => {
    const settings = readLogSettings({ logs: ["access.log"], site: ["example.com"], timezone: "UTC" });
    const { add, makeRoom, sites } = createCollector(settings);
    for (let day = 0; day < days; day++) {
      const line = { time: START + day * DAY, address: "192.0.2.1", method: "GET", target: "/", status: 200 };
      add({ ...line, agent: FIREFOX }, { site: undefined });
    }
    makeRoom(START + (days - 1) * DAY);
    const log = sites.get("example.com");
    expect(log?.open.size).toBe(left);
    expect((log?.open.size ?? 0) + (log?.closed.size ?? 0)).toBe(days);
  });

  it("are no longer in memory when the next one is closed", () => {
    setFlagsFromString("--expose-gc");
    const collectGarbage = runInNewContext("gc");
    const log = createSiteLog("example.com", createCalendar([{ since: "", timezone: "UTC" }]));
    const dates = Array.from({ length: 6 }, (_, number) => {
      const start = START + number * DAY;
      const date = new Date(1_000 * start).toISOString().slice(0, 10);
      const day = openDay(date, start, start + DAY);
      const sender = numberSender(day, { group: "192.0.2.1", agent: 1 }, () => 0);
      for (let hit = 0; hit < 50_000; hit++) {
        addRequest(day, sender, true, undefined);
        addHit(day, sender, start + hit, 0, 0);
      }
      log.open.set(date, holdDay(day));
      return date;
    });
    const used: number[] = [];
    closeDays(log, START + 100 * DAY, () => {
      collectGarbage();
      used.push(process.memoryUsage().arrayBuffers);
      return undefined;
    });
    expect([...log.closed.keys()]).toEqual(dates);
    // At first, all six days are there, with a megabyte each.
    expect(used.at(-1)).toBeLessThan((used[0] ?? 0) - 3_000_000);
  });
});
