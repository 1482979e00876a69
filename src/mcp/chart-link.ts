/** The MCP Apps extension (2026-01-26): a host that knows it shows this page beside the two tools' answers. */
export const CHART_EXTENSION = "io.modelcontextprotocol/ui";
const CHART_URI = "ui://analytics-mcp/chart.html";
const CHART_TOOLS = new Set(["get_overview", "compare_periods"]);

/** Links a tool to its picture. */
export function linkChart(tool: string): { _meta?: Record<string, unknown> } {
  return CHART_TOOLS.has(tool) ? { _meta: { ui: { resourceUri: CHART_URI } } } : {};
}

export const chartResource = {
  uri: CHART_URI,
  name: "chart",
  title: "Chart",
  description: "A picture of an overview or a comparison, for hosts that show MCP Apps.",
  mimeType: "text/html;profile=mcp-app",
  // Without `csp` the host allows no network at all, which is what the page needs.
  _meta: { ui: { prefersBorder: true } },
};
