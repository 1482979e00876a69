import { HttpResponse, http } from "msw";
import { beforeEach, expect, it, vi } from "vitest";
import * as z from "zod";
import { sections } from "../../src/conform/rules/sections.ts";
import { buildLlmsTxt } from "../../src/documents/llms.ts";
import { buildOpenApi } from "../../src/documents/openapi-document.ts";
import { queries } from "../../src/reports/queries.ts";
import { connectInProcess } from "../support/clients.ts";
import { BASE, fakeNetwork, service } from "../support/network.ts";
import { runShell } from "../support/shell.ts";

// Besides its own file, a new endpoint changes only one line in the list of operations.
vi.mock("../../src/operations/index.ts", async (importOriginal) => {
  const original = await importOriginal<typeof import("../../src/operations/index.ts")>();
  const { defineOperation } = await import("../../src/operations/operation.ts");
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
  return { ...original, operations: [...original.operations, funnels] };
});

const { network } = fakeNetwork();
const answer = { site: { domain: "example.com" }, visitors: 12 };
beforeEach(() => {
  network.use(http.get(`${BASE}/api/v1/funnels`, () => HttpResponse.json(answer)));
});
const shell = (...argv: string[]) => runShell(argv, { environment: { ...service, NO_COLOR: "1" } });

it("is a tool that answers", async () => {
  const client = await connectInProcess({
    fetch: async () => Response.json(answer),
  });
  const tool = (await client.listTools()).tools.find(({ name }) => name === "get_funnels");
  expect(tool).toMatchObject({ title: "Funnels", inputSchema: { properties: { step: { default: "pay" } } } });
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
  const complete = async (...words: string[]) => (await shell("complete", "--", ...words)).stdout;
  expect(await complete("")).toContain("funnels\tHow many visitors");
  expect(await complete("funnels", "--step", "")).toBe("cart\t\npay\t\n");
});

it("is in the OpenAPI document, in llms.txt and in what conform checks", async () => {
  expect(buildOpenApi().paths).toHaveProperty(["/funnels", "get", "operationId"], "funnels");
  const llms = buildLlmsTxt(queries);
  expect(llms).toContain("`GET /api/v1/funnels` (site, step=pay): How many visitors");
  expect(llms).toContain("`get_funnels` (shell: `analytics-mcp funnels`)");
  const rules = sections.find(({ name }) => name === "funnels")?.rules;
  expect(rules?.map(({ id, title }) => [id, title])).toEqual([
    ["funnels.answer", "/funnels answers 200 with site and visitors."],
  ]);
  expect((await shell("conform", "--list")).stdout).toContain("funnels.answer");
});
