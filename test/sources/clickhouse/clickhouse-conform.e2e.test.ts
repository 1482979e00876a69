import { expect, it } from "vitest";
import { addDays } from "../../../src/operations/days.ts";
import { dateAt } from "../../../src/sources/calendar.ts";
import { openDemoSource } from "../../../src/sources/demo/organizations.ts";
import { exportLines, hasChdb, load, openHits, startChdb } from "../../support/clickhouse.ts";
import { conformSource } from "../../support/conform-source.ts";
import { listDeadLinks, listRequests, readLoggableFixtures } from "../../support/demo-logs.ts";
import { writtenFormats } from "../../support/log-formats.ts";
import { createLogFolder, LOG_NOW } from "../../support/logs.ts";

it.skipIf(!hasChdb)("a table of hits keeps the contract", async () => {
  const fixtures = readLoggableFixtures({ mostVisitors: 60 });
  const demo = await openDemoSource({ clock: () => LOG_NOW, fixtures });
  const site = (await demo.sites()).find(({ domain }) => domain === "example.com");
  const written = writtenFormats.Caddy;
  if (site === undefined || written === undefined)
    throw new Error("The fixtures lack example.com, or the format.");
  const today = dateAt(LOG_NOW, site.timezone);
  const dates = Array.from({ length: 40 }, (_, day) => addDays(today, day - 39));
  const requests = listRequests(fixtures, site, dates, LOG_NOW);
  const crawled = requests.map((request) => ({
    ...request,
    agent: "GPTBot/1.2 (+https://openai.com/gptbot)",
  }));
  const lines = [...requests, ...crawled.slice(0, 300), ...listDeadLinks(fixtures, site, dates, LOG_NOW)].map(
    written.write,
  );
  const { path } = createLogFolder({ "access.log": `${lines.join("\n")}\n` });
  const flags = {
    logs: [`example.com=${path("access.log")}`],
    timezone: site.timezone,
    ...written.flags,
  };
  const server = await startChdb();
  try {
    await load(server, await exportLines(flags, LOG_NOW));
    const clock = { now: LOG_NOW };
    const { rules } = await conformSource(await openHits(server, clock), clock);
    expect(rules.filter(({ verdict }) => verdict === "fail")).toEqual([]);
    const passed = rules.filter(({ verdict }) => verdict === "pass");
    const optional = rules.filter(({ section }) => ["filters", "visits", "not-found"].includes(section));
    expect(optional.filter(({ verdict }) => verdict !== "pass")).toEqual([]);
    expect(passed.length).toBeGreaterThan(170);
    expect(passed.filter(({ id }) => id.startsWith("crawlers")).length).toBeGreaterThan(8);
  } finally {
    server.stop();
  }
});
