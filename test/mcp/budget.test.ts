import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { afterAll, describe, expect, it } from "vitest";
import { operations } from "../../src/operations/index.ts";
import type { DataSource } from "../../src/sources/data-source.ts";
import { createLocalCall } from "../../src/sources/local-call.ts";
import { createTestApi, NOW } from "../support/api.ts";
import { connectInProcess, textOf } from "../support/clients.ts";
import { createWideSource } from "../support/wide-source.ts";

const client = await connectInProcess();
afterAll(() => client.close());

const call = (name: string, args: Record<string, unknown> = {}) => client.callTool(name, args);

it.each([
  ["a 30-day series", "get_timeseries", { days: 30 }, 550, 950],
  ["ten breakdown rows", "get_breakdown", { dimension: "pages" }, 250, 465],
  ["ten crawlers", "get_crawlers", {}, 480, 720],
  ["ten dead links", "get_not_found", {}, 400, 720],
  ["an overview", "get_overview", {}, 550, 1_100],
])("%s keeps its budget of tokens", async (what, name, args, asText, asStructure) => {
  const result = await call(name, { site: "example.com", ...args });
  const spent = [countTokens(textOf(result)), countTokens(JSON.stringify(result.structuredContent))];
  process.stdout.write(
    `tokens of ${what}: ${spent[0]} of ${asText} as text, ${spent[1]} of ${asStructure} structured\n`,
  );
  expect(spent[0]).toBeLessThanOrEqual(asText);
  if (name === "get_overview") expect(spent[1]).toBeLessThanOrEqual(2 * (spent[0] ?? 0));
  expect(spent[1]).toBeLessThanOrEqual(asStructure);
});

/** Some hosts forward both forms. */
const countBoth = (result: Awaited<ReturnType<typeof call>>) =>
  countTokens(textOf(result)) + countTokens(JSON.stringify(result.structuredContent));

describe("answers stay within 8,000 tokens", () => {
  it("the longest comparison, whose periods differ in length", async () => {
    const rows = Array.from({ length: 400 }, (_, index) => ({
      value: `/blog/how-we-count-visitors-${index}`,
      visitors: [0, 20_000 + 317 * index, 41_237 - 83 * index] as const,
    }));
    const source = createWideSource(rows);
    const withVisits: DataSource = {
      ...source,
      days: async (span) =>
        (await source.days(span)).map((day) => ({
          ...day,
          visits: day.visitors,
          bounces: Math.floor(day.visitors / 3),
          visitSeconds: 217 * day.visitors,
        })),
    };
    const wide = await connectInProcess({
      call: createLocalCall(
        async () => withVisits,
        () => NOW,
      ),
    });
    const asked = { site: "wide.test", period: "2026-11-20", against: "2026-11-01/2026-11-19", limit: 20 };
    const result = await wide.callTool("compare_periods", asked);
    await wide.close();
    expect(JSON.stringify(result.structuredContent).match(/"per_day"/g)).toHaveLength(81);
    expect(result.structuredContent).toMatchObject({ per_day: { visits: expect.any(Object) } });
    process.stdout.write(`tokens of the longest comparison: ${countBoth(result)} of 8000\n`);
    expect(countBoth(result)).toBeLessThanOrEqual(8_000);
  });

  it("the conversions of a thousand rows, some of them ranges", async () => {
    const rows = Array.from({ length: 1_200 }, (_, index) => ({
      value: `how-we-count-visitors-${index}.example`,
      visitors: [0, 41_237 - index, 0] as const,
    }));
    const source = createWideSource(rows);
    const half: DataSource = {
      ...source,
      filters: true,
      // Half of the visitors reach the goal, and all of the referrers that the list of all visitors cuts off.
      breakdown: async (span, dimension, limit) => {
        const { rows: all, totalRows } = await source.breakdown(span, dimension, 1_200);
        const reached = all.map((row, index) =>
          index < 1_000 ? { ...row, visitors: Math.floor(row.visitors / 2) } : row,
        );
        const shown = span.filter === undefined ? all : reached.sort((a, b) => b.visitors - a.visitors);
        return { rows: shown.slice(0, limit), totalRows };
      },
    };
    const wide = await connectInProcess({
      call: createLocalCall(
        async () => half,
        () => NOW,
      ),
    });
    const asked = { site: "wide.test", goal: "pages=/", by: "referrers", period: "2026-11-20", limit: 1_000 };
    const result = await wide.callTool("get_conversions", asked);
    await wide.close();
    const { rows: shown, receipt } = result.structuredContent as unknown as {
      rows: { bounds?: object }[];
      receipt: { notes: string[] };
    };
    process.stdout.write(
      `tokens of the longest conversions: ${countBoth(result)} of 8000, ${shown.length} rows\n`,
    );
    expect(countBoth(result)).toBeLessThanOrEqual(8_000);
    expect(shown.length).toBeGreaterThan(40);
    expect(shown.every(({ bounds }) => bounds !== undefined)).toBe(true);
    expect(receipt.notes[0]).toContain(`Only the first ${shown.length} of 1200 rows are shown (limit 1000)`);
  });

  const answerWith = (body: unknown) => connectInProcess({ fetch: async () => Response.json(body) });
  const period = {
    from: "2025-11-22",
    to: "2026-11-21",
    days: 365,
    timezone: "Europe/Berlin",
    partial: true,
    complete_through: "2026-11-20",
    as_of: "2026-11-21T05:05:10+01:00",
  };
  const site = { id: "site_7f3k", domain: "example.com" };
  const countRow = (value: string, index: number, total: number) => {
    const visitors = 10_000 - index;
    const percentage = Math.round((1_000 * visitors) / total) / 10;
    return { value, label: value, visitors, pageviews: 100_000 - index, percentage };
  };
  const makers: [string, (index: number) => string][] = [
    ["plain paths", (index) => `/blog/how-we-count-visitors-${index}`],
    [
      "random letters",
      (index) => `/${Math.sin(index).toString(36).slice(2)}${Math.cos(index).toString(36).slice(2)}`,
    ],
    [
      "capitals",
      (index) =>
        String.fromCharCode(...Array.from({ length: 90 }, (_, at) => 65 + ((at * 7 + index * 11) % 26))),
    ],
    [
      "punctuation",
      (index) =>
        Array.from({ length: 90 }, (_, at) => "!@#$%^&*()_+=<>~"[(at * 5 + index * 3) % 16]).join(""),
    ],
    [
      "emoji",
      (index) =>
        String.fromCodePoint(...Array.from({ length: 60 }, (_, at) => 0x1f300 + ((at * 13 + index) % 500))),
    ],
    [
      "rare scripts",
      (index) =>
        String.fromCodePoint(...Array.from({ length: 60 }, (_, at) => 0x12000 + ((at * 17 + index) % 900))),
    ],
    ["digits", (index) => `/${String(index * 7_919_993).repeat(9)}`],
  ];

  it.each(makers)("a breakdown of a thousand rows of %s", async (_, make) => {
    const rows = Array.from({ length: 1_000 }, (_, index) => {
      const value = `${make(index)}${index}`;
      return countRow(value, index, 34_602);
    });
    const client = await answerWith({
      site,
      period,
      dimension: "pages",
      rows,
      limit: 1000,
      total_rows: 1000,
      truncated: false,
      totals: { visitors: 34_602, pageviews: 999_999_999 },
    });
    const result = await client.callTool("get_breakdown", {
      site: "example.com",
      dimension: "pages",
      limit: 1000,
      days: 365,
    });
    const structured = result.structuredContent as {
      rows: unknown[];
      receipt: { notes: string[]; command: string };
    };
    expect(countBoth(result)).toBeLessThanOrEqual(8_000);
    const shown = structured.rows.length;
    expect(shown).toBeGreaterThan(10);
    expect(structured.receipt.notes[0]).toBe(
      `Only the first ${shown} of 1000 rows are shown (limit 1000), to keep the answer short; a filter such as pages=/a* lists a part of them whole.`,
    );
    expect(textOf(result)).toContain(structured.receipt.notes[0]);
    await client.close();
  });

  it.each([
    [1_000, 1_000],
    [557, 557],
    [4_321, 1_000],
  ])(
    "a breakdown with %d rows, of which the service sends %d, gives its counts once and the same in both forms",
    async (total, sent) => {
      const rows = Array.from({ length: sent }, (_, index) => {
        const value = `/blog/how-we-count-visitors-${index}`;
        return countRow(value, index, 99_999);
      });
      const client = await answerWith({
        site,
        period,
        dimension: "pages",
        rows,
        limit: 1000,
        total_rows: total,
        truncated: total > sent,
        totals: { visitors: 99_999, pageviews: 999_999 },
      });
      const asked = { site: "example.com", dimension: "pages", limit: 1000, days: 365 };
      const result = await client.callTool("get_breakdown", asked);
      const {
        rows: shown,
        receipt,
        ...structured
      } = result.structuredContent as {
        rows: unknown[];
        receipt: { notes: string[] };
      };
      expect(shown.length).toBeLessThan(sent);
      expect(structured).toMatchObject({ limit: 1000, total_rows: total, truncated: true });
      const said = `Only the first ${shown.length} of ${total} rows are shown (limit 1000), to keep the answer short; a filter such as pages=/a* lists a part of them whole.`;
      const counted = /(All|Showing|Only).*rows/;
      expect(receipt.notes.filter((note) => counted.test(note))).toEqual([said]);
      expect(
        textOf(result)
          .split("\n")
          .filter((line) => counted.test(line)),
      ).toEqual([said]);
      await client.close();
    },
  );

  it.each(makers)("an overview and a comparison of a site with %s in every list", async (_, make) => {
    const { api } = createTestApi();
    const client = await connectInProcess({
      fetch: async (url, init) => {
        const response = await api(new Request(url, init));
        if (!url.includes("/breakdown")) return response;
        const body = (await response.json()) as { rows: { value: string; label: string }[] };
        for (const [index, row] of body.rows.entries()) {
          row.value = `${index}${make(index).repeat(9)}`;
          row.label = `${make(index).repeat(9)}${index}`;
        }
        return Response.json({ ...body, period: { ...(body as { period?: object }).period } });
      },
    });
    for (const name of ["get_overview", "compare_periods"]) {
      const result = await client.callTool(name, { site: "example.com" });
      expect(result.isError).toBeFalsy();
      expect(countBoth(result)).toBeLessThanOrEqual(8_000);
    }
    await client.close();
  });

  it("six months of an ordinary site fit completely", async () => {
    const result = await call("get_timeseries", { site: "example.com", days: 184 });
    const { points } = result.structuredContent as { points: unknown[] };
    expect(points).toHaveLength(184);
    expect(countBoth(result)).toBeLessThanOrEqual(8_000);
  });

  it.each(operations.map(({ name }) => [name]))("the description of %s", async (operation) => {
    const result = await call("get_openapi", { operation });
    expect(result.isError).toBeFalsy();
    expect(countBoth(result)).toBeLessThanOrEqual(8_000);
  });

  it("a year of a huge site keeps the newest days and says so", async () => {
    const points = Array.from({ length: 365 }, (_, index) => ({
      date: new Date(Date.UTC(2025, 10, 22 + index)).toISOString().slice(0, 10),
      visitors: 1_234_567_890 + index,
      pageviews: 12_345_678_901 + index,
    }));
    const client = await answerWith({ site, period, interval: "day", points });
    const result = await client.callTool("get_timeseries", {
      site: "example.com",
      days: 365,
    });
    const structured = result.structuredContent as { points: typeof points };
    expect(structured.points.length).toBeLessThan(365);
    expect(structured.points.at(-1)).toEqual(points.at(-1));
    expect(textOf(result)).toContain(`Only the last ${structured.points.length} of 365 points are shown`);
    expect(countBoth(result)).toBeLessThanOrEqual(8_000);
    await client.close();
  });
});
