import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { afterAll, expect, it } from "vitest";
import { connectInProcess, textOf } from "../support/clients.ts";

const client = await connectInProcess();
afterAll(() => client.close());

const call = (name: string, args: Record<string, unknown> = {}) => client.callTool(name, args);

it("get_openapi gives a summary, or one operation in full", async () => {
  const summary = await call("get_openapi");
  expect(textOf(summary)).toContain("/breakdown\tsite, dimension, limit, days, from, to, filter\t");
  const one = await call("get_openapi", { operation: "stats" });
  const { definition } = one.structuredContent as { definition: Record<string, unknown> };
  expect(definition["/stats"]).toMatchObject({ get: { operationId: "stats" } });
  expect(definition.components).toHaveProperty(["#/components/schemas/StatsAnswer"]);
  expect(textOf(one)).toContain('"operationId":"stats"');
});

it("a summary of a service with thousands of paths stays short", async () => {
  const paths = Object.fromEntries(
    Array.from({ length: 5_000 }, (_, index) => [
      `/path/${index}`,
      { get: { summary: "What it is for ".repeat(9) } },
    ]),
  );
  const large = await connectInProcess({
    fetch: async () => Response.json({ openapi: "3.1.1", info: { title: "x", version: "1" }, paths }),
  });
  const result = await large.callTool("get_openapi");
  const both = textOf(result) + JSON.stringify(result.structuredContent);
  expect(countTokens(both)).toBeLessThanOrEqual(8_000);
  expect(textOf(result)).toMatch(/Only \d+ of 5000 paths are shown\./);
  await large.close();
});
