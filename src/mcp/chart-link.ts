/** The MCP Apps extension (2026-01-26): a host that knows it shows this page beside the two tools' answers. */
export const CHART_EXTENSION = "io.modelcontextprotocol/ui";
export const CHART_URI = "ui://analytics-mcp/chart.html";
const CHART_TOOLS = new Set(["get_overview", "compare_periods"]);

/** Links a tool to its picture. */
export function linkChart(tool: string): { _meta?: Record<string, unknown> } {
  return CHART_TOOLS.has(tool) ? { _meta: { ui: { resourceUri: CHART_URI } } } : {};
}
