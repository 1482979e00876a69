import { readFileSync } from "node:fs";

/** In the order in which one may use the other. */
const SCRIPTS = [
  ...["format", "elements", "shapes", "scale", "trend-text", "trend-svg", "trend"],
  ...["draw-overview", "draw-comparison", "host", "host-style", "main"],
];

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
