import { readFileSync } from "node:fs";

/** In order: a script may use those before it. */
const SCRIPTS = [
  ...["format", "elements", "shapes", "scale", "trend-days", "trend-text", "trend-svg", "trend"],
  ...["draw-overview", "draw-comparison", "view", "host", "host-style", "main"],
];

let chart: string | undefined;

/** The page with its styles and scripts inlined, built when first requested. */
export function readChart(): string {
  chart ??= read("chart.html")
    .replace(/<link rel="stylesheet".*>/, () => `<style>\n${read("chart.css")}</style>`)
    .replace(
      /<script.*<\/script>/,
      () => `<script type="module">\n${SCRIPTS.map(readScript).join("\n")}</script>`,
    );
  return chart;
}

/** The build copies the folder next to its output, so this path works from `src/mcp/` and from `dist/`. */
const read = (name: string) => readFileSync(new URL(`./chart/${name}`, import.meta.url), "utf8");

/** Removes imports and exports: all scripts become one module, so no name may be defined twice. */
const readScript = (name: string) =>
  read(`${name}.js`)
    .replace(/^import [^;]*;\n/gm, "")
    .replace(/^export /gm, "");
