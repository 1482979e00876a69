import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { beforeAll, expect, it } from "vitest";
import { connectInProcess } from "../support/clients.ts";

interface Tool {
  inputSchema: {
    additionalProperties: boolean;
    required?: string[];
    properties: Record<string, { description: string }>;
  };
  outputSchema: { type: string };
}

let tools: Tool[];
beforeAll(async () => {
  const client = await connectInProcess();
  await client.listTools();
  // As the server wrote it: clients reorder the members, which changes the number of tokens.
  ({ tools } = JSON.parse(client.lastFrame()).result);
  await client.close();
});

it("every tool takes strict arguments, each with a description, and never requires a site", () => {
  expect(tools).toHaveLength(8);
  for (const { inputSchema } of tools) {
    expect(inputSchema.additionalProperties).toBe(false);
    expect(inputSchema.required ?? []).not.toContain("site");
    for (const property of Object.values(inputSchema.properties)) expect(property.description).toBeTruthy();
  }
});

it("every tool answers with an object", () => {
  expect(tools.map(({ outputSchema }) => outputSchema.type)).toEqual(tools.map(() => "object"));
});

it("the tool list costs at most 3,000 tokens, and 1,500 without output schemas", () => {
  const bare = tools.map(({ outputSchema: _, ...tool }) => tool);
  const [all = 0, without = 0] = [tools, bare].map((each) => countTokens(JSON.stringify(each)));
  process.stdout.write(
    `tokens of the tool list: ${all} of 3000, ${without} of 1500 without output schemas\n`,
  );
  expect(all).toBeLessThanOrEqual(3_000);
  expect(without).toBeLessThanOrEqual(1_500);
});
