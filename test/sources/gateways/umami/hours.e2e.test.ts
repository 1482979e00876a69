import { expect, it } from "vitest";
import { addDays } from "../../../../src/operations/days.ts";
import { openUmami } from "../../../../src/sources/gateways/umami/umami-source.ts";
import { send } from "../../../support/faulty-server.ts";
import { LOG_NOW } from "../../../support/logs.ts";
import { createUmamiContext, nameEmpty, readRecordings, startReplay } from "../../../support/umami-replay.ts";

const DAY = 86_400_000;

/** Over more than 30 days, Umami answers by day although it is asked by hour. */
it("hours of many days are asked for 30 days at a time, each instant once", async () => {
  const asked: URLSearchParams[] = [];
  const replay = await startReplay(readRecordings(), (response, name) => {
    const query = new URL(name.replace("GET ", ""), "http://localhost").searchParams;
    if (query.get("unit") !== "hour") return false;
    asked.push(query);
    send(response, 200, { "content-type": "application/json" }, JSON.stringify(nameEmpty(name)));
    return true;
  });
  try {
    const source = openUmami({ ...createUmamiContext(replay.url), clock: () => LOG_NOW });
    const [site] = await source.sites();
    if (site === undefined) throw new Error("There is no site.");
    const to = new Date(LOG_NOW).toISOString().slice(0, 10);
    await source.hours?.({ site, from: addDays(to, -99), to, now: LOG_NOW });
  } finally {
    replay.close();
  }
  const bounds = asked
    .map((query) => [Number(query.get("startAt")), Number(query.get("endAt"))] as const)
    .sort(([a], [b]) => a - b);
  expect(bounds).toHaveLength(4);
  for (const [start, end] of bounds) expect(end - start).toBeLessThan(31 * DAY);
  expect(bounds.slice(1).map(([start]) => start)).toEqual(bounds.slice(0, -1).map(([, end]) => end + 1));
});
