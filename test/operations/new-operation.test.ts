import { HttpResponse, http } from "msw";
import { beforeEach, describe, expect, it, vi } from "vitest";
import * as z from "zod";
import { sections } from "../../src/conform/rules/sections.ts";
import { buildLlmsTxt } from "../../src/documents/llms.ts";
import { buildOpenApi } from "../../src/documents/openapi-document.ts";
import { stats } from "../../src/operations/index.ts";
import { queries } from "../../src/reports/queries.ts";
import { edit, on } from "../conform/breach.ts";
import {
  check,
  createService as createFullService,
  limitVisitors,
  type Service,
} from "../conform/service.ts";
import { connectInProcess } from "../support/clients.ts";
import { BASE, fakeNetwork, service } from "../support/network.ts";
import { runShell } from "../support/shell.ts";

// Besides its own file, a new endpoint changes only one line in the list of operations.
vi.mock("../../src/operations/index.ts", async (importOriginal) => {
  const original = await importOriginal<typeof import("../../src/operations/index.ts")>();
  const { defineOperation } = await import("../../src/operations/operation.ts");
  const { count, daysParam, siteParam, siteRef, spanParams } = await import("../../src/operations/fields.ts");
  const { describePeriod, period } = await import("../../src/operations/period.ts");
  const { warnings } = await import("../../src/operations/warning.ts");
  const funnels = defineOperation({
    name: "funnels",
    path: "/funnels",
    summary: "How many visitors reach each step of a funnel",
    description: "Visitors by step.",
    tool: { name: "get_funnels", title: "Funnels", description: "Visitors who reach each step." },
    shell: { examples: ["analytics-mcp funnels --site example.com --step pay"], fields: "step,visitors" },
    conform: {
      section: "funnels",
      ask: (site) => ({ site }),
      members: "site and visitors",
      fix: "counts are whole numbers from 0",
    },
    maxAge: 60,
    params: () =>
      z.strictObject({
        site: z.string().min(1).max(253).describe("Site id or domain."),
        step: z.enum(["cart", "pay"]).default("pay").describe("The last step."),
      }),
    result: () => z.object({ site: z.object({ domain: z.string() }), visitors: z.int() }),
    view: ({ site, visitors }, { step }) => ({
      headline: `${site.domain}, up to ${step}`,
      columns: [
        { key: "step", label: "step", kind: "text" },
        { key: "visitors", label: "visitors", kind: "count" },
      ],
      rows: [{ step, visitors }],
      notes: [],
    }),
  });
  // It takes days, but has neither visitors nor page views, and no totals.
  const goals = defineOperation({
    name: "goals",
    path: "/goals",
    summary: "How often visitors reach a goal",
    description: "Goals reached.",
    tool: { name: "get_goals", title: "Goals", description: "How often visitors reach a goal." },
    shell: { examples: ["analytics-mcp goals example.com --period last-week"], fields: "reached" },
    conform: {
      section: "goals",
      ask: (site) => ({ site, days: 30 }),
      members: "site, period and reached",
      fix: "counts are whole numbers from 0",
    },
    maxAge: 60,
    params: () => z.strictObject({ site: siteParam, days: daysParam }),
    optionalParams: spanParams,
    result: () => z.object({ site: siteRef, period, reached: count, warnings }),
    view: ({ site, period, reached, warnings }) => ({
      headline: site.domain,
      columns: [{ key: "reached", label: "reached", kind: "count" }],
      rows: [{ reached }],
      ...describePeriod(period, warnings),
    }),
  });
  return { ...original, operations: [...original.operations, funnels, goals] };
});

/** Enough, since nothing here looks at the numbers. */
const fixtures = limitVisitors(40, 20);
const createService = () => createFullService(undefined, fixtures);

const { network, api } = fakeNetwork();
const answer = { site: { domain: "example.com" }, visitors: 12 };
const shell = (...argv: string[]) => runShell(argv, { environment: { ...service, NO_COLOR: "1" } });
const complete = async (...words: string[]) => (await shell("complete", "--", ...words)).stdout;
const rulesOf = (section: string) => sections.find(({ name }) => name === section)?.rules ?? [];

describe("a new operation", () => {
  beforeEach(() => {
    network.use(http.get(`${BASE}/api/v1/funnels`, () => HttpResponse.json(answer)));
  });

  it("is a tool that answers", async () => {
    const client = await connectInProcess({
      fetch: async () => Response.json(answer),
    });
    const tool = (await client.listTools()).tools.find(({ name }) => name === "get_funnels");
    expect(tool).toMatchObject({
      title: "Funnels",
      inputSchema: { properties: { step: { description: expect.stringContaining("Default pay.") } } },
    });
    const result = await client.callTool("get_funnels", { site: "example.com" });
    expect(result.structuredContent).toMatchObject({ visitors: 12 });
    await client.close();
  });

  it("is a command with its options, examples and completion", async () => {
    expect((await shell("funnels", "--site", "example.com", "--step", "cart")).stdout).toBe(
      "step\tvisitors\ncart\t12\n",
    );
    expect((await shell("--help")).stdout).toContain("funnels");
    const help = (await shell("funnels", "--help")).stdout.replace(/\s+/g, " ");
    expect(help).toContain("analytics-mcp funnels --site example.com --step pay");
    expect(help).toContain("such as step,visitors");
    expect(help).not.toContain("undefined");
    expect(help).not.toContain("--period");
    expect(await complete("")).toContain("funnels\tHow many visitors");
    expect(await complete("funnels", "--step", "")).toBe("cart\t\npay\t\n");
  });

  it("is in the OpenAPI document, in llms.txt and in what conform checks", async () => {
    expect(buildOpenApi().paths).toHaveProperty(["/funnels", "get", "operationId"], "funnels");
    const llms = buildLlmsTxt(queries);
    expect(llms).toContain("`GET /api/v1/funnels` (site, step=pay): How many visitors");
    expect(llms).toContain("`get_funnels` (shell: `analytics-mcp funnels`)");
    expect(rulesOf("funnels").map(({ id, title }) => [id, title])).toEqual([
      ["funnels.answer", "/funnels answers 200 with site and visitors."],
    ]);
    expect((await shell("conform", "--list")).stdout).toContain("funnels.answer");
  });
});

describe("a new operation that takes days", () => {
  /** The period of an answer of the reference API, with ten goals a day. */
  const countGoals = async (response: Response) => {
    const { site, period, warnings } = stats.result.parse(await response.json());
    return { site, period, warnings, reached: 10 * period.days };
  };
  /** The address of the answer with the same days. */
  const atStats = (url: string) => url.replace("/goals", "/stats");

  /** A service that offers any days, or only days that end today. */
  function offerGoals(hasSpans: boolean): string[] {
    const asked: string[] = [];
    network.use(
      http.get(`${BASE}/api/v1/goals`, async ({ request }) => {
        asked.push(new URL(request.url).search);
        return HttpResponse.json(await countGoals(await api(new Request(atStats(request.url), request))));
      }),
      http.get(`${BASE}/api/v1/openapi.json`, ({ request }) =>
        hasSpans ? api(request) : new HttpResponse(null, { status: 404 }),
      ),
    );
    return asked;
  }

  it("takes a period in the shell, with its spellings and completion", async () => {
    const asked = offerGoals(true);
    expect((await shell("goals", "example.com", "--period", "last-week")).stdout).toBe("reached\n70\n");
    expect((await shell("goals", "example.com", "--from", "2026-11-02", "--to", "2026-11-03")).stdout).toBe(
      "reached\n20\n",
    );
    expect(asked).toEqual([
      "?site=example.com&from=2026-11-09&to=2026-11-15",
      "?site=example.com&from=2026-11-02&to=2026-11-03",
    ]);
    expect((await shell("goals", "--help")).stdout).toContain("--period <period>");
    expect(await complete("goals", "--")).toMatch(/^--period\t/m);
    expect((await shell("goals", "example.com", "--period", "soon")).stderr).toContain("--period");
  });

  it("says what is possible if the service answers only for days that end today", async () => {
    const asked = offerGoals(false);
    expect((await shell("goals", "example.com", "--period", "this-month")).stdout).toBe("reached\n210\n");
    expect(asked).toEqual(["?site=example.com&days=21"]);
    const { code, stderr } = await shell("goals", "example.com", "--period", "last-week");
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining("for goals, this service only answers for days up to today"),
    ]);
  });

  it("takes a period as a tool", async () => {
    const client = await connectInProcess({
      fetch: async (url, init) => {
        const response = await api(new Request(atStats(url), init));
        return url.includes("/goals") ? Response.json(await countGoals(response)) : response;
      },
    });
    const tool = (await client.listTools()).tools.find(({ name }) => name === "get_goals");
    expect(tool).toHaveProperty("inputSchema.properties.period.description");
    const result = await client.callTool("get_goals", { site: "example.com", period: "last_week" });
    expect(result.structuredContent).toMatchObject({ reached: 70, period: { from: "2026-11-09" } });
    await client.close();
  });

  describe("is checked by conform's rules on days", () => {
    const withGoals: (service: Service) => Service = (service) => async (request, body) => {
      const response = await service(new Request(atStats(request.url), request), body);
      if (!request.url.includes("/goals") || response.status !== 200) return response;
      return new Response(JSON.stringify(await countGoals(response)), response);
    };
    const only = ["goals", "params", "period", "dates"];

    it("which it keeps, though it has no totals", async () => {
      const { failed, skipped } = await check(withGoals(createService()), { only });
      expect(failed).toEqual([]);
      expect(skipped).not.toContain("dates.same-numbers");
    });

    it.each([
      ["period.complete-through", "/goals", { from: null }],
      ["dates.period", "/goals", { days: null }],
    ])("or breaks: %s", async (rule, path, query) => {
      const spoil = edit(on(path, query), (body) => {
        body.period.complete_through = "2026-11-01";
      });
      const { failed } = await check(spoil(withGoals(createService())), { only });
      expect(failed).toEqual([rule]);
    });
  });
});
