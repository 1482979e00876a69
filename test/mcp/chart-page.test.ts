import { expect, it } from "vitest";
import { readChart } from "../../src/mcp/chart-page.ts";
import { connectInProcess } from "../support/clients.ts";

const URI = "ui://analytics-mcp/chart.html";

it("two tools refer to the page that draws their answers, and a client can read it", async () => {
  const client = await connectInProcess();
  const { tools } = await client.listTools();
  const drawn = tools.filter(({ _meta }) => JSON.stringify(_meta)?.includes(URI));
  expect(drawn.map(({ name }) => name)).toEqual(["get_overview", "compare_periods"]);
  const { contents } = await client.readResource(URI);
  expect(contents).toMatchObject([{ mimeType: "text/html;profile=mcp-app", text: readChart() }]);
  await client.close();
});

it("the page has its style and scripts inside, joined into one module", () => {
  expect(readChart()).toMatch(/^<!doctype html>[\s\S]*<\/html>\n$/);
  expect(readChart().match(/<script/g)).toHaveLength(1);
  expect(readChart()).not.toMatch(/^(import|export) /m);
});
