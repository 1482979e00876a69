import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { connectInProcess, textOf } from "../support/clients.ts";

let client: Awaited<ReturnType<typeof connectInProcess>>;
beforeAll(async () => {
  client = await connectInProcess();
});
afterAll(() => client.close());

describe("the tool list", () => {
  it("is the published one (npx vitest run -u updates it)", async () => {
    const { tools } = await client.listTools();
    await expect(`${JSON.stringify(tools, null, 2)}\n`).toMatchFileSnapshot("../snapshots/tools.json");
  });

  it("has a read-only tool for each endpoint and insight", async () => {
    const tools = (await client.listTools()).tools as unknown as {
      name: string;
      title: string;
      description: string;
      annotations: object;
    }[];
    expect(tools.map((tool) => tool.name)).toEqual([
      ...["list_sites", "get_stats", "get_timeseries", "get_breakdown", "get_realtime", "get_openapi"],
      ...["get_overview", "compare_periods"],
    ]);
    for (const tool of tools) {
      expect(tool.title).toBeTruthy();
      expect(tool.annotations).toMatchObject({
        readOnlyHint: true,
        idempotentHint: true,
        openWorldHint: true,
        destructiveHint: false,
      });
    }
  });

  it("comes with instructions that hosts do not cut off", () => {
    expect(client.instructions()?.length).toBeLessThanOrEqual(2_048);
    expect(client.instructions()).toContain("last week");
  });
});

it("an unknown tool is -32602", async () => {
  await expect(client.callTool("get_everything")).rejects.toMatchObject({ code: -32602 });
});

it("a bug shows nothing of the inside", async () => {
  const broken = await connectInProcess({
    fetch: () => {
      throw new RangeError("secret of the inside");
    },
  });
  const result = await broken.callTool("list_sites");
  expect(result.isError).toBe(true);
  expect(textOf(result)).not.toContain("secret");
  await broken.close();
});
