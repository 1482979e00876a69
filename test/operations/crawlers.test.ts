import { HttpResponse, http } from "msw";
import { describe, expect, it } from "vitest";
import type { buildOpenApi } from "../../src/documents/openapi-document.ts";
import { createTestApi } from "../support/api.ts";
import { connectInProcess, type ToolResult, textOf } from "../support/clients.ts";
import { createListSource } from "../support/list-source.ts";
import { BASE, fakeNetwork, service } from "../support/network.ts";
import { serve } from "../support/period-service.ts";
import { runShell } from "../support/shell.ts";

const { network } = fakeNetwork();
const shell = (...argv: string[]) => runShell(["crawlers", ...argv], { environment: service });

interface Row {
  value: string | null;
  label?: string;
  operator: string | null;
  requests: number;
  [member: string]: unknown;
}
interface Body {
  rows: Row[];
  totals: { requests: number };
  [member: string]: unknown;
}

const { ask } = createTestApi();
const rowsOf = (result: ToolResult) => ({ rows: [], ...result.structuredContent }).rows as Row[];
const read = async (query: string) => (await ask(`/api/v1/crawlers?${query}`)).body as unknown as Body;

describe("a service that counts crawlers", () => {
  it("answers with who they are, what they want and how they fared", async () => {
    const { rows, totals, ...body } = await read("site=example.com&days=7&limit=3");
    expect(body).toMatchObject({
      site: { domain: "example.com" },
      period: { from: "2026-11-15", to: "2026-11-21", days: 7, partial: true },
      limit: 3,
      truncated: true,
    });
    expect(rows.map(({ value }) => value)).toEqual(["Googlebot", "ClaudeBot", "GPTBot"]);
    expect(rows[1]).toEqual({
      value: "ClaudeBot",
      label: "ClaudeBot",
      operator: "Anthropic",
      purpose: "training",
      requests: expect.any(Number),
      pages: expect.any(Number),
      error_percentage: expect.any(Number),
      last_seen: expect.stringMatching(/^2026-11-2\dT\d\d:\d\d:\d\d\+01:00$/),
    });
    expect(totals.requests).toBeGreaterThan(rows.reduce((sum, row) => sum + row.requests, 0));
  });

  it("gives the same numbers by tool and command, which say how crawlers are known", async () => {
    const { rows } = await read("site=example.com&days=7");
    const client = await connectInProcess();
    const result = await client.callTool("get_crawlers", { site: "example.com", days: 7 });
    await client.close();
    // A label that is equal to the value is left out.
    const shown = rowsOf(result).map((row) => ({ label: row.value, ...row }));
    expect(shown).toEqual(rows);
    const printed = await shell("example.com", "--days", "7", "--json");
    expect(JSON.parse(printed.stdout).rows).toEqual(rows);
    const said = "Crawlers as they identify themselves: anyone can imitate a user agent.";
    expect(textOf(result)).toContain(said);
    expect(textOf(result)).toContain("Pages: distinct paths of each day, added up.");
    const { stderr } = await shell("example.com", "--days", "7");
    expect(stderr).toContain(said);
    const ofDays = "Pages are distinct paths of each day, added up";
    expect(stderr).toContain(ofDays);
    expect((await shell("example.com", "--days", "1")).stderr).not.toContain(ofDays);
  });

  it.each([
    [["--period", "last_week"], "2026-11-09", "2026-11-15"],
    [["--from", "2026-11-03", "--to", "2026-11-05"], "2026-11-03", "2026-11-05"],
    [["--days", "2"], "2026-11-20", "2026-11-21"],
  ])("answers for %j", async (words, from, to) => {
    const { stdout } = await shell("example.com", ...words, "--json");
    expect(JSON.parse(stdout).period).toMatchObject({ from, to });
  });

  it("says that a site has none", async () => {
    expect((await shell("parked.example")).stderr).toContain("parked.example has no data yet");
  });
});

const right = {
  site: { id: "site_7f3k", domain: "example.com" },
  period: {
    from: "2026-10-25",
    to: "2026-11-21",
    days: 28,
    timezone: "Europe/Berlin",
    partial: true,
    complete_through: "2026-11-20",
    as_of: "2026-11-21T05:05:10+01:00",
  },
  rows: [
    {
      value: "GPTBot",
      label: "GPTBot",
      operator: "OpenAI",
      purpose: "training",
      requests: 9,
      pages: 4,
      error_percentage: 11.1,
      last_seen: "2026-11-20T05:05:10+01:00",
    },
    {
      value: null,
      label: "(unknown)",
      operator: null,
      purpose: "news",
      requests: 3,
      pages: 3,
      error_percentage: 0,
      last_seen: "2026-11-19T05:05:10Z",
    },
  ],
  limit: 10,
  total_rows: 2,
  truncated: false,
  totals: { requests: 12 },
};
const answerWith = (body: unknown) =>
  network.use(http.get(`${BASE}/api/v1/crawlers`, () => HttpResponse.json(body as object)));
const [first, second] = right.rows;
const INVISIBLE = ["\u202e", "\u001b", "\u200b"];

describe("an answer of another service", () => {
  it("may have crawlers without a name, and purposes that are not known yet", async () => {
    answerWith(right);
    const { stdout, code } = await shell("example.com");
    expect([code, stdout.split("\n")[2]]).toEqual([0, "\t(unknown)\t\tnews\t3\t3\t0\t2026-11-19T05:05:10Z"]);
  });

  it.each([
    ["rows in the wrong order", { rows: [second, first] }, "more requests than the row before it"],
    ["a crawler twice", { rows: [first, first], totals: { requests: 99 } }, "repeats the value"],
    ["more requests than the total", { totals: { requests: 11 } }, "12 requests, but the total is 11"],
    [
      "more pages than requests",
      { rows: [{ ...first, pages: 10 }, second] },
      "10 pages, but only 9 requests",
    ],
    ["more than all requests failed", { rows: [{ ...first, error_percentage: 101 }, second] }, "101"],
    ["another limit", { limit: 5 }, "its limit is 5, not 10"],
    ["a wrong count of rows", { total_rows: 3 }, "2 of 3 rows"],
    ["another site", { site: { id: "x", domain: "other.example" } }, "other.example"],
    ["other days", { period: { ...right.period, from: "2026-11-20", days: 2 } }, "2 days, not 28"],
  ])("with %s is refused", async (_, changed, reason) => {
    answerWith({ ...right, ...changed });
    const { code, stdout, stderr } = await shell("example.com");
    expect([code === 0, stdout]).toEqual([false, ""]);
    expect(stderr).toContain("The answer to /crawlers breaks the contract");
    expect(stderr).toContain(reason);
  });

  it("cannot hide its names' control characters, nor forge a row", async () => {
    const hostile = "GPT\u202eBot\u001b[31m\tOpenAI\n\u200bline";
    answerWith({
      ...right,
      rows: [{ ...first, value: hostile, label: hostile, operator: hostile, purpose: hostile }, second],
    });
    const { stdout } = await shell("example.com");
    expect(stdout.split("\n").filter((line) => line !== "")).toHaveLength(3);
    for (const invisible of INVISIBLE) expect(stdout).not.toContain(invisible);
    const client = await connectInProcess({
      fetch: async () =>
        Response.json({ ...right, rows: [{ ...first, operator: hostile, purpose: hostile }, second] }),
    });
    const result = await client.callTool("get_crawlers", { site: "example.com" });
    await client.close();
    const [row] = rowsOf(result);
    for (const invisible of INVISIBLE) {
      expect(`${textOf(result)} ${row?.operator} ${row?.purpose}`).not.toContain(invisible);
    }
  });
});

describe("a service without crawlers", () => {
  const bare = serve(
    createListSource(
      [
        {
          id: "one",
          domain: "example.com",
          name: "One",
          timezone: "Europe/Berlin",
          createdAt: 0,
          dataSince: "2026-01-01",
        },
      ],
      [],
    ),
  );
  const useBare = () => network.use(http.all(`${BASE}/*`, ({ request }) => bare(request)));
  const request = (path: string) =>
    bare(new Request(`${BASE}${path}`, { headers: { authorization: "Bearer any" } }));

  it.each(["?site=example.com", "?site=unknown.example", "?site=example.com&days=0", ""])(
    "answers /crawlers%s with not_found, as if there were no such path",
    async (query) => {
      const response = await request(`/api/v1/crawlers${query}`);
      expect(response.status).toBe(404);
      expect(await response.json()).toMatchObject({ code: "not_found" });
    },
  );

  it("does not describe it", async () => {
    const document = (await (await request("/api/v1/openapi.json")).json()) as ReturnType<
      typeof buildOpenApi
    >;
    expect(Object.keys(document.paths)).toEqual([
      "/sites",
      "/stats",
      "/timeseries",
      "/breakdown",
      "/realtime",
      "/openapi.json",
    ]);
    expect(document.components.schemas).not.toHaveProperty("CrawlersAnswer");
  });

  const message = "This service does not offer crawlers: it has no GET /crawlers.";
  it.each([[[]], [["--period", "yesterday"]], [["--period", "today"]]])(
    "makes the command say so: crawlers %j",
    async (words) => {
      useBare();
      const { code, stderr } = await shell("example.com", ...words);
      expect(code).not.toBe(0);
      expect(stderr).toContain(message);
      expect(stderr).not.toContain("There is nothing at this path");
    },
  );

  it("makes the tool say so", async () => {
    const client = await connectInProcess({ fetch: async (url, init) => bare(new Request(url, init)) });
    const result = await client.callTool("get_crawlers", { site: "example.com" });
    await client.close();
    expect(result.isError).toBe(true);
    expect(textOf(result)).toContain(message);
  });

  it("may answer a missing path without a problem document", async () => {
    network.use(http.get(`${BASE}/api/v1/crawlers`, () => new HttpResponse("Not Found", { status: 404 })));
    expect((await shell("example.com")).stderr).toContain(message);
  });

  it("is not blamed for a site that the key does not have", async () => {
    const { stderr } = await shell("unknown.example");
    expect(stderr).toContain('You have no site "unknown.example".');
  });
});

describe("a service that offers from and to for other operations only", () => {
  const hideSpans = () =>
    network.use(
      http.get(`${BASE}/api/v1/openapi.json`, async ({ request }) => {
        const { api } = createTestApi();
        const document = (await (await api(request)).json()) as ReturnType<typeof buildOpenApi>;
        const operation = document.paths["/crawlers"]?.get;
        if (operation) operation.parameters = operation.parameters.filter(({ name }) => name !== "from");
        return HttpResponse.json(document as object);
      }),
    );

  it("answers crawlers for days up to today", async () => {
    hideSpans();
    const { stdout } = await shell("example.com", "--period", "this_month", "--json");
    expect(JSON.parse(stdout).period).toMatchObject({ from: "2026-11-01", to: "2026-11-21" });
  });

  it("refuses past days, with what is possible", async () => {
    hideSpans();
    const { code, stderr } = await shell("example.com", "--period", "last_week");
    expect(code).not.toBe(0);
    expect(stderr).toContain("must end today: for crawlers, this service only answers for days up to today");
  });
});
