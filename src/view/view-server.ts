import { randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import * as z from "zod";
import { AnalyticsError } from "../errors.ts";
import { openPort } from "../http/open-port.ts";
import { drawComparison } from "../mcp/chart/draw-comparison.ts";
import { drawNotFound } from "../mcp/chart/draw-not-found.ts";
import { drawHead, drawTopLists, type RowLink } from "../mcp/chart/draw-overview.ts";
import { dimensionTitle, drawNotes, html, type Tree } from "../mcp/chart/elements.ts";
import { createFormat, type Format } from "../mcp/chart/format.ts";
import { escapeMarkup, printMarkup } from "../mcp/chart/markup.ts";
import { hasTrend } from "../mcp/chart/trend-days.ts";
import { drawFigure } from "../mcp/chart/trend-figure.ts";
import { readMember } from "../member.ts";
import type { Call } from "../operations/call.ts";
import { addDays } from "../operations/days.ts";
import { type Dimension, dimensions } from "../operations/dimensions.ts";
import { conditionOf, formatCondition, headFilter } from "../operations/filter.ts";
import { breakdown, realtime } from "../operations/index.ts";
import { formatNotes } from "../operations/note.ts";
import { beginRowsWithData } from "../operations/rows-before.ts";
import { formatCommand } from "../operations/shell-command.ts";
import { type Cell, listNotes, type View } from "../operations/view.ts";
import { cleanText, formatJson } from "../render/clean-text.ts";
import { cleanValue } from "../render/clean-value.ts";
import type { Screen } from "../render/terminal-screen.ts";
import { type Comparison, compare } from "../reports/compare.ts";
import { isFitted } from "../reports/default-days.ts";
import { nameFile } from "../reports/file-name.ts";
import { reportResult } from "../reports/overview.ts";
import { findQuery } from "../reports/queries.ts";
import type { Answer } from "../reports/query.ts";
import { series } from "../reports/series.ts";
import { reportQuery } from "../reports/site-report.ts";
import { listCounts } from "../reports/trend-counts.ts";
import {
  type Address,
  change,
  DEFAULT_PERIOD,
  formatAddress,
  readAddress,
  readQuestion,
  sitePages,
} from "./address.ts";
import { drawBar, drawTools, type Href, keepGiven, showError } from "./bar.ts";
import { latestDate, readDates } from "./dates.ts";
import { aboutGoals, listGoals } from "./goals.ts";
import { checkRequest } from "./guard.ts";
import { type Ask, createQuestions, parseQuestion, type Question } from "./questions.ts";
import { drawTable } from "./table.ts";

export interface ViewOptions {
  call: Call;
  /** Options that choose the source on the command line. */
  source: readonly string[];
  /** Said on every page: that the data is made up. */
  note?: string | undefined;
  screen: Screen;
  /** The writers of the command line. */
  format: (answer: Answer, format: "csv" | "json" | "markdown") => Promise<string>;
  port: number;
  /** Returns milliseconds. */
  clock: () => number;
  /** Milliseconds between two questions about who is active. */
  pause: number;
  /** Resolves after so many milliseconds, or when the signal aborts. */
  wait: (milliseconds: number, signal: AbortSignal) => Promise<void>;
}

export interface ViewServer {
  /** The address of the first page, with the secret. */
  address: string;
  close(): Promise<void>;
}

const HEADERS = {
  "Cache-Control": "no-store",
  "Referrer-Policy": "no-referrer",
  "X-Content-Type-Options": "nosniff",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Cross-Origin-Opener-Policy": "same-origin",
  // The page has the rest of its policy in itself.
  "Content-Security-Policy": "frame-ancestors 'none'",
};

const TYPES = { csv: "text/csv", json: "application/json", md: "text/markdown" };
const isFormat = (text: string | undefined): text is keyof typeof TYPES =>
  text !== undefined && Object.hasOwn(TYPES, text);

/**
 * Serves the pages of `view` on this computer alone. Every state is an address: the server answers it with a page that has its numbers
 * without a script. Throws Node's own error if the port cannot be opened.
 */
export async function serveView(options: ViewOptions): Promise<ViewServer> {
  const secret = randomBytes(32).toString("base64url");
  const server = createServer({ keepAliveTimeout: 5_000 });
  const stop = new AbortController();
  const ask = createQuestions(options.call, options.clock);
  const known = new Set<string>();
  const port = await openPort(server, { host: "127.0.0.1", port: options.port });
  server.on("request", (request, response) => {
    const checked = checkRequest(request, { secret, port });
    if (!(checked instanceof URL)) {
      const allow = checked.status === 405 ? { Allow: "GET, HEAD" } : {};
      return void response
        .writeHead(checked.status, { ...HEADERS, ...allow, "Content-Type": "text/plain; charset=utf-8" })
        .end(`${checked.text}\n`);
    }
    const left = new AbortController();
    response.on("close", () => left.abort());
    const signal = AbortSignal.any([left.signal, stop.signal]);
    answer(checked, request, response, { ...options, ask, known, root: `/${secret}`, signal }).catch(() =>
      response.destroy(),
    );
  });
  return {
    address: `http://127.0.0.1:${port}/${secret}/`,
    close: async () => {
      stop.abort();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

interface Context extends ViewOptions {
  ask: Ask;
  /** The sites of pages that were answered. */
  known: Set<string>;
  /** The path of the secret. */
  root: string;
  /** Aborts when the page is left. */
  signal: AbortSignal;
}

async function answer(
  url: URL,
  request: IncomingMessage,
  response: ServerResponse,
  context: Context,
): Promise<void> {
  const { root } = context;
  const [, name] = /^\/([^/]+)\/now$/.exec(url.pathname) ?? [];
  const active = name === undefined ? undefined : readAddress(`/${name}`, url.searchParams)?.site;
  if (active !== undefined) return sendActive(response, active, context);
  const send = (status: number, text: string, type = "text/html", more = {}) =>
    void response
      .writeHead(status, { ...HEADERS, ...more, "Content-Type": `${type}; charset=utf-8` })
      .end(text);
  const { viewPage } = await import("../mcp/chart-pages.ts");
  const [head = "", tail = ""] = viewPage.split("{{content}}");
  const draw = (title: string, bar: Tree[]) =>
    head.replace("{{title}}", () => escapeMarkup(cleanText(title))) + bar.map(printMarkup).join("\n");
  const end = (parts: Tree[], trend: unknown = null) =>
    parts.map(printMarkup).join("\n") +
    tail
      .replace("{{locale}}", () => context.screen.locale)
      .replace('"{{trend}}"', () => formatJson(trend).replaceAll("<", "\\u003c"));
  const given = await findAddress(url, context).catch(describe);
  if (typeof given !== "object") {
    const [status, text] = given === undefined ? [404, "There is no such page."] : [502, given];
    return send(status, draw("Error", []) + end(showError(text, `${root}/`)));
  }
  const latest = latestDate(context.clock());
  const dates = readDates(given, latest);
  const [format] = given.given.get("format") ?? [];
  if (dates.isChosen) {
    const location = toHref(root)(dates.address);
    return void response.writeHead(303, { ...HEADERS, Location: location }).end();
  }
  // Numbers that a program reads are of the days that were asked for, or none.
  if (isFormat(format) && dates.fault !== undefined) return send(400, `${dates.fault}\n`, "text/plain");
  const { address } = dates;
  const status = dates.fault === undefined ? 200 : 400;
  const start = () => draw(nameOf(address), drawBar(dates, latest, toHref(root)));
  if (address.page === "conversions" && !address.given.has("goal"))
    return sendGoals(address, context, { response, status, start, end });
  let question: Question;
  try {
    question = parseQuestion(address);
  } catch (error) {
    const text = error instanceof AnalyticsError ? error.message : String(error);
    return send(400, start() + end(drawFault(text, address, root)));
  }
  if (isFormat(format)) return sendData(address, question, format, context, send);
  if (request.method === "HEAD") return send(status, "");
  await sendAnswer(address, question, context, { response, status, start, end });
}

/** In milliseconds: how long the bar waits for whether there is such a site. */
const MAX_HELD = 1_000;

interface Page {
  response: ServerResponse;
  status: number;
  /** Everything before the answer. */
  start: () => string;
  end: (parts: Tree[], trend?: unknown) => string;
}

/** The bar is there at once, whatever the source takes; of a site that was not shown yet, once there may be such a site. */
function createBegin({ site }: Address, { known, signal, wait }: Context, { response, status, start }: Page) {
  let isBegun = false;
  const begin = (code = status) => {
    if (isBegun || signal.aborted) return;
    isBegun = true;
    response.writeHead(code, { ...HEADERS, "Content-Type": "text/html; charset=utf-8" });
    response.write(start());
  };
  if (site === undefined || known.has(site)) begin();
  else void wait(MAX_HELD, signal).then(() => begin());
  return begin;
}

/** The page that asks for a goal. */
async function sendGoals(address: Address, context: Context, page: Page): Promise<void> {
  const begin = createBegin(address, context, page);
  const href = toHref(context.root);
  const notes = context.note === undefined ? [] : [drawNotes([context.note])];
  const asked = [drawHeading(address), aboutGoals(), drawForm(address, GOAL)];
  const write = (parts: Tree[]) => page.response.end(page.end([...asked, ...parts, ...notes]));
  try {
    const goals = await listGoals(address, context, href);
    begin();
    write(goals);
  } catch (error) {
    begin(isUnknownSite(error) ? 404 : undefined);
    write(showError(describe(error), undefined));
  }
}

/** A page: a report's totals come before its lists. */
async function sendAnswer(address: Address, question: Question, context: Context, page: Page): Promise<void> {
  const { response, end } = page;
  const begin = createBegin(address, context, page);
  let hasHead = false;
  try {
    const answered = await context.ask(address, question, context.signal, (head) => {
      if (head.empty !== undefined || hasHead) return;
      hasHead = true;
      begin();
      response.write(`${drawReportHead(head, address, context).map(printMarkup).join("\n")}\n`);
    });
    if (address.site !== undefined) context.known.add(address.site);
    begin();
    const [parts, trend] = await drawAnswer(search(answered, address), address, context, hasHead);
    response.end(end(parts, trend));
  } catch (error) {
    const text = describe(error);
    begin(isUnknownSite(error) ? 404 : undefined);
    const goals = isAboutGoal(error)
      ? await listGoals(address, context, toHref(context.root)).catch(() => [])
      : [];
    const fault = drawFault(text, address, context.root);
    response.end(end(hasHead ? showError(text, `${context.root}/`) : [...fault, ...goals]));
  } finally {
    hasHead = true;
  }
}

/** The page as the command line writes it. */
async function sendData(
  address: Address,
  question: Question,
  format: keyof typeof TYPES,
  context: Context,
  send: (status: number, text: string, type: string, more?: Record<string, string>) => void,
): Promise<void> {
  try {
    const answered = search(await context.ask(address, question, context.signal), address);
    const text = await context.format(answered, format === "md" ? "markdown" : format);
    const name = `${nameFile(answered.result, address.page)}.${format}`;
    send(200, `${text}\n`, TYPES[format], {
      "Content-Disposition": `inline; filename*=UTF-8''${encodeURIComponent(name)}`,
    });
  } catch (error) {
    send(isUnknownSite(error) ? 404 : 400, `${describe(error)}\n`, "text/plain");
  }
}

const isUnknownSite = (error: unknown) => error instanceof AnalyticsError && error.code === "site_not_found";

const isAboutGoal = (error: unknown) =>
  error instanceof AnalyticsError && error.parameters.some(({ parameter }) => parameter === "goal");

/** The totals and the trend of a report, whose days lead to their own pages. */
function drawReportHead({ result }: Answer, address: Address, { screen, root }: Context): Tree[] {
  const days = toHref(root)(change(address, { period: ["DAYS"], days: undefined }));
  const report = cleanValue(reportResult().parse(result));
  return [html("div", { "data-days": days }, ...drawHead(report, createFormat(screen.locale)))];
}

const describe = (error: unknown): string =>
  error instanceof AnalyticsError
    ? cleanText([error.message, error.hint].filter(Boolean).join(" "), 1_000)
    : "This page failed. The terminal has nothing more: please report it.";

const nameOf = ({ site = "All sites", page }: Address) =>
  cleanText(page === "" ? site : `${site}: ${readMember(sitePages, page) ?? dimensionTitle(page)}`);

const drawHeading = (address: Address) => html("h1", html("bdi", nameOf(address)));

const toHref = (root: string) => (target: Address) => `${root}${formatAddress(target)}`;

/** The page of an address. Without a site, it is that of the only site, or of all. */
async function findAddress(url: URL, { call, signal }: Context): Promise<Address | undefined> {
  const address = readAddress(url.pathname, url.searchParams);
  if (address?.site !== undefined || address === undefined) return address;
  const { result } = await findQuery("sites").ask(call, {}, { signal });
  const [first, ...others] = (result as { sites: { domain: string }[] }).sites;
  return first === undefined || others.length > 0 ? address : { ...address, site: first.domain };
}

/** Keeps the rows that have what a person searches for. */
function search(answered: Answer, { given }: Address): Answer {
  const [text = ""] = given.get("search") ?? [];
  if (text === "") return answered;
  const wanted = text.toLowerCase();
  const has = (row: Record<string, Cell>) =>
    ["label", "value"].some((name) =>
      String(row[name] ?? "")
        .toLowerCase()
        .includes(wanted),
    );
  const views = answered.views.map((view, index) =>
    index === 0 ? { ...view, rows: view.rows.filter(has), extent: undefined } : view,
  );
  const { rows } = answered.result;
  const result = Array.isArray(rows) ? { ...answered.result, rows: rows.filter(has) } : answered.result;
  return { ...answered, result, views };
}

/** @param hasHead Whether the page has the head of its report already. */
async function drawAnswer(
  answered: Answer,
  address: Address,
  context: Context,
  hasHead: boolean,
): Promise<[Tree[], unknown?]> {
  const { screen, note } = context;
  const href = toHref(context.root);
  const numbers = new Intl.NumberFormat(screen.locale);
  const filters = await offersFilter(context);
  const linkRow = (dimension: string, value: string | null) => {
    const named = dimensions.find((known) => known === dimension);
    return filters && named !== undefined ? linkCondition(address, named, value, href) : undefined;
  };
  const notes = [
    ...(note === undefined ? [] : [note]),
    ...(filters || address.site === undefined ? [] : [NO_FILTER]),
    ...formatNotes(listNotes(answered.views), "people", numbers.format).map((each) => cleanText(each, 400)),
  ];
  const end = [drawTools(address, describeTools(answered, address, context), href), drawNotes(notes)];
  if (answered.empty !== undefined) {
    const days = answered.lastDays;
    const last =
      days === undefined
        ? []
        : [html("a", { href: href(change(address, { period: [days] })) }, "Its last days")];
    return [
      [
        drawHeading(address),
        html("p", { class: "message", role: "status" }, cleanText(answered.empty, 1_000), " ", ...last),
        ...end,
      ],
    ];
  }
  if (address.site !== undefined && address.page === "") {
    const report = cleanValue(reportResult().parse(answered.result));
    const raw = reportResult().parse(answered.result);
    // A link has the value as the visitor wrote it: a cleaned one could be another's.
    const values = new Map(raw.top.map(({ dimension, rows }) => [dimension, rows.map(({ value }) => value)]));
    const links: RowLink = {
      list: (dimension) => href({ ...address, page: dimension }),
      row: (dimension, index) => linkRow(dimension, values.get(dimension)?.[index] ?? null),
    };
    const format = createFormat(screen.locale);
    const { trend, not_found } = report;
    const parts = [
      ...(hasHead ? [] : drawReportHead(answered, address, context)),
      ...drawTopLists(report, format, undefined, links),
      ...(not_found ? drawNotFound(not_found, format) : []),
    ];
    return [[...parts, ...end], trend];
  }
  if (address.page === "compare") {
    const comparison = cleanValue(compare.result.parse(answered.result));
    return [[...drawCompared(comparison, address, createFormat(screen.locale), href), ...end]];
  }
  const isRow = (view: View, row: Record<string, Cell>) =>
    address.site === undefined
      ? linkSite(address, row, href)
      : view === answered.views[0] && row.other === undefined && "value" in row
        ? linkRow(address.page, row.value === null ? null : String(row.value))
        : undefined;
  const tables = answered.views.flatMap((view) =>
    drawTable(beginRowsWithData(view), screen, (row) => isRow(view, row), address.page === "when"),
  );
  const form =
    address.page === "conversions"
      ? GOAL
      : dimensions.includes(address.page as Dimension)
        ? SEARCH
        : undefined;
  const trend = address.page === "timeseries" ? readTrend(answered) : undefined;
  const figure = trend && hasTrend(trend) ? [drawFigure(trend, createFormat(screen.locale))] : [];
  return [
    [drawHeading(address), ...(form ? [drawForm(address, form)] : []), ...figure, ...tables, ...end],
    trend,
  ];
}

/** A comparison; where the days before have no data, with a link to days that have. */
function drawCompared(comparison: Comparison, address: Address, format: Format, href: Href): Tree[] {
  const drawn = drawComparison(comparison, format);
  if (!comparesWeeks(comparison)) return drawn;
  const link = html("a", { href: href(change(address, WEEKS)) }, "Compare the last 7 days with the 7 before");
  return [...drawn, html("p", link)];
}

/** The days that `compare` takes by default. */
const WEEKS = { period: ["last_7_days"], days: undefined, against: undefined };

/** Whether the days before have no data, but those before the last week do. */
const comparesWeeks = ({ previous, data_since, as_of }: Comparison) =>
  previous.days_with_data === 0 &&
  typeof data_since === "string" &&
  data_since < addDays(as_of.slice(0, "2026-11-20".length), -7);

/** The days of a series; undefined if its points are not days. */
function readTrend({ result }: Answer) {
  const { interval, points } = series.result.parse(result);
  const days = points.flatMap(({ date, ...point }) => (date === undefined ? [] : [{ ...point, date }]));
  if (interval !== "day" || days.length !== points.length) return undefined;
  return { ...listCounts(days), partial: days.at(-1)?.partial === true };
}

const linkSite = ({ given }: Address, row: Record<string, Cell>, href: (address: Address) => string) =>
  typeof row.domain === "string" ? { href: href({ site: row.domain, page: "", given }) } : undefined;

/** Links to only these, and to all but these. */
function linkCondition(
  address: Address,
  dimension: Dimension,
  value: string | null,
  href: (address: Address) => string,
): Record<string, string> {
  const filter = address.given.get("filter") ?? [];
  const with_ = (isNot: boolean) =>
    href(
      change(
        { ...address, page: "" },
        {
          filter: [...filter, formatCondition({ ...conditionOf(dimension, value), isNot })],
          search: undefined,
        },
      ),
    );
  return { href: with_(false), "data-not": with_(true) };
}

const NO_FILTER = "Rows are no links: this source cannot count some visitors alone.";

/** Asking a service would take a request of its own. */
async function offersFilter({ call, signal }: Context): Promise<boolean> {
  return (await call.offersFilter?.(breakdown, { signal })) ?? false;
}

interface Field {
  name: string;
  title: string;
  button: string;
  placeholder: string;
}

const SEARCH: Field = { name: "search", title: "Search this list", button: "Search", placeholder: "" };
const GOAL: Field = {
  name: "goal",
  title: "Goal: what a visit did",
  button: "Show conversions",
  placeholder: "such as /thanks",
};

/** Why a page has no answer. What was typed into its form is still there, to be mended. */
const drawFault = (text: string, address: Address, root: string): Tree[] =>
  address.page === "conversions"
    ? [drawHeading(address), aboutGoals(), drawForm(address, GOAL), ...showError(text, undefined)]
    : [drawHeading(address), ...showError(text, `${root}/`)];

/** A form whose field is a part of the address. */
function drawForm(address: Address, { name, title, button, placeholder }: Field): Tree {
  const [value = ""] = address.given.get(name) ?? [];
  return html(
    "form",
    { role: "search" },
    ...keepGiven(address, name),
    html("input", { type: "search", name, value, placeholder, "aria-label": title, "data-key": "/" }),
    html("button", button),
  );
}

const datedResult = z.object({
  period: z.object({ from: z.string(), to: z.string() }),
  warnings: z.array(z.object({ code: z.string() })),
});

function describeTools({ params, result }: Answer, address: Address, { source }: Context) {
  const { query, texts, usesDefaultDays } = readQuestion(address);
  const dated = usesDefaultDays ? datedResult.safeParse(result).data : undefined;
  // The command has these days, too, where the default ones were fitted to the data.
  if (dated?.warnings.some(isFitted)) texts.set("period", [`${dated.period.from}/${dated.period.to}`]);
  const given = Object.fromEntries(
    [...texts].map(([name, values]) => [name, name === "site" ? (params.site ?? values) : values]),
  );
  // What the report shows is the overview, with more lists.
  const asked = query === reportQuery ? findQuery("overview") : query;
  const [days] = texts.get("days") ?? [];
  const period = days === undefined ? `period ${texts.get("period")?.[0] ?? DEFAULT_PERIOD}` : `days ${days}`;
  const filter = texts.get("filter") ?? [];
  return {
    command: formatCommand(asked, given, source),
    report: query === reportQuery ? formatCommand(query, given, source) : undefined,
    prompt: `Use ${asked.tool.name} for ${address.site ?? "all sites"}, ${period}${headFilter(filter)}. What stands out, and why?`,
  };
}

/** Says every so often how many visitors are active, as Server-Sent Events, until the page is left. */
async function sendActive(response: ServerResponse, site: string, context: Context): Promise<void> {
  const { call, signal, pause, wait } = context;
  response.writeHead(200, { ...HEADERS, "Content-Type": "text/event-stream" });
  while (!signal.aborted) {
    try {
      const { visitors, as_of } = await call(realtime, { site }, { signal });
      response.write(`data: ${JSON.stringify({ active_now: visitors, as_of })}\n\n`);
    } catch {
      // A source that does not know it has no number to show.
      return void response.end();
    }
    await wait(pause, signal);
  }
}
