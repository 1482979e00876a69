import { readFileSync } from "node:fs";
import type { McpServer } from "@modelcontextprotocol/server";

/** The MCP Apps extension (2026-01-26): a host that knows it shows this page beside the two tools' answers. */
export const CHART_EXTENSION = "io.modelcontextprotocol/ui";
const CHART_URI = "ui://analytics-mcp/chart.html";
const CHART_TYPE = "text/html;profile=mcp-app";
const CHART_TOOLS = new Set(["get_overview", "compare_periods"]);
const HOUR_MS = 3_600_000;

/** In the order in which one may use the other. */
const SCRIPTS = [
  ...["format", "elements", "shapes", "scale", "trend-words", "trend-picture", "trend"],
  ...["overview", "comparison", "host", "surroundings", "main"],
];

/** What tells a host which of the tools have a picture. */
export function chartMetaOf(tool: string): { _meta?: Record<string, unknown> } {
  return CHART_TOOLS.has(tool) ? { _meta: { ui: { resourceUri: CHART_URI } } } : {};
}

/** Without `csp` the host allows no network at all, which is what the page needs. */
const ui = { prefersBorder: true };

export function registerChart(server: McpServer): void {
  server.registerResource(
    "chart",
    CHART_URI,
    {
      title: "Chart",
      description: "A picture of an overview or a comparison, for hosts that show MCP Apps.",
      mimeType: CHART_TYPE,
      _meta: { ui },
      cacheHint: { ttlMs: HOUR_MS, cacheScope: "public" },
    },
    () => ({ contents: [{ uri: CHART_URI, mimeType: CHART_TYPE, text: readChart(), _meta: { ui } }] }),
  );
}

let chart: string | undefined;

/** The page with its style and scripts inside, read when it is first asked for. */
export function readChart(): string {
  chart ??= read("chart.html")
    .replace(/<link rel="stylesheet".*>/, () => `<style>\n${read("chart.css")}</style>`)
    .replace(
      /<script.*<\/script>/,
      () => `<script type="module">\n${SCRIPTS.map(readScript).join("\n")}</script>`,
    );
  return chart;
}

/** The build copies the folder beside its own files, so this holds from `src/mcp/` and from `dist/`. */
const read = (name: string) => readFileSync(new URL(`./chart/${name}`, import.meta.url), "utf8");

/** One module of all: no name stands twice, and what a script takes from another is already there. */
const readScript = (name: string) =>
  read(`${name}.js`)
    .replace(/^import [^;]*;\n/gm, "")
    .replace(/^export /gm, "");
