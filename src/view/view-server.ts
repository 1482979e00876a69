import { randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { AnalyticsError } from "../errors.ts";
import { openPort } from "../http/open-port.ts";
import { drawNotes, type Tree } from "../mcp/chart/elements.ts";
import { escapeMarkup, printMarkup } from "../mcp/chart/markup.ts";
import type { Call } from "../operations/call.ts";
import { breakdown, realtime } from "../operations/index.ts";
import { type Note, note } from "../operations/note.ts";
import type { Cell, View } from "../operations/view.ts";
import { cleanText, formatJson } from "../render/clean-text.ts";
import { nameFile } from "../reports/file-name.ts";
import { findQuery } from "../reports/queries.ts";
import type { Answer } from "../reports/query.ts";
import { type Address, formatAddress, listPages, readAddress, START, sitePages } from "./address.ts";
import { drawBar, showError } from "./bar.ts";
import { latestDate, readDates } from "./dates.ts";
import {
  type Drawing,
  drawAnswer,
  drawFault,
  drawGoalForm,
  drawHeading,
  drawReportHead,
  nameOf,
} from "./draw-answer.ts";
import { listGoals, mayHaveEvents } from "./goals.ts";
import { checkRequest } from "./guard.ts";
import { type Ask, createQuestions, parseQuestion, type Question } from "./questions.ts";
import { describe, explain } from "./ways.ts";

export interface ViewOptions extends Omit<Drawing, "href"> {
  call: Call;
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
  const only = new Set<string>();
  const href = (target: Address) => `/${secret}${formatAddress(target)}`;
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
    answer(checked, request, response, { ...options, ask, known, only, href, signal }).catch(() =>
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

interface Context extends ViewOptions, Drawing {
  ask: Ask;
  /** The sites of pages that were answered. */
  known: Set<string>;
  /** The only site, once it is known to be. */
  only: Set<string>;
  /** Aborts when the page is left. */
  signal: AbortSignal;
}

async function answer(
  url: URL,
  request: IncomingMessage,
  response: ServerResponse,
  context: Context,
): Promise<void> {
  const { href } = context;
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
    return send(status, draw("Error", []) + end(showError(text, href(START))));
  }
  const [latest, offered] = await Promise.all([findLatest(given, context), findPages(context)]);
  const dates = readDates(given, latest);
  const [format] = given.given.get("format") ?? [];
  if (dates.isChosen) {
    return void response.writeHead(303, { ...HEADERS, Location: href(dates.address) }).end();
  }
  // Numbers that a program reads are of the days that were asked for, or none.
  if (isFormat(format) && dates.fault !== undefined) return send(400, `${dates.fault}\n`, "text/plain");
  const { address } = dates;
  const status = dates.fault === undefined ? 200 : 400;
  const isOnly = address.site !== undefined && context.only.has(address.site);
  const start = () => draw(nameOf(address), drawBar(dates, { latest, offered, isOnly }, href));
  if (address.page === "conversions" && !address.given.has("goal"))
    return sendGoals(address, context, { response, status, start, end });
  let question: Question;
  try {
    question = parseQuestion(address);
  } catch (error) {
    const text = error instanceof AnalyticsError ? error.message : String(error);
    const parts = [...(await drawTop(address, context)), ...drawFault({ text }, address, href)];
    return send(400, start() + end(parts));
  }
  if (isFormat(format)) return sendData(address, question, format, context, send);
  if (request.method === "HEAD") return send(status, "");
  await sendAnswer(address, question, context, { response, status, start, end });
}

/** In milliseconds: how long the bar waits for whether there is such a site, its date, and which pages its source has. */
const MAX_HELD = 1_000;

/** What a source says; something else, if it takes long to say it, or cannot be opened. */
const askBriefly = <T>(answer: Promise<T>, other: T, { wait, signal }: Context): Promise<T> =>
  Promise.race([answer, wait(MAX_HELD, signal).then(() => other)]).catch(() => other);

const findPages = (context: Context): Promise<string[]> =>
  askBriefly(listPages(context.call, { signal: context.signal }), Object.keys(sitePages), context);

/** Today at a site. */
async function findLatest({ site }: Address, context: Context): Promise<string> {
  const latest = latestDate(context.clock());
  const today = site === undefined ? undefined : context.call.today?.(site, { signal: context.signal });
  return (today && (await askBriefly(today, latest, context))) ?? latest;
}

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

/** What is above a fault: the heading, and the form that asks for a goal. */
const drawTop = async (address: Address, { call, signal }: Context): Promise<Tree[]> =>
  address.page === "conversions"
    ? drawGoalForm(address, await mayHaveEvents(call, { signal }))
    : [drawHeading(address)];

/** The page that asks for a goal. */
async function sendGoals(address: Address, context: Context, page: Page): Promise<void> {
  const begin = createBegin(address, context, page);
  const notes = context.note === undefined ? [] : [drawNotes([context.note])];
  const write = async (parts: Tree[]) => {
    // Its lists show whether a service has events.
    const top = await drawTop(address, context);
    page.response.end(page.end([...top, ...parts, ...notes]));
  };
  try {
    const goals = await listGoals(address, context, context.href);
    begin();
    await write(goals);
  } catch (error) {
    begin(isUnknownSite(error) ? 404 : undefined);
    await write(drawFault(explain(error, address), address, context.href));
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
    // Asking a service would take a request of its own.
    const offersFilter = (await context.call.offersFilter?.(breakdown, { signal: context.signal })) ?? false;
    const { parts, trend } = drawAnswer(search(answered, address), address, context, {
      offersFilter,
      hasHead,
    });
    response.end(end(parts, trend));
  } catch (error) {
    const fault = explain(error, address);
    begin(isUnknownSite(error) ? 404 : undefined);
    const goals = isAboutGoal(error) ? await listGoals(address, context, context.href).catch(() => []) : [];
    const top = hasHead ? [] : await drawTop(address, context);
    response.end(end([...top, ...drawFault(fault, address, context.href), ...goals]));
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

/** The page of an address. Without a site, it is that of the only site, or of all. */
async function findAddress(url: URL, { call, only, signal }: Context): Promise<Address | undefined> {
  const address = readAddress(url.pathname, url.searchParams);
  if (address?.site !== undefined || address === undefined) return address;
  const { result } = await findQuery("sites").ask(call, {}, { signal });
  const [first, ...others] = (result as { sites: { domain: string }[] }).sites;
  if (first === undefined || others.length > 0) return address;
  only.add(first.domain);
  return { ...address, site: first.domain };
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
    index === 0
      ? { ...view, rows: view.rows.filter(has), extent: undefined, notes: noteSearched(view) }
      : view,
  );
  const { rows } = answered.result;
  const result = Array.isArray(rows) ? { ...answered.result, rows: rows.filter(has) } : answered.result;
  return { ...answered, result, views };
}

/** Says first that rows beyond the end of a list were not searched. */
const noteSearched = ({ extent, rows, notes }: View): Note[] =>
  extent === undefined || extent.total === rows.length
    ? notes
    : [note`Only the first ${rows.length} were searched.`, ...notes];

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
