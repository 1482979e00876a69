import { Ajv2020 } from "ajv/dist/2020.js";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { beforeAll, expect, it } from "vitest";
import type { JsonSchema } from "../../src/operations/json-schema.ts";
import { queries } from "../../src/reports/queries.ts";
import { GLOBEX_KEY } from "../support/api.ts";
import { connectInProcess } from "../support/clients.ts";

interface Tool {
  name: string;
  description: string;
  inputSchema: {
    additionalProperties: boolean;
    required?: string[];
    properties: Record<string, { description: string }>;
  };
  outputSchema: JsonSchema;
}

let tools: Tool[];
beforeAll(async () => {
  const client = await connectInProcess();
  await client.listTools();
  // The server's own text: clients reorder members, which changes the number of tokens.
  ({ tools } = JSON.parse(client.lastFrame()).result);
  await client.close();
});

it("every tool takes strict arguments, each with a description, and never requires a site", () => {
  expect(tools).toHaveLength(queries.length);
  for (const { inputSchema } of tools) {
    expect(inputSchema.additionalProperties).toBe(false);
    expect(inputSchema.required ?? []).not.toContain("site");
    for (const property of Object.values(inputSchema.properties)) expect(property.description).toBeTruthy();
  }
});

it("every tool answers with an object", () => {
  expect(tools.map(({ outputSchema }) => outputSchema.type)).toEqual(tools.map(() => "object"));
});

it("every member of an output schema has one type, or a type for each branch", () => {
  const seen: unknown[] = [];
  const visit = (schema: JsonSchema) => {
    seen.push(schema);
    const { type, anyOf, properties = {}, items, required = [] } = schema;
    if (Array.isArray(anyOf)) for (const branch of anyOf) visit(branch);
    else expect(type).toEqual(expect.any(String));
    expect(Object.keys(properties)).toEqual(expect.arrayContaining(required));
    for (const property of Object.values(properties)) visit(property);
    if (items) visit(items);
  };
  for (const { outputSchema } of tools) visit(outputSchema);
  expect(seen.length).toBeGreaterThan(100);
});

it.each([
  ["list_sites", {}],
  ["get_stats", {}],
  ["get_timeseries", {}],
  ["get_breakdown", { dimension: "countries" }],
  ["get_breakdown", { dimension: "events" }],
  ["get_crawlers", {}],
  ["get_not_found", {}],
  ["get_realtime", {}],
  ["get_openapi", {}],
  ["get_openapi", { operation: "stats" }],
  ["get_overview", {}],
  ["compare_periods", {}],
  ["get_conversions", { goal: "events=signup" }],
  ["get_conversions", { goal: "events=signup", by: "channels" }],
])("an answer of %s matches its output schema: %j", async (name, args) => {
  const client = await connectInProcess();
  const site = name === "list_sites" || name === "get_openapi" ? {} : { site: "example.com" };
  const result = await client.callTool(name, { ...site, ...args });
  await client.close();
  const schema = tools.find((tool) => tool.name === name)?.outputSchema ?? {};
  const validate = new Ajv2020().compile(schema);
  expect([validate(result.structuredContent), validate.errors]).toEqual([true, null]);
  expect(schema.required).toContain("receipt");
});

it("every tool keeps its budget of tokens, and so does the list", () => {
  const costs = tools.map(({ outputSchema, ...bare }) => ({
    name: bare.name,
    whole: countTokens(JSON.stringify({ ...bare, outputSchema })),
    bare: countTokens(JSON.stringify(bare)),
  }));
  const sum = (kind: "whole" | "bare") => costs.reduce((total, cost) => total + cost[kind], 0);
  const [whole, bare] = [sum("whole"), sum("bare")];
  process.stdout.write(
    `tokens of the list of tools: ${whole} of 5000, ${bare} of 2700 without output schemas\n`,
  );
  expect(whole).toBeLessThanOrEqual(5000);
  expect(bare).toBeLessThanOrEqual(2700);
  expect(costs.filter(({ whole, bare }) => whole > 750 || bare > 470)).toEqual([]);
});

it("what cannot be asked is in the tools for general questions", () => {
  const said = tools.filter(({ description }) => /No revenue, cohorts, returning/.test(description));
  expect(said.map(({ name }) => name)).toEqual(["get_stats", "get_overview"]);
});

it("what visitors are is in each tool that counts them by day", () => {
  const said = tools.filter(({ description }) => /Visitors: daily uniques, added up\./.test(description));
  expect(said.map(({ name }) => name)).toEqual([
    "get_stats",
    "get_timeseries",
    "get_breakdown",
    "get_overview",
    "compare_periods",
    "get_conversions",
  ]);
});

it.each([
  ["digits as text", "get_breakdown", { dimension: "pages", limit: "5", days: "7" }],
  ["null", "get_breakdown", { dimension: "pages", site: null, limit: null, days: null, period: null }],
  ["null", "compare_periods", { against: null, dimension: null, limit: null, order: null }],
  ["digits as text", "get_conversions", { goal: "pages=/", limit: "5", by: null, filter: "countries=DE" }],
  ["an empty text", "get_stats", { site: "", period: "" }],
])("the published schema accepts what the server accepts: %s for %s", async (_, name, args) => {
  const { inputSchema } = tools.find((tool) => tool.name === name) ?? {};
  const validate = new Ajv2020().compile(inputSchema ?? {});
  expect([validate(args), validate.errors]).toEqual([true, null]);
  const client = await connectInProcess({ key: GLOBEX_KEY });
  expect((await client.callTool(name, args)).isError).toBeFalsy();
  await client.close();
});

it("no parameter that a period excludes has a default that a host could fill in", () => {
  const filled = tools.filter(({ inputSchema: { properties } }) => "default" in (properties.days ?? {}));
  expect(filled).toEqual([]);
});
