import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { formatJson } from "../render/clean-text.ts";
import { cleanValue } from "../render/clean-value.ts";
import { iconUrl } from "../render/icon.ts";

/** In order: a script may use those before it. */
const DRAWING = [
  "format",
  "elements",
  "shapes",
  "scale",
  "trend-days",
  "trend-text",
  "trend-svg",
  "trend",
  "draw-overview",
  "draw-comparison",
  "view",
];

let chart: string | undefined;

/** The page that a host shows, with its styles and scripts inlined. It is built when first requested. */
export function readChart(): string {
  chart ??= inline("chart.html", ["chart.css"], ["host", "host-style", "main"]).page;
  return chart;
}

/**
 * The same drawing as a file of its own: it holds its answer, loads nothing, and a policy lets nothing else run.
 *
 * @param report An overview, raw, and sentences on it.
 */
export function buildReportPage(
  title: string,
  { result, notes }: { result: Record<string, unknown>; notes: readonly string[] },
): string {
  const { page, style, script } = inline("report.html", ["chart.css", "print.css"], ["report"]);
  // A tool's answer has its notes in a receipt.
  const answer = { ...cleanValue(result), receipt: { notes } };
  const values: Record<string, string> = {
    policy: [
      "default-src 'none'",
      `script-src '${hash(script)}'`,
      `style-src '${hash(style)}'`,
      "img-src data:",
      "base-uri 'none'",
      "form-action 'none'",
    ].join("; "),
    title: escapeHtml(title),
    icon: iconUrl,
    // Nothing in it can end the element or begin a comment.
    answer: formatJson(answer).replaceAll("<", "\\u003c"),
  };
  return page.replace(
    /"\{\{(answer)\}\}"|\{\{(policy|title|icon)\}\}/g,
    (_, data?: string, name?: string) => {
      return values[data ?? name ?? ""] ?? "";
    },
  );
}

function inline(template: string, styles: readonly string[], scripts: readonly string[]) {
  const style = `\n${styles.map(read).join("\n")}`;
  const script = `\n${[...DRAWING, ...scripts].map(readScript).join("\n")}`;
  const page = read(template)
    .replace(/<link rel="stylesheet".*>/, () => `<style>${style}</style>`)
    .replace(/<script type="module".*<\/script>/, () => `<script type="module">${script}</script>`);
  return { page, style, script };
}

/** The source expression of Content-Security-Policy for an inline element with that text. */
const hash = (text: string) => `sha256-${createHash("sha256").update(text).digest("base64")}`;

const escapeHtml = (text: string) => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

/** The build copies the folder next to its output, so this path works from `src/mcp/` and from `dist/`. */
const read = (name: string) => readFileSync(new URL(`./chart/${name}`, import.meta.url), "utf8");

/** Removes imports and exports: all scripts become one module, so no name may be defined twice. */
const readScript = (name: string) =>
  read(`${name}.js`)
    .replace(/^import [^;]*;\n/gm, "")
    .replace(/^export /gm, "");
