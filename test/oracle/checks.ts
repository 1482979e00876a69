import { expect } from "vitest";
import type { Dimension } from "../../src/operations/dimensions.ts";
import { dateShown, startOf } from "./calendar.ts";
import { escapeText } from "./conditions.ts";
import type { Count } from "./count.ts";
import {
  type Cell,
  dimensions,
  type Expected,
  expectBreakdown,
  expectComparison,
  expectHours,
  expectOverview,
  expectRealtime,
  expectSeries,
  expectSites,
  expectStats,
  type Labels,
  type Mover,
  nameSeries,
  omitVisits,
  pickMainLists,
  type Table,
  tabulateMovers,
} from "./expected.ts";
import { expectConversions, visitDimensions } from "./expected-conversions.ts";
import { expectCrawlers } from "./expected-crawlers.ts";
import { expectDeadLinks } from "./expected-dead-links.ts";
import type { Surfaces } from "./surfaces.ts";
import { expectData, expectPage, expectText } from "./tables.ts";

/** A whole number below `most`. */
export type Choose = (most: number) => number;

export const pick = <T>(choose: Choose, values: readonly T[]) => values[choose(values.length)] as T;

type Format = "json" | "csv" | "tsv" | "page" | "plain page";
export const formats: readonly Format[] = ["json", "csv", "tsv", "page", "plain page"];
const words: Record<Format, string[]> = {
  json: ["--json"],
  csv: ["--csv"],
  tsv: [],
  page: [],
  "plain page": ["--plain"],
};

export interface Body {
  warnings?: { code: string; detail?: string }[];
  receipt?: { notes: string[] };
  [member: string]: unknown;
}

/** An answer without the wording of its warnings and, for a tool, without its receipt. */
export function bare({ receipt: _, warnings, ...body }: Body) {
  return { ...body, ...(warnings && { warnings: warnings.map(({ code }) => ({ code })) }) };
}

/** Maps commands to the tools for the same query. */
const toolOf = {
  stats: "get_stats",
  timeseries: "get_timeseries",
  breakdown: "get_breakdown",
  crawlers: "get_crawlers",
  "not-found": "get_not_found",
  realtime: "get_realtime",
  overview: "get_overview",
  conversions: "get_conversions",
};
/** Which end is kept of a list that is too long for a model. */
const listOf: { [command in keyof typeof toolOf]?: List } = {
  timeseries: { key: "points", keep: "last" },
  breakdown: { key: "rows", keep: "first" },
  crawlers: { key: "rows", keep: "first" },
  "not-found": { key: "rows", keep: "first" },
  conversions: { key: "rows", keep: "first" },
};
interface List {
  key: string;
  keep: "first" | "last";
}

/** Runs one query with the tool and with the command in some formats, and compares all with the expected answer. */
export async function checkShown(
  surfaces: Surfaces,
  command: keyof typeof toolOf,
  params: object,
  full: Expected,
  shown: readonly Format[],
): Promise<number> {
  const ofCommand = listOf[command];
  const list = ofCommand && ofCommand.key in full.json ? ofCommand : undefined;
  const right = list === undefined || "with" in params ? full : omitVisits(full, list.key);
  const { text, structured } = await surfaces.tool(toolOf[command], params);
  checkTool(structured, text, right, list);
  for (const format of shown) {
    const isTTY = format.endsWith("page");
    const printed = await surfaces.shell(command, params, words[format], { isTTY });
    // A program gets all that the service knows.
    checkPrinted(printed, { ...right, json: full.json }, format);
  }
  return 1 + shown.length;
}

/** Readers get one sentence on a site that never had data; programs get its zeros. */
const emptyOf = ({ site: { domain, since } }: Count) =>
  since === null ? `${domain} has no data yet: nothing was ever recorded.` : undefined;

/** The same where the days before have no data; a proposal of other days may follow. */
const uncomparedOf = ({ site: { domain, since } }: Count, last: string) =>
  since !== null && last < since
    ? `${domain} has no data before ${since}, so there is nothing to compare.`
    : undefined;

function checkPrinted(printed: string, { json, tables, empty }: Expected, format: Format): void {
  if (format === "json") expect(bare(JSON.parse(printed))).toEqual(json);
  else if (format === "csv" || format === "tsv") expectData(printed, tables, format);
  else if (empty !== undefined) expect(printed.trimEnd()).toBe(empty);
  else expectPage(printed, tables, format === "page");
}

/** Both halves of a tool's answer. A list that is too long for a model keeps one end; needless labels are left out. */
function checkTool(structured: Body, text: string, { json, tables, empty }: Expected, list?: List): void {
  const all = list ? (json[list.key] as { value?: Cell; label?: Cell }[]) : [];
  const compact = all.map(({ label, ...rest }) =>
    label === undefined || label === rest.value ? rest : { label, ...rest },
  );
  const rated = "bounce_rate" in json ? structured : withoutRates(structured);
  const fitting = list ? (structured[list.key] as unknown[]).length : 0;
  const keep = <T>(rows: T[]) =>
    list?.keep === "last" ? rows.slice(rows.length - fitting) : rows.slice(0, fitting);
  expect(bare(rated as Body)).toEqual({
    ...compactTop(json),
    ...(list && { [list.key]: keep(compact) }),
    ...(fitting < all.length && { truncated: true }),
  });
  if (empty !== undefined) expect(text.split("\n")).toContain(empty);
  else expectText(text, list ? tables.map((table) => ({ ...table, rows: keep(table.rows) })) : tables);
  const cut = structured.receipt?.notes.find((note) => note.startsWith("Only the "));
  expect(cut === undefined).toBe(fitting === all.length);
  if (cut) expect(cut).toContain(`Only the ${list?.keep} ${fitting} of ${json.total_rows ?? all.length} `);
}

/** The rates are those of the counts beside them: test/operations/visit-rates.test.ts. */
const withoutRates = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map(withoutRates)
    : typeof value === "object" && value !== null
      ? Object.fromEntries(
          Object.entries(value).flatMap(([name, member]) =>
            /^(bounce_rate|views_per_visit|seconds_per_visit)$/.test(name)
              ? []
              : [[name, withoutRates(member)]],
          ),
        )
      : value;

/** An overview as a model gets it: its main lists without the values that are equal to their labels, and one trend. */
function compactTop({ top, trend, ...json }: Body) {
  if (top === undefined) return { ...json, ...(trend !== undefined && { trend }) };
  const lists = pickMainLists(top as { dimension: string; rows: { value: Cell; label: string }[] }[]);
  const { from, visitors, partial, hours } = trend as Record<string, unknown>;
  const compact = lists.map(({ rows, ...list }) => ({
    ...list,
    rows: rows.map(({ label, ...rest }) => (label === rest.value ? rest : { label, ...rest })),
  }));
  return { ...json, trend: { from, visitors, partial, ...compactHours(hours) }, top: compact };
}

const compactHours = (hours: unknown) =>
  hours === undefined ? {} : { hours: { visitors: (hours as { visitors: number[] }).visitors } };

/** The queries about a site at a moment. */
export interface Asked {
  surfaces: Surfaces;
  /** The site and the others of its organization. */
  counts: readonly [Count, ...Count[]];
  labels: Labels;
  now: number;
}

const chooseDays = (choose: Choose) => pick(choose, [1, 2, 3, 7, 1 + choose(40), 1 + choose(40), 90, 365]);
export const chooseName = (choose: Choose, { domain, id }: Count["site"]) => pick(choose, [domain, id]);

/** Calls every endpoint about the first of some sites. Returns the number of compared answers. */
export async function checkApi({ surfaces, counts, labels, now }: Asked, choose: Choose): Promise<number> {
  const [count] = counts;
  const site = chooseName(choose, count.site);
  const asked = { site, days: chooseDays(choose) };
  const ranked = { ...asked, dimension: pick(choose, dimensions), limit: pick(choose, [1, 2, 3, 10, 1000]) };
  const ask = async (path: string, params: object): Promise<Body> => {
    const body: Body = await surfaces.api(path, params);
    for (const { detail } of body.warnings ?? []) expect(detail).toContain(count.site.since ?? "no data");
    return body;
  };
  await checkListed(await ask("/sites", {}), counts, now);
  expect(bare(await ask("/stats", asked))).toEqual(expectStats(count, now, asked.days).json);
  expect(bare(await ask("/timeseries", asked))).toEqual(expectSeries(count, now, asked.days).json);
  expect(bare(await ask("/breakdown", ranked))).toEqual(expectBreakdown(count, labels, now, ranked).json);
  const { dimension: _, ...listed } = ranked;
  expect(bare(await ask("/crawlers", listed))).toEqual(expectCrawlers(count, now, listed).json);
  expect(bare(await ask("/not-found", listed))).toEqual(expectDeadLinks(count, now, listed).json);
  expect(bare(await ask("/realtime", { site }))).toEqual(expectRealtime(count, now).json);
  return 7;
}

/** Asks for hours with every surface, about the first of some sites. */
export async function checkHours({ surfaces, counts, now }: Asked, choose: Choose): Promise<number> {
  const [count] = counts;
  const asked = { site: chooseName(choose, count.site), days: 1 + choose(7) };
  const hours = expectHours(count, now, asked.days);
  expect(bare(await surfaces.api("/timeseries", { ...asked, interval: "hour" }))).toEqual(hours);
  const right = nameSeries({ json: hours, tables: [] }).json;
  const printed: Body = JSON.parse(await surfaces.shell("timeseries", { ...asked, by: "hour" }, ["--json"]));
  expect(bare(printed)).toEqual(right);
  const { structured } = await surfaces.tool("get_timeseries", { ...asked, interval: "hour" });
  const shown = structured.points as unknown[];
  const points = omitVisits({ json: right, tables: [] }, "points").json.points as unknown[];
  expect({ ...bare(structured), points: shown }).toEqual({
    ...right,
    points: points.slice(points.length - shown.length),
    ...(shown.length < points.length && { truncated: true }),
  });
  return 3;
}

/** Runs every tool and every command about the first of some sites, the commands in one of their formats. */
export async function checkTools(asked: Asked, choose: Choose): Promise<number> {
  const { surfaces, counts, labels, now } = asked;
  const [count] = counts;
  const site = chooseName(choose, count.site);
  const choosePeriod = (most = 365) => ({ site, days: Math.min(most, chooseDays(choose)) });
  const chooseFormats = () => [pick(choose, formats)];
  const [ofStats, ofSeries, ofRows] = [choosePeriod(), choosePeriod(), choosePeriod()];
  const ranked = { ...ofRows, dimension: pick(choose, dimensions), limit: pick(choose, [1, 2, 3, 10, 1000]) };
  const listed = { ...choosePeriod(), limit: pick(choose, [1, 3, 10, 1000]) };
  const chooseVisits = () => pick(choose, [{}, { with: "visits" }]);
  const dimension = pick(choose, [undefined, pick(choose, dimensions)]);
  const empty = emptyOf(count);
  const compared = { ...choosePeriod(182), ...(dimension && { dimension }) };
  const answers = [
    await checkSites(asked, pick(choose, formats)),
    await checkShown(
      surfaces,
      "stats",
      ofStats,
      { ...expectStats(count, now, ofStats.days), empty },
      chooseFormats(),
    ),
    await checkShown(
      surfaces,
      "timeseries",
      { ...ofSeries, ...chooseVisits() },
      { ...nameSeries(expectSeries(count, now, ofSeries.days)), empty },
      chooseFormats(),
    ),
    await checkShown(
      surfaces,
      "breakdown",
      { ...ranked, ...chooseVisits() },
      { ...expectBreakdown(count, labels, now, ranked), empty },
      chooseFormats(),
    ),
    await checkShown(surfaces, "crawlers", listed, expectCrawlers(count, now, listed), chooseFormats()),
    await checkShown(surfaces, "not-found", listed, expectDeadLinks(count, now, listed), chooseFormats()),
    await checkShown(surfaces, "realtime", { site }, expectRealtime(count, now), chooseFormats()),
    await checkOverview(asked, choosePeriod(182), chooseFormats()),
    await checkComparison(asked, compared, chooseFormats()),
    await checkConversions(asked, choosePeriod(), choose, chooseFormats()),
  ];
  return answers.reduce((sum, each) => sum + each);
}

/** Draws a goal that some visitors reach, or nobody; and perhaps a dimension to rank by, and a condition on visits. */
async function checkConversions(
  { surfaces, counts: [count], labels, now }: Asked,
  { site, days }: { site: string; days: number },
  choose: Choose,
  shown: readonly Format[],
): Promise<number> {
  const dates = count.days(now, days);
  const chooseValue = (dimension: Dimension) => {
    const values = count.rows(now, dates, dimension).map(({ value }) => value);
    return values.length === 0 ? null : pick(choose, values);
  };
  const chooseCondition = (dimension: Dimension, name: string = dimension) =>
    `${name}=${escapeText(chooseValue(dimension) ?? "")}`;
  const dimension = pick(choose, ["pages", "events"] as const);
  const value = chooseValue(dimension);
  const goal = `${dimension}=${value === null || choose(6) === 0 ? "nobody has this" : escapeText(value)}`;
  const filter = pick(choose, [
    [],
    [chooseCondition(pick(choose, OPEN_DIMENSIONS))],
    [chooseCondition("pages", "visit:pages")],
  ]);
  const by = pick(choose, [undefined, pick(choose, visitDimensions), readDimension(filter)]);
  // An empty value looks for what has none.
  const conditions = filter.filter((text) => text !== "visit:pages=");
  const asked = {
    ...{ site, days, goal: pick(choose, [goal, `${goal}*`]) },
    ...(by && { by, limit: pick(choose, [1, 3, 1000]) }),
    ...(conditions.length > 0 && { filter: conditions }),
  };
  const right = expectConversions(count, labels, now, { limit: 10, by, ...asked, filter: conditions });
  return checkShown(surfaces, "conversions", asked, { ...right, empty: emptyOf(count) }, shown);
}

/** A random site has channels and devices that the contract does not know, which a filter refuses. */
const OPEN_DIMENSIONS = visitDimensions.filter((name) => name !== "channels" && name !== "devices");

/** The dimension of visits that a filter is about. */
const readDimension = ([condition = ""]: readonly string[]) =>
  visitDimensions.find((dimension) => condition.startsWith(`${dimension}=`));

type Listed = { created_at: string; id: string }[];

/** A list of sites without the time each was added: the contract does not say at what hour. */
const dropCreated = ({ sites, ...rest }: Body) => ({
  ...rest,
  sites: (sites as Listed).map(({ created_at: _, ...each }) => each),
});

function checkListed(body: Body, counts: readonly Count[], now: number): void {
  expect(dropCreated(body)).toEqual(listSites(counts, now).json);
  for (const { id, created_at } of body.sites as Listed) {
    const { added, timezone } = (counts.find(({ site }) => site.id === id) as Count).site;
    // A date that the zone skipped becomes the one after it.
    expect(dateShown(Date.parse(created_at), timezone)).toBe(dateShown(startOf(added, timezone), timezone));
  }
}

const listSites = (counts: readonly Count[], now: number) =>
  expectSites(
    counts.map(({ site }) => site),
    now,
  );

async function checkSites({ surfaces, counts, now }: Asked, format: Format): Promise<number> {
  const { text, structured } = await surfaces.tool("list_sites", {});
  checkListed(bare(structured) as Body, counts, now);
  const { tables } = listSites(counts, now);
  expectText(text, tables);
  const isPage = format.endsWith("page");
  const printed = await surfaces.shell("sites", {}, words[format], { isTTY: isPage });
  if (format === "json") checkListed(JSON.parse(printed), counts, now);
  else if (isPage)
    checkPrinted(printed, { json: {}, tables: tables.map((each) => addTrend(each, counts, now)) }, format);
  else checkPrinted(printed, { json: {}, tables }, format);
  return 2;
}

/** In a terminal each site has its visitors of fourteen days. */
function addTrend({ columns, rows }: Table, counts: readonly Count[], now: number): Table {
  const visitors = new Map(
    counts.map((each) => [each.site.id, each.totals(now, each.days(now, 14)).visitors]),
  );
  return {
    columns: [...columns, { key: "visitors", title: "visitors, 14 days", kind: "count" }],
    rows: rows.map((row) => [...row, visitors.get(String(row[1])) ?? null]),
  };
}

export async function checkOverview(
  { surfaces, counts: [count], labels, now }: Asked,
  params: { site: string; days: number },
  shown: readonly Format[],
): Promise<number> {
  const right = { ...expectOverview(count, labels, now, params.days), empty: emptyOf(count) };
  const { text } = await surfaces.tool("get_overview", params);
  const trend = right.json.trend as {
    from: string;
    visitors: (number | null)[];
    hours?: { visitors: number[] };
  };
  if (right.empty === undefined) {
    const line = trend.hours
      ? expect.stringMatching(
          `^Visitors an hour from ${trend.from} ..:..: ${trend.hours.visitors.join(" ")}$`,
        )
      : `Visitors a day from ${trend.from}: ${trend.visitors.map((visitors) => visitors ?? "–").join(" ")}`;
    expect(text.split("\n")).toContainEqual(line);
  }
  return 1 + (await checkShown(surfaces, "overview", params, right, shown));
}

interface Comparison extends Body {
  dimensions: {
    dimension: string;
    drift: number;
    cut_off: boolean;
    movers: ShownMover[];
    more: More;
  }[];
}
interface More {
  count: number;
  most?: number;
  most_per_day?: number;
}
type ShownMover = Omit<Mover, "current" | "previous" | "change" | "step"> & {
  current: number | null;
  previous: number | null;
  change: Mover["change"] | null;
  bounds?: Record<"current" | "previous" | "change", { least: number; most: number }>;
};

/**
 * A comparison shows the largest movers; which of several equal ones it shows
 * is left to it. What the limit of 1000 rows leaves open is a range that contains the true value.
 */
export async function checkComparison(
  { surfaces, counts: [count], labels, now }: Asked,
  params: { site: string; days: number; dimension?: Dimension },
  shown: readonly Format[],
): Promise<number> {
  const right = expectComparison(count, labels, now, params);
  const check = ({ dimensions: groups, ...body }: Comparison) => {
    expect(bare(body)).toEqual(right.json);
    expect(groups.map(({ dimension }) => dimension)).toEqual(right.moved.map(({ dimension }) => dimension));
    for (const [index, { drift, cut_off, movers, more }] of groups.entries()) {
      const { all, isCutOff } = right.moved[index] as (typeof right.moved)[number];
      expect([drift, cut_off]).toEqual([0, isCutOff]);
      checkMovers(movers, all, isCutOff, right.shown);
      checkOthers(movers, more, all, isCutOff);
    }
  };
  const { text, structured } = await surfaces.tool("compare_periods", params);
  check(structured as Comparison);
  const json = JSON.parse(await surfaces.shell("compare", params, ["--json"])) as Comparison;
  check(json);
  // The tables must show what was compared, in its order.
  const tables = [
    right.windows,
    ...json.dimensions.map(({ dimension, movers }) =>
      tabulateMovers(dimension, movers.map(showBounds), "per_day" in right.json),
    ),
  ];
  const empty = emptyOf(count);
  const uncompared = uncomparedOf(count, right.json.previous.to);
  if (empty !== undefined) expect(text.split("\n")).toContain(empty);
  else if (uncompared !== undefined) expect(text).toContain(`\n${uncompared}`);
  else expectText(text, tables);
  for (const format of shown) {
    if (format === "json") continue;
    const printed = await surfaces.shell("compare", params, words[format], {
      isTTY: format.endsWith("page"),
    });
    const isData = format === "csv" || format === "tsv";
    if (empty === undefined && uncompared !== undefined && !isData) expect(printed).toContain(uncompared);
    else checkPrinted(printed, { json: {}, tables, empty }, format);
  }
  return 2 + shown.length;
}

function checkMovers(movers: ShownMover[], all: Mover[], isCutOff: boolean, most: number): void {
  const byLabel = new Map(all.map((each) => [each.label, each]));
  for (const { label: named, value, current, previous, change, per_day, bounds } of movers) {
    // A tool leaves a label out that is the value.
    const label = named ?? String(value);
    const truth = byLabel.get(label);
    if (!truth) throw new Error(`${label} is no value of the dimension.`);
    if (value !== undefined) expect(value).toBe(truth.value);
    expect([current ?? truth.current, previous ?? truth.previous]).toEqual([truth.current, truth.previous]);
    // A tool leaves the percentage of sums out where averages have one.
    const shown = change && per_day ? { ...change, percent: change.percent ?? null } : change;
    expect(shown ?? truth.change).toEqual(truth.change);
    expect(per_day).toEqual(truth.per_day);
    expect(change === null).toBe(bounds !== undefined);
    if (!bounds) continue;
    const right = { current: truth.current, previous: truth.previous, change: truth.change.absolute ?? 0 };
    for (const each of ["current", "previous", "change"] as const) {
      expect(right[each]).toBeGreaterThanOrEqual(bounds[each].least);
      expect(right[each]).toBeLessThanOrEqual(bounds[each].most);
    }
  }
  expect(new Set(movers.map(({ label, value }) => label ?? value)).size).toBe(movers.length);
  const steps = movers.map(({ change, per_day, bounds }) =>
    bounds
      ? Math.max(bounds.change.least, -bounds.change.most)
      : Math.abs(per_day?.change ?? change?.absolute ?? 0),
  );
  expect(Math.min(...steps, 1)).toBeGreaterThan(0);
  expect(steps).toEqual([...steps].sort((a, b) => b - a));
  if (isCutOff) return;
  const moved = all.filter(({ step }) => step > 0);
  expect(steps).toEqual(
    moved.slice(0, most).map(({ step, per_day: average }) => (average ? Math.abs(average.change) : step)),
  );
}

/** What is said of the values that are not shown: how many of them changed, and by how much at most. */
function checkOthers(movers: ShownMover[], more: More, all: Mover[], isCutOff: boolean): void {
  const shown = new Set(movers.map(({ label, value }) => label ?? String(value)));
  const steps = all
    .filter(({ label }) => !shown.has(label))
    .map(({ step }) => step)
    .filter((step) => step > 0);
  const most = Math.max(0, ...steps);
  const bound = more.most_per_day ?? more.most ?? 0;
  if (!isCutOff) expect([more.count, bound]).toEqual([steps.length, expect.closeTo(most, 1)]);
  expect(more.count).toBeGreaterThanOrEqual(steps.length);
  if (more.most_per_day === undefined) expect(bound).toBeGreaterThanOrEqual(most);
}

/** As a table shows it: what is not known exactly is a range. */
function showBounds({ bounds, change, ...mover }: ShownMover) {
  const show = (window: "current" | "previous"): Cell =>
    mover[window] ?? (bounds ? `${bounds[window].least}–${bounds[window].most}` : null);
  return {
    value: mover.value,
    label: mover.label,
    current: show("current"),
    previous: show("previous"),
    change: change ?? { absolute: bounds ? showRange(bounds.change) : null, percent: null },
    per_day: mover.per_day,
  };
}

/** The end that is closer to zero comes first. */
const showRange = ({ least, most }: { least: number; most: number }) =>
  least > 0 ? `${least}–${most} more` : `${-most}–${-least} fewer`;
