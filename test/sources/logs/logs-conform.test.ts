import { expect, it } from "vitest";
import { addDays } from "../../../src/operations/days.ts";
import { dateAt } from "../../../src/sources/calendar.ts";
import { openDemoSource } from "../../../src/sources/demo/organizations.ts";
import { NOW } from "../../support/api.ts";
import { conformSource } from "../../support/conform-source.ts";
import { listDeadLinks, listRequests, readLoggableFixtures } from "../../support/demo-logs.ts";
import { writtenFormats } from "../../support/log-formats.ts";
import { createLogFolder, joinLines, openTestLogs } from "../../support/logs.ts";
import { pick } from "../../support/seed.ts";

it.each(pick(["Caddy", "combined"], 1))("access logs keep the contract (%s)", async (format) => {
  const fixtures = readLoggableFixtures({ mostVisitors: 30 });
  const demo = await openDemoSource({ clock: () => NOW, fixtures });
  const site = (await demo.sites()).find(({ domain }) => domain === "example.com");
  const written = writtenFormats[format];
  if (site === undefined || written === undefined) throw new Error("There is nothing to write.");
  const today = dateAt(NOW, site.timezone);
  const dates = Array.from({ length: 40 }, (_, day) => addDays(today, day - 39));
  const requests = listRequests(fixtures, site, dates, NOW);
  const crawler = {
    ...requests[0],
    agent: "Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)",
  };
  const lines = [
    ...requests,
    { ...crawler, at: NOW / 1000 - 100_000 },
    ...listDeadLinks(fixtures, site, dates, NOW),
  ] as typeof requests;
  const { path } = createLogFolder({ "access.log": joinLines(...lines.map(written.write)) });
  const clock = { now: NOW };
  const { source } = openTestLogs(
    {
      logs: [`example.com=${path("access.log")}`],
      site: undefined,
      timezone: site.timezone,
      ...written.flags,
    },
    clock,
  );
  const { rules } = await conformSource(source, clock);
  expect(rules.filter(({ verdict }) => verdict === "fail")).toEqual([]);
  expect(
    rules.filter(({ id, verdict }) => /^crawlers/.test(id) && verdict === "pass").length,
  ).toBeGreaterThan(8);
  const optional = rules.filter(({ section }) => ["filters", "visits", "not-found"].includes(section));
  expect(optional.filter(({ verdict }) => verdict !== "pass")).toEqual([]);
  expect(rules.filter(({ verdict }) => verdict === "pass").length).toBeGreaterThan(170);
});
