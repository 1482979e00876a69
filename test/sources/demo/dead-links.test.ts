import { describe, expect, it } from "vitest";
import { readFixtures } from "../../../src/sources/demo/fixtures.ts";
import { createTestApi, NOW } from "../../support/api.ts";

interface Row {
  value: string;
  requests: number;
  visitors: number;
  referrers: { value: string; internal: boolean; requests: number }[];
}
interface Body {
  rows: Row[];
  totals: { requests: number };
  excluded: { bots: number; scanners: number };
}

async function read(query: string, options: Parameters<typeof createTestApi>[0] = {}) {
  const { body } = await createTestApi(options).ask(`/api/v1/not-found?limit=1000&${query}`);
  return body as unknown as Body;
}
const HOUR = 3_600_000;

describe("the made-up dead links", () => {
  it("have broken links of the site itself, old addresses on other sites, and typing errors", async () => {
    const { rows } = await read("site=example.com");
    const find = (path: string) => rows.find(({ value }) => value === path)?.referrers;
    expect(find("/docs/instal")?.[0]).toMatchObject({ value: "/docs", internal: true });
    expect(find("/pricing")).toHaveLength(3);
    expect(find("/pricing")).toContainEqual(expect.objectContaining({ internal: false }));
    expect(find("/price")).toEqual([]);
  });

  it("are the same whenever they are asked about in one week", async () => {
    const past = "site=example.com&from=2026-11-16&to=2026-11-19";
    expect(await read(past, { start: NOW + 20 * HOUR })).toMatchObject({ rows: (await read(past)).rows });
    expect((await read(past, { seed: "other" })).rows).not.toEqual((await read(past)).rows);
  });

  it("grow through the day", async () => {
    const morning = await read("site=example.com&days=1");
    const evening = await read("site=example.com&days=1", { start: NOW + 15 * HOUR });
    expect(evening.totals.requests).toBeGreaterThan(morning.totals.requests);
  });

  it("add up over days", async () => {
    const [both, first, second] = await Promise.all(
      ["from=2026-11-17&to=2026-11-18", "from=2026-11-17&to=2026-11-17", "from=2026-11-18&to=2026-11-18"].map(
        (days) => read(`site=example.com&${days}`),
      ),
    );
    const sum = (value: string, name: "requests" | "visitors") =>
      [first, second].reduce(
        (all, day) => all + (day?.rows.find((row) => row.value === value)?.[name] ?? 0),
        0,
      );
    for (const { value, requests, visitors } of both?.rows ?? []) {
      expect([value, requests, visitors]).toEqual([value, sum(value, "requests"), sum(value, "visitors")]);
    }
    expect(both?.excluded.scanners).toBe((first?.excluded.scanners ?? 0) + (second?.excluded.scanners ?? 0));
    expect(both?.excluded.scanners).toBeGreaterThan(0);
  });

  it("leave out what crawlers asked for in vain", async () => {
    const fixtures = readFixtures();
    const { excluded } = await read("site=example.com", { fixtures });
    expect(excluded.bots).toBeGreaterThan(0);
    const without = await read("site=example.com", { fixtures: { ...fixtures, crawlers: {} } });
    expect(without).toMatchObject({ totals: (await read("site=example.com")).totals, excluded: { bots: 0 } });
  });

  it("are none on a site without data, and in no other number", async () => {
    expect((await read("site=parked.example&days=365")).rows).toEqual([]);
    const fixtures = readFixtures();
    const { ask } = createTestApi();
    const { ask: askWithout } = createTestApi({ fixtures: { ...fixtures, deadLinks: {} } });
    for (const path of ["stats?", "breakdown?dimension=pages&", "crawlers?"]) {
      const query = `/api/v1/${path}site=example.com&days=30`;
      expect((await ask(query)).text).toBe((await askWithout(query)).text);
    }
    expect((await askWithout("/api/v1/not-found?site=example.com")).body.rows).toEqual([]);
  });
});
