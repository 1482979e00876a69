import { expect, it } from "vitest";
import { chartPage, reportPage } from "../../src/mcp/chart-pages.ts";
import { connectInProcess } from "../support/clients.ts";

const URI = "ui://analytics-mcp/chart.html";

it("two tools refer to the chart, the server announces the extension, and a client can read the page", async () => {
  const client = await connectInProcess({ demo: true });
  const { tools } = await client.listTools();
  const withChart = tools.filter((tool) => "_meta" in tool);
  expect(withChart.map(({ name, _meta }) => [name, _meta])).toEqual([
    ["get_overview", { ui: { resourceUri: URI } }],
    ["compare_periods", { ui: { resourceUri: URI } }],
  ]);
  expect(client.capabilities()?.extensions).toEqual({ "io.modelcontextprotocol/ui": {} });
  const { contents, ...hint } = await client.readResource(URI);
  expect(contents).toEqual([
    {
      uri: URI,
      mimeType: "text/html;profile=mcp-app",
      text: chartPage,
      _meta: { ui: { prefersBorder: true } },
    },
  ]);
  expect(hint).toMatchObject({ ttlMs: 3_600_000, cacheScope: "public" });
  await client.close();
});

it.each([
  ["chart", chartPage, 1],
  ["report", reportPage, 2],
])("the page of the %s is one document of less than 35 kB, with nothing to load", (_, page, scripts) => {
  expect(Buffer.byteLength(page)).toBeLessThan(35_000);
  expect(page).toMatch(
    /^<!doctype html>\n<html lang="en">[\s\S]*<style>[\s\S]*<script type="module">[\s\S]*<\/html>\n$/,
  );
  expect(page.match(/<script\b/g)).toHaveLength(scripts);
  expect(page.match(/<\/script/g)).toHaveLength(scripts);
  const code = page.replace("http://www.w3.org/2000/svg", "").replace(' href="data:', "");
  expect(code).not.toMatch(/\b(src|href)=|url\(|\b(import|export)\b|fetch\(|innerHTML|https?:/);
});
