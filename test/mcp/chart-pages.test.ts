import { expect, it } from "vitest";
import { chartPage, reportPage } from "../../src/mcp/chart-pages.ts";
import { connectInProcess } from "../support/clients.ts";
import { runShell } from "../support/shell.ts";

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
  ["chart", chartPage, 1, 34_900],
  ["report", reportPage, 2, 22_000],
])("the page of the %s is one small document, with nothing to load", (_, page, scripts, most) => {
  expect(Buffer.byteLength(page)).toBeLessThan(most);
  expect(page).toMatch(
    /^<!doctype html>\n<html lang="en">[\s\S]*<style>[\s\S]*<script type="module">[\s\S]*<\/html>\n$/,
  );
  expect(page.match(/<script\b/g)).toHaveLength(scripts);
  expect(page.match(/<\/script/g)).toHaveLength(scripts);
  const code = page.replace("http://www.w3.org/2000/svg", "").replace(' href="data:', "");
  expect(code).not.toMatch(/\b(src|href)=|url\(|\b(import|export)\b|fetch\(|innerHTML|https?:/);
});

it("a report is at most 45 kB without its rows", async () => {
  const { stdout } = await runShell(["report", "--demo", "--period", "2026-10", "-o", "-"]);
  const bare = stdout.replaceAll(/<tr>.*?<\/tr>|<li class="filled">.*?<\/li>/gs, "");
  expect(stdout.length - bare.length).toBeGreaterThan(10_000);
  expect(Buffer.byteLength(bare)).toBeLessThanOrEqual(45_000);
});
