import { afterAll, describe, expect, it } from "vitest";
import { toolList } from "../../src/mcp/tool-list.ts";
import { dimensions } from "../../src/operations/dimensions.ts";
import { queries } from "../../src/reports/queries.ts";
import { findGateway } from "../../src/sources/gateways/gateway-kinds.ts";
import { connectInProcess, textOf } from "../support/clients.ts";

const client = await connectInProcess();
afterAll(() => client.close());

describe("the tool list", () => {
  it("reaches clients as it is", async () => {
    expect((await client.listTools()).tools).toEqual(toolList);
  });

  it("has a read-only tool for each operation and report, in their order", async () => {
    const tools = (await client.listTools()).tools as unknown as {
      name: string;
      title: string;
      description: string;
      annotations: object;
    }[];
    expect(tools.map((tool) => tool.name)).toEqual(queries.map(({ tool }) => tool.name));
    for (const tool of tools) {
      expect(tool.title).toBeTruthy();
      expect(tool.annotations).toMatchObject({
        readOnlyHint: true,
        openWorldHint: true,
        destructiveHint: false,
      });
    }
  });

  it.each([
    ["matomo", "hostnames"],
    ["plausible", "languages"],
    ["umami", undefined],
  ] as const)("leaves out what %s never has", async (service, lacking) => {
    const limited = await connectInProcess({ about: findGateway(service).about });
    const { tools } = await limited.listTools();
    await limited.close();
    const names = queries.map(({ tool }) => tool.name).filter((name) => !/crawlers|not_found/.test(name));
    expect(tools.map(({ name }) => name)).toEqual(names);
    const schemaOf = (tool: string): object => Object(tools.find(({ name }) => name === tool)).inputSchema;
    const offered = dimensions.filter((name) => name !== lacking);
    expect(schemaOf("get_breakdown")).toMatchObject({ properties: { dimension: { enum: offered } } });
  });

  it("comes with instructions short enough that hosts do not cut them off", () => {
    expect(client.instructions()?.length).toBeLessThanOrEqual(2_048);
    expect(client.instructions()).toContain("this_week, last_month");
  });

  it("comes without arithmetic for the model to do", () => {
    expect(client.instructions()).toContain("Do no arithmetic");
    // A service may count a visitor once per period.
    expect(client.instructions()).toContain("summed over days, unless a warning says otherwise");
    expect(client.instructions()).not.toMatch(/twice|subtract|sum those/i);
  });
});

it("an unknown tool is -32602", async () => {
  await expect(client.callTool("get_everything")).rejects.toMatchObject({ code: -32602 });
});

it("a bug shows no internal details", async () => {
  const broken = await connectInProcess({
    fetch: () => {
      throw new RangeError("an internal secret");
    },
  });
  const result = await broken.callTool("list_sites");
  expect(result.isError).toBe(true);
  expect(textOf(result)).not.toContain("secret");
  await broken.close();
});
