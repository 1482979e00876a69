import { describe, expect, it } from "vitest";
import { createApi } from "../../../src/api/api.ts";
import { listen } from "../../../src/api/listen.ts";
import { createNetworkSend } from "../../../src/client/network.ts";
import { checkConformance } from "../../../src/conform/conformance.ts";
import { createDescribedSource } from "../../../src/sources/described/described-source.ts";
import { createServiceCall } from "../../../src/sources/service-source.ts";
import { createSmallService, describeParameters, listDays, NOON, Reply } from "./small-service.ts";

const KEY = "key-of-a-caller";

/** What the reference API needs to answer everything. */
const COMPLETE = {
  "/sites": () => [
    {
      id: 7,
      domain: "acme.example",
      timezone: "Europe/Berlin",
      created_at: "2025-03-02T09:14:00Z",
    },
  ],
  "/breakdown": (query: URLSearchParams) => {
    const days = Number(query.get("days") ?? 30);
    const dimension = query.get("dimension") ?? "";
    const [measure, all] = dimension === "events" ? ["events", 3] : ["pageviews", 20];
    const [first = "first", second = "second"] = VALUES.get(dimension) ?? [];
    return [
      { name: first, visitors: 6 * days, [measure]: (all - 1) * days },
      { name: second, visitors: 4 * days, [measure]: days },
    ].slice(0, Number(query.get("limit")));
  },
  "/stats": (query: URLSearchParams) => {
    const days = Number(query.get("days") ?? 30);
    return { visitors: 10 * days, pageviews: 20 * days, events: 3 * days };
  },
  "/openapi.json": () => describeParameters({ "/breakdown": { days: { type: "integer" } } }),
};
/** Values that the contract has of some dimensions. */
const VALUES = new Map<string, [string, string]>([
  ...["pages", "entry_pages", "exit_pages"].map(
    (name) => [name, ["/", "/pricing"]] as [string, [string, string]],
  ),
  ["countries", ["DE", "FR"]],
  ["regions", ["DE-BE", "FR-IDF"]],
  ["languages", ["de", "fr-FR"]],
  ["devices", ["mobile", "desktop"]],
  ["channels", ["Direct", "Referral"]],
]);

/** The reference API in front of a small service. */
async function openReference(answers: Parameters<typeof createSmallService>[0], clock = () => NOON) {
  const { call, asked } = createSmallService(answers);
  const described = await call.readDescribed({});
  if (described === undefined) throw new Error("It is read by the contract.");
  const source = await createDescribedSource(described, clock);
  const api = createApi({
    keyring: (key) => (key === KEY ? { keyId: "caller", source } : undefined),
    clock,
    quota: { limit: 100_000, window: 60 },
  });
  const send = (url: string) => {
    const headers = new Headers({ authorization: `Bearer ${KEY}` });
    return api({ method: "GET", url, headers });
  };
  const get = async (path: string) => {
    const { status, body } = await send(`http://x/api/v1${path}`);
    return { status, body: JSON.parse(body ?? "null") };
  };
  /** This program as a client of that API. */
  const client = createServiceCall(undefined, {
    readTarget: async () => ({
      baseUrl: "http://x/api/v1",
      apiKey: KEY,
      fetch: async (url) => {
        const { status, headers, body } = await send(url);
        const fields = new Map([...headers].map(([name, value]) => [name.toLowerCase(), value]));
        return {
          status,
          headers: { get: (name: string) => fields.get(name.toLowerCase()) ?? null },
          body: [new TextEncoder().encode(body ?? "")],
        };
      },
    }),
    clock: () => NOON,
    environment: {},
    limits: { attempts: 1 },
  });
  return { api, get, client, asked };
}

const SITE = "site=acme.example";

describe("the reference API in front of a service that describes itself", () => {
  it("answers what is there by the contract", async () => {
    const { get } = await openReference(COMPLETE);
    const [from, to] = [listDays(7)[0], listDays(7).at(-1)];
    expect((await get("/sites")).body.sites).toEqual([
      {
        id: "7",
        domain: "acme.example",
        name: "acme.example",
        timezone: "Europe/Berlin",
        created_at: "2025-03-02T09:14:00Z",
        // There may be data before the days that it answers for, but not before the site.
        data_since: "2025-03-02",
      },
    ]);
    const period = { from, to, days: 7, timezone: "Europe/Berlin", partial: true };
    const { body } = await get(`/stats?${SITE}&days=7`);
    expect(body).toMatchObject({ visitors: 70, pageviews: 140, events: 21, period });
    const { body: rows } = await get(`/breakdown?${SITE}&dimension=pages&days=7&limit=1`);
    expect(rows).toMatchObject({
      period,
      rows: [{ value: "/", label: "/", visitors: 42, pageviews: 133, percentage: 60 }],
      total_rows: 2,
      truncated: true,
      totals: { visitors: 70, pageviews: 140 },
    });
    const { body: events } = await get(`/breakdown?${SITE}&dimension=events&days=7`);
    expect(events).toMatchObject({ rows: [{ events: 14 }, { events: 7 }], totals: { events: 21 } });
    expect((await get(`/realtime?${SITE}`)).body).toMatchObject({ visitors: 3, window_minutes: 5 });
  });

  it("does not list a site without the time of its creation, says so, and answers about it", async () => {
    const site = { id: 7, domain: "acme.example", timezone: "Europe/Berlin", created_at: "2025-03-02" };
    const { get } = await openReference({ ...COMPLETE, "/sites": () => [site] });
    const { status, body } = await get("/sites");
    expect([status, body.sites]).toEqual([200, []]);
    expect(body.warnings).toEqual([
      {
        code: "not_listed",
        detail: expect.stringContaining("does not say when it was added"),
        values: { site: "acme.example" },
      },
    ]);
    expect((await get(`/stats?${SITE}&days=7`)).body.visitors).toBe(70);
  });

  it("has data from the first day with traffic, if that is not the first that it answers for", async () => {
    const { get } = await openReference({
      ...COMPLETE,
      "/timeseries": (query) =>
        listDays(Number(query.get("days") ?? 30)).map((date) => {
          const pageviews = date < "2026-11-05" ? 0 : 20;
          return { date, visitors: pageviews / 2, pageviews };
        }),
    });
    expect((await get("/sites")).body.sites[0].data_since).toBe("2026-11-05");
  });

  it("is read by our own client like any service of the contract", async () => {
    const { client } = await openReference(COMPLETE);
    const { findQuery } = await import("../../../src/reports/queries.ts");
    const query = findQuery("overview");
    const { result } = await query.ask(client, query.params.parse({ site: "acme.example", days: 7 }), {});
    expect(result).toMatchObject({ visitors: 70, pageviews: 140, active_now: 3 });
    expect(result).not.toHaveProperty("missing");
  });

  it("adds up the visitors of days, as the contract has it, where the service counts them once", async () => {
    const { get } = await openReference({
      ...COMPLETE,
      "/stats": (query) => ({
        visitors: 6 * Number(query.get("days")),
        pageviews: 20 * Number(query.get("days")),
        events: 3,
      }),
    });
    expect((await get(`/stats?${SITE}&days=7`)).body).toMatchObject({ visitors: 70 });
    const { status, body } = await get(`/breakdown?${SITE}&dimension=pages&days=7`);
    expect([status, body.code, body.detail]).toEqual([
      400,
      "invalid_parameter",
      "dimension cannot be pages: this service seems to count each visitor once per period.",
    ]);
  });

  it.each<[string, Parameters<typeof createSmallService>[0], string, number, string]>([
    [
      "no events",
      { "/stats": () => ({ visitors: 70, pageviews: 140 }) },
      `/stats?${SITE}`,
      404,
      "it has no events",
    ],
    [
      "no days of a breakdown",
      { "/openapi.json": () => describeParameters({}) },
      `/breakdown?${SITE}&dimension=pages`,
      404,
      "lists take no days",
    ],
    [
      "no timezone",
      { "/sites": () => [{ id: 7, domain: "acme.example" }] },
      `/timeseries?${SITE}`,
      404,
      "names no timezone",
    ],
    [
      "no page views of rows",
      { "/breakdown": () => [{ name: "/", visitors: 4 }] },
      `/breakdown?${SITE}&dimension=pages`,
      400,
      "does not say how many pageviews its rows have",
    ],
    [
      "no visitors of rows",
      { "/breakdown": () => [{ name: "/", pageviews: 4 }] },
      `/breakdown?${SITE}&dimension=pages`,
      400,
      "does not say how many visitors its rows have",
    ],
    [
      "no number of all rows",
      {
        "/breakdown": () =>
          Array.from({ length: 1000 }, (_, index) => ({ name: `/${index}`, visitors: 1, pageviews: 1 })),
      },
      `/breakdown?${SITE}&dimension=pages`,
      400,
      "does not say how many rows there are",
    ],
    [
      "no day of today",
      {
        "/timeseries": (query) =>
          listDays(Number(query.get("days")), "2026-11-19").map((date) => ({
            date,
            visitors: 10,
            pageviews: 20,
          })),
      },
      `/timeseries?${SITE}&days=7`,
      404,
      "ends on 2026-11-19",
    ],
    [
      "values of its own",
      { "/breakdown": () => [{ country: "Germany", visitors: 4, pageviews: 5 }] },
      `/breakdown?${SITE}&dimension=countries`,
      400,
      "values are not those of the contract",
    ],
    ["no spans of days", {}, `/stats?${SITE}&from=2026-11-01&to=2026-11-02`, 400, "from is unknown"],
    [
      "no filters",
      {},
      `/stats?${SITE}&filter=countries%3DDE`,
      400,
      "filter cannot be used: this source has no filters",
    ],
  ])("refuses by name what a service with %s cannot give", async (_, answers, path, status, sentence) => {
    const { get } = await openReference({ ...COMPLETE, ...answers });
    const answer = await get(path);
    expect([answer.status, JSON.stringify(answer.body)]).toEqual([status, expect.stringContaining(sentence)]);
  });

  it.each([2, 28])("names the days that have events, where %i days are asked for", async (days) => {
    const parameters = { days: { type: "integer", enum: [1, 7, 30, 90] } };
    const paths = { "/stats": parameters, "/timeseries": parameters, "/breakdown": parameters };
    const refuse = () => new Reply(400, { error: "days must be 1, 7, 30 or 90" });
    const described = { ...COMPLETE, "/openapi.json": () => describeParameters(paths) };
    for (const answers of [
      described,
      {
        ...COMPLETE,
        "/stats": (query: URLSearchParams) =>
          [1, 7, 30, 90].includes(Number(query.get("days"))) ? COMPLETE["/stats"](query) : refuse(),
      },
    ]) {
      const { get } = await openReference(answers);
      const { status, body } = await get(`/stats?${SITE}&days=${days}`);
      expect([status, body.code, body.detail]).toEqual([
        400,
        "invalid_parameter",
        `days cannot be ${days}: this service has totals with events only of 1, 7, 30 or 90 days.`,
      ]);
      expect((await get(`/timeseries?${SITE}&days=${days}`)).body.points.length).toBe(days);
    }
    const { get } = await openReference(described);
    const rows = await get(`/breakdown?${SITE}&dimension=pages&days=${days}`);
    expect([rows.status, rows.body.detail]).toEqual([400, expect.stringContaining("only of 1, 7, 30 or 90")]);
  });

  it("still has the series of a site that it cannot list", async () => {
    const { get } = await openReference({
      ...COMPLETE,
      "/sites": () => [{ id: 7, domain: "acme.example", timezone: "Europe/Berlin" }],
    });
    const { status, body } = await get(`/timeseries?${SITE}&days=2`);
    expect([status, body.points.length]).toEqual([200, 2]);
  });

  it("keeps the contract's rules", async () => {
    const time = { now: NOON };
    const { api } = await openReference(COMPLETE, () => time.now);
    const server = await listen(api, "127.0.0.1", 0);
    try {
      const target = { baseUrl: `${server.origin}/api/v1`, apiKey: KEY, send: createNetworkSend() };
      const { rules } = await checkConformance(target, {
        clock: () => time.now,
        sleep: async (milliseconds) => {
          time.now += milliseconds;
        },
        note: () => {},
      });
      expect(rules.filter(({ verdict }) => verdict === "fail")).toEqual([]);
      expect(rules.filter(({ verdict }) => verdict === "pass").length).toBeGreaterThan(60);
    } finally {
      await server.close();
    }
  });

  it("describes only what it offers", async () => {
    const { get } = await openReference({
      ...COMPLETE,
      "/stats": () => ({ visitors: 70, pageviews: 140 }),
    });
    const { body } = await get("/openapi.json");
    expect(Object.keys(body.paths)).toEqual(
      expect.arrayContaining(["/sites", "/timeseries", "/breakdown", "/realtime"]),
    );
    expect(Object.keys(body.paths)).not.toContain("/stats");
    const names = body.paths["/timeseries"].get.parameters.map(({ name }: { name: string }) => name);
    expect(names).toEqual(["site", "days"]);
  });
});
