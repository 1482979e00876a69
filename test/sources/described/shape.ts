import type { Dimension } from "../../../src/operations/dimensions.ts";
import { createDraw, type Draw } from "./draw.ts";
import { type Concept, listWords, type Spelling, spellings } from "./words.ts";

/** What one service chose where SPEC.md leaves a choice. Names are in parts: `page views`. */
export interface Shape {
  seed: string;
  spelling: Spelling;
  names: Names;
  /** Around each answer, outermost first. */
  envelope: string[];
  /** Other members of the outermost object. */
  beside: string[];
  metric: "number" | "digits" | "object";
  stats: {
    /** Name of the object with the totals; undefined if they are not in one. */
    container?: string | undefined;
    /** Whether they are a list of names and values. */
    asList: boolean;
    /** A second object with the numbers of the days before. */
    previous?: string | undefined;
    /** A second object of equal standing, with other numbers. */
    rival?: string | undefined;
  };
  series: {
    form: "objects" | "columns" | "chart" | "sequences" | "keyed" | "table";
    container?: string | undefined;
    dates: "date" | "midnight" | "naive" | "utc" | "instant" | "seconds" | "milliseconds";
    descending: boolean;
    /** Whether days without page views are left out. */
    omits: boolean;
  };
  rows: {
    form: "objects" | "table" | "map";
    container?: string | undefined;
    /** What a row is called by: a general word, or the dimension's own. */
    valueBy: "general" | "dimension" | "plural";
    counts: "both" | "visitors" | "pageviews" | "unnamed";
    /** What a count without a name counts. */
    unnamed: "visitors" | "pageviews";
    hasLabel: boolean;
    percentage: boolean;
    nulls: "null" | "none" | "empty";
  };
  sites: {
    form: "objects" | "names";
    container?: string | undefined;
    ids: "number" | "digits" | "uuid" | "slug";
    hasDomain: boolean;
    hasCreated: boolean;
    pages: "all" | "next" | "link" | "cursor" | "page";
  };
  /** What `site` takes. */
  siteParam: "id" | "domain" | "either";
  realtime: { form: "bare" | "field"; container?: string | undefined; extras: boolean };
  breakdownDays: "described" | "undescribed" | "none";
  /** The days of a breakdown that takes none. */
  defaultDays: 7 | 30;
  days: "any" | "three" | "most";
  /** The last of the days that `days` counts. */
  lastDay: "today" | "yesterday";
  dimensionParam: "plural" | "singular";
  isStrict: boolean;
  visitors: "daily" | "period";
  hasEvents: boolean;
  timezone: "sites" | "answers" | "none";
  /** Whether each answer states its days. */
  statesPeriod: boolean;
  echoes: "none" | "id" | "domain" | "object";
  /** How many other numbers stand beside the asked ones. */
  extras: number;
  /** A word that says nothing in place of one that does. */
  unclear: "none" | "visitors" | "pageviews";
  /** Whether users, of other numbers, stand beside visitors. */
  hasUsers: boolean;
  /** Whether some days have nobody. */
  isQuiet: boolean;
  errors: "text" | "object" | "message" | "problem" | "list" | "reason" | "nested";
  keyStatus: 401 | 403;
  description: "full" | "stale" | "incomplete" | "object" | "none";
  openapi: "3.0.3" | "3.1.0";
  /** How the description says what an answer is. */
  schemas: "inline" | "ref" | "allOf" | "oneOf";
  /** Which member of a schema says what a member of an answer means. */
  meanings: "description" | "title";
  dimensions: [Dimension, Dimension];
}

export interface Names {
  visitors: string;
  pageviews: string;
  events: string;
  active: string;
  date: string;
  value: string;
  label: string;
  count: string;
  percentage: string;
  siteId: string;
  domain: string;
  siteName: string;
  timezone: string;
  createdAt: string;
  period: string;
  start: string;
  end: string;
  current: string;
  previous: string;
  change: string;
  tempting: string[];
  housekeeping: string[];
}

/** The parts of a shape that a test sets itself. */
export type Settings = { [K in keyof Shape]?: Shape[K] extends object ? Partial<Shape[K]> : Shape[K] };

const DIMENSIONS = [
  "pages",
  "referrers",
  "countries",
  "browsers",
  "devices",
  "operating_systems",
] as const satisfies Dimension[];
export type UsedDimension = (typeof DIMENSIONS)[number];

/** Draws a service. The same seed gives the same one, with the same words in use. */
export function drawShape(seed: string, settings: Settings = {}): Shape {
  const draw = createDraw(seed);
  const names = drawNames(draw);
  const drawn = drawForms(draw, seed, names);
  const all = { ...drawn } as Record<string, unknown>;
  for (const [name, value] of Object.entries(settings)) {
    const isNested = typeof value === "object" && !Array.isArray(value);
    all[name] = isNested ? { ...(all[name] as object), ...value } : value;
  }
  return reconcile(all as unknown as Shape);
}

function drawNames(draw: Draw): Names {
  const taken = new Set<string>();
  /** A word that no other member of the same object has. */
  const take = (concept: Concept) => {
    const free = listWords(concept).filter((word) => !taken.has(word));
    const word = draw.pick(free.length === 0 ? [`${listWords(concept)[0]} ${taken.size}`] : free);
    taken.add(word);
    return word;
  };
  const names = {
    visitors: take("visitors"),
    pageviews: take("pageviews"),
    events: take("events"),
    date: take("date"),
    value: take("value"),
    label: take("label"),
    count: take("count"),
    percentage: take("percentage"),
    timezone: take("timezone"),
    period: take("period"),
    start: take("start"),
    end: take("end"),
    tempting: Array.from({ length: 5 }, () => take("tempting")),
    housekeeping: Array.from({ length: 2 }, () => take("housekeeping")),
  };
  // Of objects of their own.
  taken.clear();
  const site = { siteId: take("siteId"), domain: take("domain"), siteName: take("siteName") };
  const metric = { current: take("current"), previous: take("previous"), change: take("change") };
  return {
    ...names,
    ...site,
    ...metric,
    active: draw.pick(listWords("active")),
    createdAt: draw.pick(listWords("createdAt")),
  };
}

function drawForms(draw: Draw, seed: string, names: Names): Shape {
  const container = (concept: Concept, probability: number) =>
    draw.chance(probability) ? draw.pick(listWords(concept)) : undefined;
  const depth = Number(draw.weigh({ 0: 4, 1: 4, 2: 1, 3: 0.5 }));
  const [first = "pages", second = "countries"] = draw.shuffle(DIMENSIONS);
  return {
    seed,
    spelling: draw.pick(spellings),
    names,
    envelope: draw.shuffle(listWords("envelope")).slice(0, depth),
    beside: draw.shuffle(listWords("beside")).slice(0, draw.int(0, 3)),
    metric: draw.weigh({ number: 6, digits: 1.5, object: 1.5 }),
    stats: {
      container: container("totals", 0.4),
      asList: draw.chance(0.04),
      previous: container("previous", 0.15),
      rival: container("totals", 0.05),
    },
    series: {
      form: draw.weigh({ objects: 5, columns: 1, chart: 1, sequences: 1, keyed: 1.5, table: 0.4 }),
      container: container("points", 0.7),
      dates: draw.weigh({
        date: 5,
        midnight: 1,
        naive: 0.7,
        utc: 0.7,
        instant: 0.5,
        seconds: 0.7,
        milliseconds: 0.7,
      }),
      descending: draw.chance(0.2),
      omits: draw.chance(0.2),
    },
    rows: {
      form: draw.weigh({ objects: 9, table: 0.4, map: 0.4 }),
      container: container("rows", 0.7),
      valueBy: draw.weigh({ general: 4, dimension: 4, plural: 1 }),
      counts: draw.weigh({ both: 5, visitors: 2, pageviews: 1.5, unnamed: 1.5 }),
      unnamed: draw.pick(["visitors", "pageviews"] as const),
      hasLabel: draw.chance(0.2),
      percentage: draw.chance(0.3),
      nulls: draw.weigh({ null: 2, none: 2, empty: 1 }),
    },
    sites: {
      form: draw.weigh({ objects: 8, names: 1.5 }),
      container: container("sites", 0.6),
      ids: draw.pick(["number", "digits", "uuid", "slug"] as const),
      hasDomain: draw.chance(0.85),
      hasCreated: draw.chance(0.4),
      pages: draw.weigh({ all: 7, next: 1, link: 0.7, cursor: 1, page: 1 }),
    },
    siteParam: draw.pick(["id", "domain", "either"] as const),
    realtime: {
      form: draw.weigh({ bare: 1, field: 5 }),
      container: container("totals", 0.1),
      extras: draw.chance(0.4),
    },
    breakdownDays: draw.weigh({ described: 3, undescribed: 1, none: 4 }),
    defaultDays: draw.pick([7, 30] as const),
    days: draw.weigh({ any: 5, three: 1.5, most: 2 }),
    lastDay: draw.weigh({ today: 6, yesterday: 1 }),
    dimensionParam: draw.weigh({ plural: 6, singular: 1 }),
    isStrict: draw.chance(0.5),
    visitors: draw.weigh({ daily: 3, period: 1.5 }),
    hasEvents: draw.chance(0.75),
    timezone: draw.weigh({ sites: 5, answers: 1.5, none: 3 }),
    statesPeriod: draw.chance(0.25),
    echoes: draw.weigh({ none: 4, id: 1, domain: 1, object: 1 }),
    extras: draw.int(0, 4),
    unclear: draw.weigh({ none: 12, visitors: 1, pageviews: 1 }),
    hasUsers: draw.chance(0.1),
    isQuiet: draw.chance(0.2),
    errors: draw.pick(["text", "object", "message", "problem", "list", "reason", "nested"] as const),
    keyStatus: draw.pick([401, 401, 401, 403] as const),
    description: draw.weigh({ full: 3, stale: 1, incomplete: 1, object: 1.5, none: 3 }),
    openapi: draw.pick(["3.0.3", "3.1.0"] as const),
    schemas: draw.weigh({ inline: 2, ref: 2, allOf: 1, oneOf: 1 }),
    meanings: draw.weigh({ description: 3, title: 1 }),
    dimensions: [first, second],
  };
}

/** Corrects what cannot be together, or would break SPEC.md. */
function reconcile(shape: Shape): Shape {
  const { sites, siteParam, description, series, realtime } = shape;
  const describes = description === "full" || description === "stale";
  // A service that takes what SPEC.md does not list has to say so, or nobody could know.
  const dimensionParam = describes ? shape.dimensionParam : "plural";
  const breakdownDays =
    shape.breakdownDays === "described" && !describes ? "undescribed" : shape.breakdownDays;
  const isNames = sites.form === "names";
  const hasDomain = isNames || sites.hasDomain || siteParam === "domain";
  const isUsers = !/visitor/.test(shape.names.visitors);
  // A word for both would mean two things.
  const isUnclear = shape.unclear !== "none";
  const form = isUnclear && series.form === "sequences" ? "objects" : series.form;
  return {
    ...shape,
    // Numbers in a list are of another form than those beside it.
    stats: shape.stats.asList ? { ...shape.stats, rival: undefined } : shape.stats,
    rows: isUnclear ? { ...shape.rows, counts: "both" } : shape.rows,
    dimensionParam,
    breakdownDays,
    siteParam: isNames ? "domain" : siteParam,
    sites: { ...sites, hasDomain, pages: isNames && sites.pages !== "all" ? "link" : sites.pages },
    timezone: isNames && shape.timezone === "sites" ? "answers" : shape.timezone,
    // The second of two would be as good.
    hasUsers: shape.hasUsers && !isUsers && shape.unclear !== "visitors",
    // A number cannot have members beside it.
    realtime: { ...realtime, extras: realtime.extras && realtime.form === "field" },
    series: {
      ...series,
      form,
      dates: series.form === "keyed" && /seconds/.test(series.dates) ? "date" : series.dates,
    },
  };
}
