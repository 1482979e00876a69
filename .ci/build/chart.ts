import type { Plugin } from "esbuild";

/** The chart's pages as data, in place of the module that bundles them. */
export const chartAsData: Plugin = {
  name: "chart-as-data",
  setup: ({ onLoad }) =>
    onLoad({ filter: /src.mcp.chart-pages\.ts$/ }, async () => {
      const pages = Object.entries(await import("../../src/mcp/chart-pages.ts"));
      return {
        contents: pages.map(([name, page]) => `export const ${name} = ${JSON.stringify(page)};`).join("\n"),
      };
    }),
};
