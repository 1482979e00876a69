import { drawComparison } from "../mcp/chart/draw-comparison.ts";
import { drawNotFound } from "../mcp/chart/draw-not-found.ts";
import { drawHead, drawTopLists, type RowLink } from "../mcp/chart/draw-overview.ts";
import { dimensionTitle, drawNotes, html, type Tree } from "../mcp/chart/elements.ts";
import { createFormat } from "../mcp/chart/format.ts";
import { hasTrend } from "../mcp/chart/trend-days.ts";
import { drawFigure } from "../mcp/chart/trend-figure.ts";
import { readMember } from "../member.ts";
import { type Dimension, dimensions } from "../operations/dimensions.ts";
import { conditionOf, formatCondition } from "../operations/filter.ts";
import { formatNotes } from "../operations/note.ts";
import { beginRowsWithData } from "../operations/rows-before.ts";
import { type Cell, listNotes, type View } from "../operations/view.ts";
import { cleanText } from "../render/clean-text.ts";
import { cleanValue } from "../render/clean-value.ts";
import { formatCount } from "../render/plural.ts";
import type { Screen } from "../render/terminal-screen.ts";
import { compare } from "../reports/compare.ts";
import { type Missing, NO_DAYS } from "../reports/missing-parts.ts";
import { reportResult } from "../reports/overview.ts";
import type { Answer } from "../reports/query.ts";
import { series } from "../reports/series.ts";
import { listCounts } from "../reports/trend-counts.ts";
import { proposeCountries } from "../sources/country-package.ts";
import { type Address, change, START, sitePages } from "./address.ts";
import { drawTools, type Href, showError } from "./bar.ts";
import { describeTools, listShifts } from "./describe-tools.ts";
import { drawForm, GOAL, SEARCH } from "./forms.ts";
import { aboutGoals } from "./goals.ts";
import { drawTable } from "./table.ts";
import { dated, type Fault } from "./ways.ts";

/** What pages are drawn with. */
export interface Drawing {
  screen: Screen;
  /** Options that choose the source on the command line. */
  source: readonly string[];
  /** Said on every page: that the data is made up. */
  note?: string | undefined;
  href: Href;
}

/** What a page shows below its bar. */
export interface Content {
  parts: Tree[];
  /** The days that the page's script draws anew when its width changes. */
  trend?: unknown;
}

export const nameOf = ({ site = "All sites", page }: Address) =>
  cleanText(page === "" ? site : `${site}: ${readMember(sitePages, page) ?? dimensionTitle(page)}`);

export const drawHeading = (address: Address) => html("h1", html("bdi", nameOf(address)));

/** The totals and the trend of a report, whose days lead to their own pages. */
export function drawReportHead({ result }: Answer, address: Address, { screen, href }: Drawing): Tree[] {
  const days = href(change(address, { period: ["DAYS"], days: undefined }));
  const report = cleanValue(reportResult().parse(result));
  const [header, ...numbers] = drawHead(report, createFormat(screen.locale));
  return [html("div", { "data-days": days }, ...(header ? [header] : []), ...drawFitted(result), ...numbers)];
}

const UNDATED = "The days above do not apply to this list: the service chooses its days.";

/** Why the numbers are not of the days that the bar shows. */
function listFitted(result: Answer["result"]): string[] {
  const isUndated = "dimension" in result && result.period === undefined;
  return [...listShifts(result), ...(isUndated ? [UNDATED] : [])];
}

const drawFitted = (result: Answer["result"]): Tree[] =>
  listFitted(result).map((text) => html("p", { role: "status" }, cleanText(text, 400)));

/**
 * An answer, with what can be done with it.
 *
 * @param offersFilter Whether the source can count some visitors alone: rows are links then.
 * @param hasHead Whether the page has the head of its report already.
 */
export function drawAnswer(
  answered: Answer,
  address: Address,
  drawing: Drawing,
  { offersFilter, hasHead }: { offersFilter: boolean; hasHead: boolean },
): Content {
  const { screen, note, source, href } = drawing;
  const linkRow: LinkRow = (dimension, value) => {
    const named = dimensions.find((known) => known === dimension);
    return offersFilter && named !== undefined ? linkCondition(address, named, value, href) : undefined;
  };
  const { parts, trend } = drawContent({ answered, address, drawing, linkRow, hasHead });
  const numbers = new Intl.NumberFormat(screen.locale);
  const told = listFitted(answered.result);
  const notes = [
    ...(note === undefined ? [] : [note]),
    ...(offersFilter || address.site === undefined || !hasList(answered) ? [] : [NO_FILTER]),
    ...formatNotes(listNotes(proposeCountries(answered.views, source)), "people", numbers.format)
      .filter((each) => !told.includes(each))
      .map((each) => cleanText(each, 400)),
  ];
  const tools = drawTools(address, describeTools(answered, address, source), href);
  return { parts: [...parts, tools, drawNotes(notes)], trend };
}

/** Whether there are rows that could be links: of one list, or of those of an overview. */
const hasList = ({ views }: Answer) =>
  views.some(({ columns, rows }) => rows.length > 0 && columns.some(({ key }) => key === "value"));

const NO_FILTER = "Rows cannot be clicked here: this source has no filters.";

/** The attributes of a row's link; undefined if it has none. */
type LinkRow = (dimension: string, value: string | null) => Record<string, string> | undefined;

interface Page {
  answered: Answer;
  address: Address;
  drawing: Drawing;
  linkRow: LinkRow;
  hasHead: boolean;
}

function drawContent(page: Page): Content {
  const { answered, address, drawing } = page;
  const { screen, href } = drawing;
  if (answered.empty !== undefined) return { parts: drawEmpty(answered, address, href) };
  if (address.site !== undefined && address.page === "") return drawReport(page);
  if (address.page === "compare") {
    const comparison = cleanValue(compare.result.parse(answered.result));
    const parts = drawComparison(comparison, createFormat(screen.locale));
    return { parts: [...parts.slice(0, 1), ...drawFitted(answered.result), ...parts.slice(1)] };
  }
  return drawTables(page);
}

/** Why there are no numbers, with a link to days that have some. */
function drawEmpty({ empty = "", instead }: Answer, address: Address, href: Href): Tree[] {
  const linkTo = (period: string) =>
    href(change(address, { period: [period], days: undefined, against: undefined }));
  const link = instead && html("a", { href: linkTo(instead.period) }, instead.name);
  return [
    drawHeading(address),
    html("p", { class: "message", role: "status" }, cleanText(empty, 1_000), " ", ...(link ? [link] : [])),
  ];
}

function drawReport({ answered, address, drawing, linkRow, hasHead }: Page): Content {
  const { href } = drawing;
  const raw = reportResult().parse(answered.result);
  const report = cleanValue(raw);
  // A link has the value as the visitor wrote it: a cleaned one could be another's.
  const values = new Map(raw.top.map(({ dimension, rows }) => [dimension, rows.map(({ value }) => value)]));
  const links: RowLink = {
    list: (dimension) => href({ ...address, page: dimension }),
    row: (dimension, index) => linkRow(dimension, values.get(dimension)?.[index] ?? null),
  };
  const format = createFormat(drawing.screen.locale);
  const { trend, not_found } = report;
  const parts = [
    ...(hasHead ? [] : drawReportHead(answered, address, drawing)),
    ...drawTopLists(report, format, undefined, links),
    ...drawOtherLists(raw.missing, address, href),
    ...(not_found ? drawNotFound(not_found, format) : []),
  ];
  return { parts, trend };
}

/** Links to the lists that there are of other days alone, by the number of those, if it is known. */
function drawOtherLists(missing: Missing = [], address: Address, href: Href): Tree[] {
  const lists = missing.flatMap(({ dimension, days, reason }) =>
    dimension && (days || reason === NO_DAYS) ? [{ dimension, days }] : [],
  );
  return [...new Set(lists.map(({ days }) => days))].map((count) => {
    const links = lists
      .filter(({ days }) => days === count)
      .flatMap(({ dimension, days }, index) => {
        const list = { ...(days ? dated(address, { days: [`${days}`] }) : address), page: dimension };
        return [index === 0 ? " " : " · ", html("a", { href: href(list) }, dimensionTitle(dimension))];
      });
    const title = count
      ? `Lists of the last ${formatCount(count, "day")}:`
      : "Lists of the service's own days:";
    return html("p", title, ...links);
  });
}

function drawTables({ answered, address, drawing, linkRow }: Page): Content {
  const { screen, href } = drawing;
  const { site, page } = address;
  const linkOf = (view: View, row: Record<string, Cell>) => {
    if (site === undefined) return linkSite(address, row, href);
    const isListed = view === answered.views[0] && row.other === undefined && "value" in row;
    return isListed ? linkRow(page, row.value === null ? null : String(row.value)) : undefined;
  };
  const tables = answered.views.flatMap((view) =>
    drawTable(beginRowsWithData(view), screen, (row) => linkOf(view, row), page === "when"),
  );
  const trend = page === "timeseries" ? readTrend(answered) : undefined;
  const figure = trend && hasTrend(trend) ? [drawFigure(trend, createFormat(screen.locale))] : [];
  const head = [drawHeading(address), ...drawFitted(answered.result), ...drawPageForm(address)];
  return { parts: [...head, ...figure, ...tables], trend };
}

function drawPageForm(address: Address): Tree[] {
  if (address.page === "conversions") return [drawForm(address, GOAL)];
  return dimensions.includes(address.page as Dimension) ? [drawForm(address, SEARCH)] : [];
}

/** The days of a series; undefined if its points are not days. */
function readTrend({ result }: Answer) {
  const { interval, points } = series.result.parse(result);
  const days = points.flatMap(({ date, ...point }) => (date === undefined ? [] : [{ ...point, date }]));
  if (interval !== "day" || days.length !== points.length) return undefined;
  return { ...listCounts(days), partial: days.at(-1)?.partial === true };
}

const linkSite = ({ given }: Address, row: Record<string, Cell>, href: Href) =>
  typeof row.domain === "string" ? { href: href({ site: row.domain, page: "", given }) } : undefined;

/** Links to only these, and to all but these. */
function linkCondition(address: Address, dimension: Dimension, value: string | null, href: Href) {
  const filter = address.given.get("filter") ?? [];
  const linkTo = (isNot: boolean) => {
    const condition = formatCondition({ ...conditionOf(dimension, value), isNot });
    return href(change({ ...address, page: "" }, { filter: [...filter, condition], search: undefined }));
  };
  return { href: linkTo(false), "data-not": linkTo(true) };
}

/** The head of the page that asks for a goal. What was typed into its form is still there, to be mended. */
export const drawGoalForm = (address: Address, hasEvents: boolean): Tree[] => [
  drawHeading(address),
  aboutGoals(hasEvents),
  drawForm(address, GOAL),
];

/** Why a page has no answer, and where to go instead: where it has a form, that is mended. */
export function drawFault({ text, ways = [] }: Fault, { page }: Address, href: Href): Tree[] {
  const links = ways.map(({ title, target }) => html("a", { href: href(target) }, title));
  return showError(text, page === "conversions" || links.length > 0 ? undefined : href(START), links);
}
