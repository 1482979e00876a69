import { addDays } from "../operations/days.ts";
import { nameWeekday } from "../operations/period.ts";
import type { Cell, Column, Series, View } from "../operations/view.ts";
import { cleanRows } from "./clean-rows.ts";
import { type Html, html, printHtml, trustMarkup } from "./html.ts";
import { createCellFormat, isNumeric } from "./table-cells.ts";
import type { Screen } from "./terminal-screen.ts";

/** What a mail says, in order. */
export interface MailContent {
  title: string;
  views: readonly View[];
  notes: readonly string[];
  /** A sentence in place of the views. */
  empty?: string | undefined;
}

/** Mail programs show no scripts, often no pictures, and only simple styles; some cut a mail off after 100 KB. */
const STYLE = trustMarkup(`
body { margin: 0; background: #f3f4f6; }
.page { max-width: 600px; margin: 0 auto; padding: 24px 20px; background: #fff; color: #1f2328;
  font: 14px/1.45 -apple-system, "Segoe UI", Roboto, Helvetica, Arial, sans-serif; }
h1 { margin: 0 0 4px; font-size: 21px; line-height: 1.25; overflow-wrap: anywhere; }
h2 { margin: 24px 0 6px; font-size: 15px; }
p { margin: 0 0 16px; color: #59636e; overflow-wrap: anywhere; }
table { width: 100%; border-collapse: collapse; margin: 0 0 20px; }
th { padding: 5px 0 5px 12px; border-bottom: 1px solid #d1d9e0; color: #59636e; font-size: 12px; font-weight: 600; text-align: left;
  vertical-align: bottom; }
td { padding: 5px 0 5px 12px; border-bottom: 1px solid #eef0f2; vertical-align: top; overflow-wrap: anywhere; }
th:first-child, td:first-child { padding-left: 0; }
.n { text-align: right; white-space: nowrap; }
.wide th, .wide td { padding-left: 6px; font-size: 12px; }
.d { white-space: nowrap; }
.up { color: #1a7f37; }
.down { color: #c02a2a; }
.share { height: 3px; margin-top: 3px; background: #6c8cff; }
.chart { table-layout: fixed; }
.chart td { padding: 0 1px; border: 0; text-align: center; vertical-align: bottom; font-size: 11px; color: #59636e; }
.chart div { background: #6c8cff; }
.chart .partial { background: #c3cfff; }
.dense td { padding: 0; }
@media (max-width: 480px) {
  .page { padding: 16px 10px; }
  th, td { padding-left: 6px; font-size: 12px; }
  .wide { display: block; overflow-x: auto; }
}
li { margin-bottom: 3px; }
ul { margin: 0; padding-left: 18px; color: #59636e; font-size: 12px; }
`);

/** An answer's views as the page of a mail, 600 pixels wide. It needs no script and loads nothing. */
export function formatMailPage({ title, views, notes, empty }: MailContent, screen: Screen): string {
  const [first] = views;
  const body =
    empty === undefined
      ? [
          html`<p>${cutTitle(first?.headline ?? "", title)}</p>`,
          ...views.flatMap((view) => formatView(view, screen, view !== first)),
        ]
      : [html`<p>${empty}</p>`];
  return `<!doctype html>\n${printHtml(html`<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${title}</title>
<style>${STYLE}</style></head>
<body><div class="page">
<h1>${title}</h1>
${body}
<ul>${notes.map((note) => html`<li>${note}</li>\n`)}</ul>
</div></body></html>`)}\n`;
}

/** A headline without the title, which stands above it. */
const cutTitle = (headline: string, title: string): string =>
  headline.startsWith(title) ? headline.slice(title.length).replace(/^[, ]+/, "") : headline;

/** A longer table would make a mail too long to be shown. */
const MAX_ROWS = 31;

function formatView(view: View, screen: Screen, hasHeading: boolean): Html[] {
  const { columns, rows, headline, series } = view;
  if (columns.length === 0) return series ? [formatChart(series, screen)] : [];
  if (rows.length === 0 || rows.length > MAX_ROWS) return [];
  const heading = hasHeading && headline !== "" ? [html`<h2>${headline}</h2>\n`] : [];
  return [...heading, formatTable(view, screen)];
}

/** The column of a list that says what part of all visitors a row has. */
const SHARE = "percentage";

function formatTable(view: View, screen: Screen): Html {
  const format = createCellFormat(screen);
  const columns = view.columns.filter(
    ({ key, machine, detail }) => machine !== true && (detail !== true || key === SHARE),
  );
  const alignment = (column: Column) =>
    isNumeric(column)
      ? html` class="n"`
      : column.kind === "date" || column.kind === "day"
        ? html` class="d"`
        : html``;
  const share = columns.find(({ key }) => key === SHARE);
  const rows = cleanRows(view.rows).map((row) => {
    const cells = columns.map((column, index) => {
      const text = formatText(column, format(column, row).trim(), row);
      const bar = index === 0 && share ? formatShare(row[share.key] ?? null) : html``;
      return html`<td${alignment(column)}>${text}${bar}</td>`;
    });
    return html`<tr>${cells}</tr>\n`;
  });
  const head = columns.map((column) => html`<th${alignment(column)}>${column.label}</th>`);
  const width = columns.length > MAX_COLUMNS ? html` class="wide"` : html``;
  return html`<table${width}><tr>${head}</tr>\n${rows}</table>\n`;
}

function formatText(column: Column, text: string, row: Record<string, Cell>): Html {
  const cell = row[column.key];
  // Mail programs make links of text that looks like an address, but not within an anchor.
  if (!isNumeric(column)) return html`<a>${text}</a>`;
  if (column.kind !== "percent_change" || typeof cell !== "number" || cell === 0) return html`${text}`;
  return html`<span class="${cell > 0 ? "up" : "down"}">${text}</span>`;
}

/** A table with more has small letters. */
const MAX_COLUMNS = 6;

const formatShare = (share: Cell): Html =>
  typeof share === "number"
    ? html`<div class="share" style="width:${String(Math.min(100, Math.max(0.5, Math.round(share))))}%"></div>`
    : html``;

const CHART_HEIGHT = 90;
/** Up to so many bars have their number and their day. */
const MAX_LABELLED = 14;

/** Of more bars, none has space around it. */
const MAX_SPACED = 62;

/** Bars from zero, so that a mail program that knows only tables can draw them. */
function formatChart({ label, from, values, partial, interval }: Series, screen: Screen): Html {
  const numbers = new Intl.NumberFormat(screen.locale);
  const highest = Math.max(1, ...values.map((value) => value ?? 0));
  const isLabelled = values.length <= MAX_LABELLED && interval === undefined;
  const bars = values.map((value, index) => {
    const height = String(Math.round((CHART_HEIGHT * (value ?? 0)) / highest));
    const number = isLabelled ? html`${value === null ? "–" : numbers.format(value)}` : html``;
    const kind = partial && index === values.length - 1 ? html` class="partial"` : html``;
    return html`<td>${number}<div${kind} style="height:${height}px"></div></td>`;
  });
  const days = values.map((_, index) => addDays(from.slice(0, "2026-11-20".length), index));
  const labels = isLabelled
    ? html`<tr>${days.map((day) => html`<td>${nameWeekday(day).slice(0, 3)} ${String(Number(day.slice(8)))}</td>`)}</tr>`
    : html``;
  const last = interval?.to ?? days.at(-1) ?? from;
  const span = isLabelled ? "" : `, ${from} to ${last}, at most ${numbers.format(highest)}`;
  return html`<h2>${label}${span}</h2>
<table class="chart${values.length > MAX_SPACED ? " dense" : ""}"><tr>${bars}</tr>${labels}</table>\n`;
}
