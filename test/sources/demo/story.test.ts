import { describe, expect, it } from "vitest";
import { createTestApi, NOW } from "../../support/api.ts";

const { ask } = createTestApi();

interface Point {
  date: string;
  visitors: number;
}

async function points(site: string, days: number): Promise<Point[]> {
  return (await ask(`/api/v1/timeseries?site=${site}&days=${days}`)).body.points as Point[];
}

async function rows(query: string) {
  return (await ask(`/api/v1/breakdown?${query}`)).body.rows as {
    value: string | null;
    visitors: number;
  }[];
}

const sum = (some: Point[]) => some.reduce((total, point) => total + point.visitors, 0);
const weekday = (date: string) => new Date(date).getUTCDay();

/** What a person who explores the demo can find; see fixtures/README.md. Today is Saturday, 21 November 2026. */
describe("the fixtures tell a story worth asking about", () => {
  it("weekends are quiet", async () => {
    const year = await points("example.com", 365);
    const mean = (some: Point[]) => sum(some) / some.length;
    const weekend = year.filter(({ date }) => [0, 6].includes(weekday(date)));
    const week = year.filter(({ date }) => ![0, 6].includes(weekday(date)));
    expect(mean(weekend)).toBeLessThan(0.85 * mean(week));
  });

  it("the site grows over the year", async () => {
    const year = await points("example.com", 365);
    expect(sum(year.slice(-120, -40))).toBeGreaterThan(1.5 * sum(year.slice(0, 80)));
  });

  it("one launch day spikes, from one referrer", async () => {
    const month = await points("example.com", 30);
    const top = month.toSorted((a, b) => b.visitors - a.visitors)[0];
    expect(top?.date).toBe("2026-11-03");
    const through = await rows("site=example.com&dimension=referrers&days=19&limit=50");
    const since = await rows("site=example.com&dimension=referrers&days=18&limit=50");
    const visitorsOf = (all: typeof through) =>
      all.find((row) => row.value === "news.ycombinator.com")?.visitors ?? 0;
    expect(visitorsOf(through) - visitorsOf(since)).toBeGreaterThan(1_500);
  });

  it("there is a bad day", async () => {
    const fortnight = await points("example.com", 14);
    const bad = fortnight.find(({ date }) => date === "2026-11-11");
    const before = fortnight.find(({ date }) => date === "2026-11-10");
    expect(bad?.visitors).toBeLessThan(0.3 * (before?.visitors ?? 0));
  });

  it("there was a campaign", async () => {
    const campaigns = await rows("site=example.com&dimension=utm_campaigns&days=60&limit=50");
    expect(campaigns.find((row) => row.value === "autumn-sale")?.visitors).toBeGreaterThan(1_000);
  });

  it("AI assistants rise among the channels", async () => {
    const share = async (days: number) => {
      const { body } = await ask(`/api/v1/breakdown?site=example.com&dimension=channels&days=${days}`);
      const all = body.rows as { value: string; percentage: number }[];
      return all.find((row) => row.value === "AI assistants")?.percentage ?? 0;
    };
    expect(await share(30)).toBeGreaterThan(1.3 * (await share(365)));
  });

  it("a page was renamed", async () => {
    const recent = (await rows("site=example.com&dimension=pages&days=30&limit=100")).map((row) => row.value);
    expect(recent).toContain("/plans");
    expect(recent).not.toContain("/pricing");
    const older = (await rows("site=example.com&dimension=pages&days=365&limit=100")).map((row) => row.value);
    expect(older).toContain("/pricing");
  });

  it("visitors wrote hostile strings", async () => {
    const paths = (await rows("site=example.com&dimension=pages&days=365&limit=1000")).map(
      (row) => row.value,
    );
    expect(paths.some((path) => path?.includes("\u001b[2J"))).toBe(true);
    expect(paths.some((path) => path?.includes("\r\n"))).toBe(true);
    const referrers = (await rows("site=example.com&dimension=referrers&days=365&limit=1000")).map(
      (row) => row.value,
    );
    expect(referrers.some((referrer) => referrer?.includes("\u202e"))).toBe(true);
    expect(referrers.some((referrer) => referrer?.startsWith("="))).toBe(true);
  });

  it("one site is new since last week, one has no traffic", async () => {
    const { body } = await ask("/api/v1/sites");
    const sites = body.sites as { domain: string; data_since: string | null }[];
    expect(sites.find((site) => site.domain === "news.example.org")?.data_since).toBe("2026-11-11");
    expect(sites.find((site) => site.domain === "parked.example")?.data_since).toBeNull();
    expect(sum(await points("parked.example", 365))).toBe(0);
    const news = await points("news.example.org", 30);
    expect(news.filter(({ visitors }) => visitors > 0).map(({ date }) => date)[0]).toBe("2026-11-11");
  });

  it("stays the same for the rest of the week", async () => {
    const monday = createTestApi({ start: Date.parse("2026-11-16T00:00:00Z") });
    monday.time.now = NOW;
    const path = "/api/v1/timeseries?site=example.com&days=90";
    expect((await monday.ask(path)).text).toBe((await ask(path)).text);
  });
});
