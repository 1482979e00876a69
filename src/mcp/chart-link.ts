/** The MCP Apps extension (2026-01-26): hosts that support it show the chart with the answers of two tools. */
export const CHART_EXTENSION = "io.modelcontextprotocol/ui";
/** The member of an answer's `_meta` that has the chart's data in full. */
export const CHART_DATA = "analytics-mcp/chart";
const CHART_URI = "ui://analytics-mcp/chart.html";
const CHART_TOOLS = new Set(["get_overview", "compare_periods"]);

/** Links a tool to the chart that draws its answers. */
export function linkChart(tool: string): { _meta?: Record<string, unknown> } {
  return CHART_TOOLS.has(tool) ? { _meta: { ui: { resourceUri: CHART_URI } } } : {};
}

export const chartResource = {
  uri: CHART_URI,
  name: "chart",
  title: "Chart",
  description: "A chart of an overview or a comparison, for hosts that support MCP Apps.",
  mimeType: "text/html;profile=mcp-app",
  // Without `csp` the host allows no network access, and the page needs none.
  _meta: { ui: { prefersBorder: true } },
};
