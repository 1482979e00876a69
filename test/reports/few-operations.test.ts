import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createApi } from "../../src/api/api.ts";
import { addDays, countDays } from "../../src/operations/days.ts";
import type { PartialSource } from "../../src/sources/data-source.ts";
import { umami } from "../../src/sources/gateways/umami.ts";
import { createLocalCall } from "../../src/sources/local-call.ts";
import { NOW } from "../support/api.ts";
import { connectInProcess } from "../support/clients.ts";
import { runShell } from "../support/shell.ts";

/** What the API of a service may have at least: its sites, and the visitors of each day. */
const few: PartialSource = {
  daysKept: 400,
  sites: async () => [
    {
      id: "one",
      domain: "one.example",
      name: "One",
      timezone: "UTC",
      createdAt: Date.parse("2026-01-01T00:00:00Z"),
      dataSince: "2026-01-01",
    },
  ],
  days: async ({ from, to }) =>
    Array.from({ length: countDays(from, to) }, (_, index) => ({
      date: addDays(from, index),
      visitors: 10,
      pageviews: 30,
    })),
};

const environment = {
  ANALYTICS_SERVICE: "umami",
  ANALYTICS_BASE_URL: "https://umami.example.test",
  ANALYTICS_API_KEY: "a-key-of-umami",
  NO_COLOR: "1",
};
const shell = (...argv: string[]) => runShell(argv, { environment });
const json = async (...argv: string[]) => {
  const { code, stdout, stderr } = await shell(...argv, "--json");
  expect([code, stderr]).toEqual([0, ""]);
  return JSON.parse(stdout);
};
const count = (text: string, part: string) => text.split(part).length - 1;
const LACK =
  "Not shown: active visitors, events, pages, referrers, channels, countries, devices (not offered by this source).";

beforeEach(() => {
  vi.spyOn(umami, "open").mockResolvedValue(few);
});
afterEach(() => {
  vi.restoreAllMocks();
});

describe("a gateway with sites and days alone, in a shell", () => {
  it("has totals and a series", async () => {
    const stats = await json("stats", "one.example", "--days", "7");
    expect(stats).toMatchObject({ visitors: 70, pageviews: 210 });
    expect(stats).not.toHaveProperty("events");
    expect((await json("timeseries", "one.example", "--days", "7")).points).toHaveLength(7);
  });

  it("has an overview of what it knows, which names once what it lacks", async () => {
    const overview = await json("overview", "one.example");
    expect(overview).toMatchObject({ visitors: 280, today: { visitors: 10 }, top: [] });
    expect(overview).not.toHaveProperty("active_now");
    const screen = await shell("overview", "one.example", "--output", "markdown");
    const stdout = screen.stdout.replace(/\s+/g, " ").replaceAll("\\", "");
    expect(`${count(stdout, LACK)} ${stdout}`).toMatch(/^1 /);
    expect(stdout).toContain("visitors today");
    expect(stdout).not.toContain("active now");
  });

  it("has a comparison, a check and a list of sites with their visitors", async () => {
    expect(await json("compare", "one.example", "--days", "7")).toMatchObject({
      current: { visitors: 70 },
      dimensions: [],
      missing: [{ dimension: "pages" }, { dimension: "referrers" }, { dimension: "channels" }, {}],
    });
    expect((await shell("check", "one.example", "--below", "100")).code).toBe(7);
    expect((await shell("check", "one.example", "--below", "5")).code).toBe(0);
    expect(await json("sites", "--period", "last-week")).toMatchObject({ sites: [{ visitors: 70 }] });
  });

  it.each([
    ["realtime", [], "active visitors"],
    ["breakdown", ["--dimension", "pages"], "lists of pages"],
    ["crawlers", [], "crawlers"],
    ["not-found", [], "requests for what is not there"],
  ])(
    "says of %s alone that this source does not have it, and which source it is",
    async (name, more, what) => {
      const { code, stderr } = await shell(name, "one.example", ...more);
      expect(code).not.toBe(0);
      expect(stderr).toContain(`This source (Umami) does not record ${what}`);
    },
  );

  describe("as a report", () => {
    const folder = mkdtempSync(join(tmpdir(), "few-"));
    afterAll(() => rmSync(folder, { recursive: true }));

    it.each(["a.html", "a.md"])("is written: %s", async (name) => {
      const { code } = await shell("report", "one.example", "-o", join(folder, name));
      expect(code).toBe(0);
      const text = readFileSync(join(folder, name), "utf8");
      expect(text).toContain("280");
      expect(text).toContain("Not shown: active visitors, pages");
    });
  });
});

it("a model gets the same of it", async () => {
  const client = await connectInProcess({
    call: createLocalCall(
      () => umami.open({} as never),
      () => NOW,
      umami.about,
    ),
  });
  await client.listTools();
  const overview = await client.callTool("get_overview", { site: "one.example" });
  expect(overview.isError).toBeFalsy();
  expect(overview.structuredContent).toMatchObject({ visitors: 280, top: [] });
  expect(count(JSON.stringify(overview.content), LACK)).toBe(1);
  expect((await client.callTool("get_stats", { site: "one.example" })).structuredContent).toMatchObject({
    visitors: 280,
  });
  const now = await client.callTool("get_realtime", { site: "one.example" });
  expect(JSON.stringify(now.content)).toContain("This source (Umami) does not record active visitors");
  await client.close();
});

it("the contract is not kept by half: its API refuses what it lacks, and says so in its description", async () => {
  const api = createApi({ keyring: () => ({ keyId: "one", source: few }), clock: () => NOW });
  const ask = async (path: string) => {
    const headers = new Headers({ authorization: "Bearer a" });
    const { status, body } = await api({ method: "GET", url: `https://a.test/api/v1${path}`, headers });
    return [status, String(body)] as const;
  };
  expect(await ask("/timeseries?site=one&days=7")).toEqual([200, expect.stringContaining('"visitors":10')]);
  expect(await ask("/stats?site=one&days=7")).toEqual([404, expect.stringContaining("it has no events")]);
  expect((await ask("/realtime?site=one"))[0]).toBe(404);
  expect((await ask("/breakdown?site=one&dimension=pages"))[0]).toBe(404);
  const [, description] = await ask("/openapi.json");
  expect(Object.keys(JSON.parse(description).paths)).toEqual([
    "/sites",
    "/stats",
    "/timeseries",
    "/openapi.json",
  ]);
});
