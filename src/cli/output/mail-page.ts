import { createFormat, type Format } from "../../mcp/chart/format.ts";
import { type Day, readPoints, type Trend, titleOf } from "../../mcp/chart/trend-days.ts";
import type { Cell, Column, View } from "../../operations/view.ts";
import { cleanRows } from "../../render/clean-rows.ts";
import { type Html, html, printHtml, trustMarkup } from "../../render/html.ts";
import { createCellFormat, isNumeric } from "../../render/table-cells.ts";
import type { Screen } from "../../render/terminal-screen.ts";

/** What a mail says, in order. */
export interface MailContent {
  title: string;
  /** What the days are about, in a sentence or two. */
  lead: readonly string[];
  /** Without which the numbers mean something else. */
  warnings: readonly string[];
  views: readonly View[];
  trend: Trend | undefined;
  /** The command that shows the rest. */
  command: string;
  notes: readonly string[];
}

/** The colours of the chart (`chart.css`), as most mail programs know neither its mixed colours nor its variables. */
const light = {
  paper: "#ffffff",
  ink: "#17191e",
  accent: "#2b5fd9",
  soft: "#58595e",
  hair: "#e2e2e3",
  wash: "#e4edfd",
};
const dark = {
  paper: "#1a1b1e",
  ink: "#eeeff2",
  accent: "#85a9ff",
  soft: "#a3a4a7",
  hair: "#2d2e31",
  wash: "#2d3445",
};

const paint = ({ paper, ink, accent, soft, hair, wash }: typeof light) => `
body { background: ${paper}; color: ${ink}; }
.s, th, .x td { color: ${soft}; }
th, td, code { border-color: ${hair}; }
.w { border-color: ${accent}; }
.up { color: ${accent}; }
.b { background: ${accent}; }
.o { background: ${wash}; }`;

/** Mail programs show no scripts, often no pictures, and only simple styles. */
const STYLE = trustMarkup(`
:root { color-scheme: light dark; }
body { margin: 0; font: 14px/1.45 -apple-system, "Segoe UI", Roboto, Helvetica, Arial, sans-serif; }
.p { max-width: 560px; margin: 0 auto; padding: 20px; overflow-wrap: anywhere; }
h1 { margin: 0 0 12px; font-size: 16px; }
p { margin: 0 0 12px; }
.l { font-size: 18px; line-height: 1.35; }
.w { border-left: 2px solid; padding-left: 10px; }
table { width: 100%; border-collapse: collapse; margin: 0 0 18px; }
th, td { padding: 4px 0 4px 12px; border-bottom: 1px solid; font-weight: 400; text-align: left; vertical-align: top; }
th { font-size: 12px; }
th:first-child, td:first-child { padding-left: 0; }
.n { width: 13%; text-align: right; white-space: nowrap; }
.c, .x { table-layout: fixed; margin: 0; }
.c td, .x td { padding: 0 1px; border: 0; text-align: center; vertical-align: bottom; font-size: 11px; }
.d td { padding: 0; }
.x { margin-bottom: 18px; }
code { display: block; border: 1px solid; border-radius: 6px; padding: 6px 10px; font-size: 12px; }
.s { font-size: 12px; }
${paint(light)}
@media (prefers-color-scheme: dark) {${paint(dark)}
}
@media (max-width: 480px) {
  .p { padding: 16px 12px; }
  th, td { padding-left: 8px; font-size: 12px; }
}
`);

/** A letter as the page of a mail, at most 600 pixels wide. It needs no script and loads nothing. */
export function formatMailPage(content: MailContent, screen: Screen): string {
  const { title, lead, warnings, views, trend, command, notes } = content;
  const [totals, ...lists] = views.map((view) => formatTable(view, screen));
  return `<!doctype html>\n${printHtml(html`<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<style>${STYLE}</style></head>
<body><div class="p">
<h1>${title}</h1>
${lead.map((sentence) => html`<p class="l"><a>${sentence}</a></p>\n`)}${warnings.map((sentence) => html`<p class="w">${sentence}</p>\n`)}${totals}${trend && formatTrend(trend, screen)}${lists}<p class="s">The rest:</p>
<p><code>${command}</code></p>
<p class="s">${notes.join(" ")}</p>
</div></body></html>`)}\n`;
}

function formatTable(view: View, screen: Screen): Html {
  const format = createCellFormat(screen);
  const columns = view.columns.filter(({ machine, detail }) => machine !== true && detail !== true);
  if (view.rows.length === 0) return html``;
  const alignment = (column: Column) => (isNumeric(column) ? html` class="n"` : html``);
  const rows = cleanRows(view.rows, MAX_NAME).map((row) => {
    const cells = columns.map(
      (column) => html`<td${alignment(column)}>${formatText(column, format(column, row).trim(), row)}</td>`,
    );
    return html`<tr>${cells}</tr>\n`;
  });
  const head = columns.map((column) => html`<th${alignment(column)}>${column.label}</th>`);
  return html`<table><tr>${head}</tr>\n${rows}</table>\n`;
}

/** More of a name would make a letter long. */
const MAX_NAME = 80;

function formatText(column: Column, text: string, row: Record<string, Cell>): Html {
  const cell = row[column.key];
  // Mail programs make links of text that looks like an address, but not within an anchor.
  if (!isNumeric(column)) return html`<a>${text}</a>`;
  if (column.kind !== "percent_change" || typeof cell !== "number" || cell <= 0) return html`${text}`;
  return html`<span class="up">${text}</span>`;
}

const CHART_HEIGHT = 90;
/** Up to so many bars have their number and their day. */
const MAX_LABELLED = 8;
/** Of more bars, none has space around it. */
const MAX_SPACED = 62;

/** Bars from zero, so that a mail program that knows only tables can draw them. A day without data has none. */
function formatTrend(trend: Trend, { locale }: Screen): Html {
  const days = readPoints(trend, "visitors");
  const format = createFormat(locale);
  const highest = Math.max(1, ...days.map(({ count }) => count));
  const isLabelled = days.length <= MAX_LABELLED;
  const bars = days.map(({ count, missing, open }) => {
    const number = missing ? "–" : isLabelled ? format.count(count) : "";
    const height = String(Math.round((CHART_HEIGHT * count) / highest));
    return html`<td>${number}${missing ? html`` : html`<div class="${open ? "o" : "b"}" style="height:${height}px"></div>`}</td>`;
  });
  const most = isLabelled ? "" : `, highest: ${format.count(highest)}`;
  return html`<p class="s">${titleOf(days, "visitors")}${most}</p>
<table class="c${days.length > MAX_SPACED ? " d" : ""}"><tr>${bars}</tr></table>
<table class="x"><tr>${labelDays(days, isLabelled, format)}</tr></table>\n`;
}

/** Each day, or the first and the last one. */
function labelDays(days: readonly Day[], isLabelled: boolean, format: Format): Html[] {
  const [first, last] = [days[0]?.name ?? "", days.at(-1)];
  if (isLabelled) return days.map(({ name }) => html`<td>${format.weekday(name)}</td>`);
  return [
    html`<td style="text-align:left">${format.day(first)}</td>`,
    html`<td style="text-align:right">${format.day(last?.to ?? last?.name ?? "")}</td>`,
  ];
}
