import { HttpResponse, http } from "msw";
import { describe, expect, it } from "vitest";
import { isUnprompted } from "../../src/operations/not-found.ts";
import { createTestApi } from "../support/api.ts";
import { connectInProcess, type ToolResult, textOf } from "../support/clients.ts";
import { BASE, fakeNetwork, service } from "../support/network.ts";
import { runShell } from "../support/shell.ts";

const { network } = fakeNetwork();
const shell = (...argv: string[]) => runShell(["not-found", ...argv], { environment: service });

interface Row {
  value: string | null;
  requests: number;
  visitors: number;
  referrers: { value: string; internal: boolean; requests: number }[];
}
const { ask } = createTestApi();
const rowsOf = (result: ToolResult) => ({ rows: [], ...result.structuredContent }).rows as Row[];
const read = async (query: string) =>
  (await ask(`/api/v1/not-found?${query}`)).body as unknown as { rows: Row[]; [member: string]: unknown };

describe("a service that counts dead links", () => {
  it("gives the same numbers by address, tool and command, with the pages that link there", async () => {
    const { rows, ...body } = await read("site=example.com&days=7&limit=3");
    expect(body).toMatchObject({
      site: { domain: "example.com" },
      period: { from: "2026-11-15", to: "2026-11-21", days: 7, partial: true },
      limit: 3,
      truncated: true,
      excluded: { bots: expect.any(Number), scanners: expect.any(Number) },
    });
    const client = await connectInProcess();
    const result = await client.callTool("get_not_found", { site: "example.com", days: 7, limit: 3 });
    await client.close();
    expect(rowsOf(result)).toEqual(rows);
    const printed = await shell("example.com", "--days", "7", "--limit", "3", "--json");
    expect(JSON.parse(printed.stdout).rows).toEqual(rows);
    const [, first] = rows;
    const [linked] = first?.referrers ?? [];
    expect(textOf(result)).toContain(
      `${first?.value}\t${first?.requests}\t${first?.visitors}\t${linked?.value} (`,
    );
    expect(textOf(result)).toContain("These names come from visitors");
    expect((await shell("example.com", "--days", "7")).stderr).toContain("Not counted: ");
  });

  it("gives the same numbers of what the server failed to answer, and repeats the status", async () => {
    // A day on which the made-up sign-up failed.
    const period = "from=2026-09-11&to=2026-09-11";
    const { rows, ...body } = await read(`site=example.com&${period}&status=5xx`);
    expect(rows[0]).toMatchObject({
      value: "/signup",
      referrers: [{ value: "/pricing", internal: true }, {}],
    });
    expect(body).toMatchObject({ status: "5xx", excluded: { bots: 0, scanners: 0 } });
    const named = { period: "2026-09-11", status: "5xx" };
    const client = await connectInProcess();
    const result = await client.callTool("get_not_found", { site: "example.com", ...named });
    await client.close();
    expect(rowsOf(result)).toEqual(rows);
    const words = ["example.com", "--period", "2026-09-11", "--status"];
    const printed = await shell(...words, "5xx", "--json");
    expect(JSON.parse(printed.stdout).rows).toEqual(rows);
    expect((await shell(...words, "5xx")).stderr).toMatch(/\d+ requests got 500–599/);
    const plain = await read(`site=example.com&${period}`);
    expect(await read(`site=example.com&${period}&status=4xx`)).toEqual({ ...plain, status: "4xx" });
    expect(plain.rows).not.toEqual(rows);
  });

  it("says that the site has no data in these days", async () => {
    const { stderr } = await shell("news.example.org", "--period", "2026-11-09");
    expect(stderr).toContain("news.example.org has no data before");
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
      value: "/old",
      requests: 9,
      visitors: 4,
      referrers: [
        { value: "/blog", internal: true, requests: 5 },
        { value: "google.com", internal: false, requests: 2 },
      ],
    },
    { value: null, other: true, requests: 3, visitors: 3, referrers: [] },
  ],
  limit: 10,
  total_rows: 2,
  truncated: false,
  totals: { requests: 12 },
  excluded: { bots: 7, scanners: 8 },
};
const answerWith = (body: unknown) =>
  network.use(http.get(`${BASE}/api/v1/not-found`, () => HttpResponse.json(body as object)));
const [first, second] = right.rows;

describe("an answer of another service", () => {
  it("may have paths that it keeps only as a sum", async () => {
    answerWith(right);
    const { stdout, stderr } = await shell("example.com");
    expect(stdout.split("\n").slice(1, 3)).toEqual([
      "/old\t9\t4\t/blog (5), google.com (2)",
      "(other)\t3\t3\t",
    ]);
    expect(stderr).toContain("Not counted: 7 from bots, 8 from scanners.");
  });

  it.each([
    ["rows in the wrong order", { rows: [second, first] }, "more requests than the row before it"],
    ["a path twice", { rows: [first, first], totals: { requests: 99 } }, "repeats the value"],
    ["more requests than the total", { totals: { requests: 11 } }, "12 requests, but the total is 11"],
    [
      "more visitors than requests",
      { rows: [{ ...first, visitors: 10 }, second] },
      "10 visitors, but only 9",
    ],
    [
      "more requests from referrers",
      { rows: [{ ...first, requests: 6 }, second] },
      'the referrers of "rows[0]" have 7 requests, but it has only 6',
    ],
    [
      "four referrers",
      { rows: [{ ...first, referrers: Array(4).fill(first?.referrers[1]) }, second] },
      "referrers",
    ],
    ["a status that nobody asked for", { status: "5xx" }, "not about the requested status"],
    ["another limit", { limit: 5 }, "its limit is 5, not 10"],
    ["another site", { site: { id: "x", domain: "other.example" } }, "other.example"],
  ])("with %s is refused", async (_, changed, reason) => {
    answerWith({ ...right, ...changed });
    const { code, stdout, stderr } = await shell("example.com");
    expect([code === 0, stdout]).toEqual([false, ""]);
    expect(stderr).toContain("The answer to /not-found breaks the contract");
    expect(stderr).toContain(reason);
  });

  it("cannot hide control characters in paths and referrers, nor forge a row", async () => {
    const hostile = "/\u202e\u001b[31m\tpath\n\u200bline";
    const row = { ...first, value: hostile, referrers: [{ value: hostile, internal: true, requests: 1 }] };
    answerWith({ ...right, rows: [row, second] });
    const { stdout } = await shell("example.com");
    expect(stdout.split("\n").filter((line) => line !== "")).toHaveLength(3);
    const client = await connectInProcess({
      fetch: async () => Response.json({ ...right, rows: [row, second] }),
    });
    const result = await client.callTool("get_not_found", { site: "example.com" });
    await client.close();
    for (const invisible of ["\u202e", "\u001b", "\u200b"]) {
      expect(`${stdout} ${textOf(result)} ${JSON.stringify(rowsOf(result))}`).not.toContain(invisible);
    }
  });
});

it("a service that does not offer the status is not asked with it", async () => {
  const asked: string[] = [];
  network.use(
    http.get(`${BASE}/api/v1/not-found`, ({ request }) => {
      asked.push(request.url);
      return HttpResponse.json(right);
    }),
    http.get(`${BASE}/api/v1/openapi.json`, () => HttpResponse.json({ openapi: "3.1.1", paths: {} })),
  );
  const { code, stdout, stderr } = await shell("example.com", "--status", "5xx");
  expect([code === 0, stdout, asked]).toEqual([false, "", []]);
  expect(stderr).toContain("status cannot be used: this service does not tell failures apart.");
});

it("a source that does not know them is no reason to make numbers up", async () => {
  network.use(http.get(`${BASE}/api/v1/not-found`, () => new HttpResponse("Not Found", { status: 404 })));
  const { code, stderr } = await shell("example.com");
  expect(code).not.toBe(0);
  expect(stderr).toContain("This service does not offer not-found: it has no GET /not-found.");
});

it.each([
  ["/favicon.ico", true],
  ["/apple-touch-icon.png", true],
  ["/apple-touch-icon-120x120-precomposed.png", true],
  ["/.well-known/passkey-endpoints", true],
  ["/favicon.ico/a", false],
  ["/a/favicon.ico", false],
  ["/apple-touch-icon.svg", false],
  ["/apple-touch-icons/a.png", false],
  ["/.well-known", false],
])("browsers ask for %s unprompted: %s", (path, expected) => {
  expect(isUnprompted(path)).toBe(expected);
});
