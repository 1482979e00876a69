import { describe, expect, it } from "vitest";
import { readFixtures } from "../../../src/sources/demo/fixtures.ts";
import { createTestApi, NOW } from "../../support/api.ts";

interface Row {
  value: string;
  requests: number;
  pages: number;
  error_percentage: number;
  last_seen: string;
}

async function read(query: string, options: Parameters<typeof createTestApi>[0] = {}) {
  const { body } = await createTestApi(options).ask(`/api/v1/crawlers?limit=1000&${query}`);
  return body as unknown as { rows: Row[]; totals: { requests: number } };
}
const HOUR = 3_600_000;

describe("the made-up crawlers", () => {
  it("are the same whenever they are asked about in one week", async () => {
    const past = "site=example.com&from=2026-11-16&to=2026-11-19";
    expect((await read(past, { start: NOW + 20 * HOUR })).rows).toEqual((await read(past)).rows);
    expect((await read(past, { seed: "other" })).rows).not.toEqual((await read(past)).rows);
  });

  it("grow through the day, and never see the future", async () => {
    const morning = await read("site=example.com&days=1");
    const evening = await read("site=example.com&days=1", { start: NOW + 15 * HOUR });
    expect(morning.totals.requests).toBeGreaterThan(0);
    expect(evening.totals.requests).toBeGreaterThan(2 * morning.totals.requests);
    for (const { last_seen } of morning.rows) expect(Date.parse(last_seen)).toBeLessThanOrEqual(NOW);
  });

  it("add up: requests and pages of two days are those of each", async () => {
    const [both, first, second] = await Promise.all(
      ["from=2026-11-17&to=2026-11-18", "from=2026-11-17&to=2026-11-17", "from=2026-11-18&to=2026-11-18"].map(
        (days) => read(`site=docs.example.com&${days}`),
      ),
    );
    const sum = (value: string, name: "requests" | "pages") =>
      [first, second].reduce(
        (all, day) => all + (day?.rows.find((row) => row.value === value)?.[name] ?? 0),
        0,
      );
    for (const { value, requests, pages } of both?.rows ?? []) {
      expect([value, requests, pages]).toEqual([value, sum(value, "requests"), sum(value, "pages")]);
    }
    expect(both?.rows.length).toBeGreaterThan(10);
  });

  it("read more of a site than a year ago, since some of them are new", async () => {
    const requestsOf = async (month: string) => {
      const { rows } = await read(`site=example.com&from=${month}-01&to=${month}-28`);
      return rows.find(({ value }) => value === "ClaudeBot")?.requests ?? 0;
    };
    expect(await requestsOf("2026-10")).toBeGreaterThan(3 * (await requestsOf("2025-12")));
  });

  it("are none before a site has data, and on a site without any", async () => {
    expect((await read("site=news.example.org&from=2026-11-01&to=2026-11-09")).rows).toEqual([]);
    expect((await read("site=parked.example&days=365")).rows).toEqual([]);
  });

  it("are in no other number", async () => {
    const fixtures = readFixtures();
    const { ask } = createTestApi();
    const { ask: askWithout } = createTestApi({ fixtures: { ...fixtures, crawlers: {} } });
    for (const path of [
      "stats?",
      "timeseries?",
      "breakdown?dimension=pages&",
      "breakdown?dimension=browsers&",
    ]) {
      const query = `/api/v1/${path}site=example.com&days=30`;
      expect((await ask(query)).text).toBe((await askWithout(query)).text);
    }
    expect((await askWithout("/api/v1/crawlers?site=example.com")).body.rows).toEqual([]);
  });
});
