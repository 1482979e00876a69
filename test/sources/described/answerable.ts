import { addDays } from "../../../src/operations/days.ts";
import type { Service } from "./service.ts";
import type { Shape } from "./shape.ts";

/** The fields that a question can have, as the judge counts them. */
export type Field =
  | "sites"
  | "timezone"
  | "visitors"
  | "pageviews"
  | "events"
  | "points.visitors"
  | "points.pageviews"
  | "yesterday.visitors"
  | "yesterday.pageviews"
  | "yesterday.events"
  | "rows.value"
  | "rows.visitors"
  | "rows.pageviews"
  | "rows.count"
  | "active"
  | "sentence"
  | "unknown site";

/** Which fields a person would name who has only the answers and the description. */
export async function findAnswerable(service: Service): Promise<Set<Field>> {
  const { shape } = service;
  // Only descriptions of a member say what an unclear name means; one that is stale has another name.
  const says = (name: "visitors" | "pageviews", path: "stats" | "other") =>
    shape.unclear !== name ||
    shape.description === "full" ||
    (shape.description === "stale" && name === "visitors") ||
    (shape.description === "incomplete" && path === "other");
  const { rival, container } = shape.stats;
  const hasRival = rival !== undefined && rival !== container;
  const isRare = shape.stats.asList;
  // An answer without one of the two is none.
  const saysBoth = (path: "stats" | "other") => says("visitors", path) && says("pageviews", path);
  const isLastShown = await showsLastDay(service);
  // Numbers are of days, which nothing tells where the last one is not listed.
  const hasDays = isLastShown || (shape.timezone !== "none" && shape.lastDay === "today");
  const readsStats = !hasRival && !isRare && hasDays && saysBoth("stats");
  // The labels of a chart are values, which a description does not explain.
  const isNamed = shape.unclear === "none" || shape.series.form !== "chart";
  const readsDays =
    hasDays && isDated(service) && shape.series.form !== "table" && isNamed && saysBoth("other");
  const knowsYesterday =
    (await knowsToday(service)) && knowsDays(shape) && readsStats && (await showsYesterday(service));
  const { form, counts } = shape.rows;
  const readsRows = form === "objects" && (hasDays || shape.breakdownDays !== "described");
  const fields: [Field, boolean][] = [
    ["sites", readsPages(shape)],
    ["timezone", shape.timezone === "sites"],
    ["visitors", readsStats],
    ["pageviews", readsStats],
    ["events", readsStats && shape.hasEvents],
    ["points.visitors", readsDays],
    ["points.pageviews", readsDays],
    ["yesterday.visitors", readsDays && knowsYesterday],
    ["yesterday.pageviews", readsDays && knowsYesterday],
    // Only from the totals of two days and of one.
    ["yesterday.events", readsDays && knowsYesterday && shape.hasEvents && shape.days !== "three"],
    ["rows.value", readsRows],
    ["rows.visitors", readsRows && (counts === "both" || counts === "visitors") && says("visitors", "other")],
    [
      "rows.pageviews",
      readsRows && (counts === "both" || counts === "pageviews") && says("pageviews", "other"),
    ],
    ["rows.count", readsRows && counts === "unnamed"],
    ["active", readsActive(shape)],
    ["sentence", true],
    ["unknown site", readsPages(shape)],
  ];
  return new Set(fields.flatMap(([field, isAnswerable]) => (isAnswerable ? [field] : [])));
}

/** Whether the days of a series are known: an instant is on a day only in a timezone. */
const isDated = ({ shape }: Service): boolean =>
  shape.series.dates !== "instant" || shape.timezone !== "none";

/** Whether a series lists its last day: one that leaves out days without page views may not. */
async function showsLastDay({ shape, days }: Service): Promise<boolean> {
  const [last] = await days(1);
  return !shape.series.omits || (last?.pageviews ?? 0) > 0;
}

/** Whether a series lists the day before today: a day that it leaves out at its end may be missing. */
async function showsYesterday({ shape, site, truth, days }: Service): Promise<boolean> {
  const yesterday = addDays(truth.today(site.site), -1);
  const day = (await days(2)).find(({ date }) => date === yesterday);
  return !shape.series.omits || (day?.pageviews ?? 0) > 0;
}

/** Whether it can be known which day is today: from a timezone, or from a series that ends on the date of the clock. */
export async function knowsToday(service: Service): Promise<boolean> {
  const { shape, site, truth } = service;
  const isPlain = truth.today(site.site) === new Date(truth.now).toISOString().slice(0, 10);
  const isListed = shape.lastDay === "today" && (await showsLastDay(service));
  return shape.timezone !== "none" || (isPlain && isListed);
}

/** Whether it is known which numbers of days may be asked for. */
const knowsDays = ({ days, description }: Shape): boolean =>
  days === "any" || ["full", "stale", "object"].includes(description);

/** Whether somebody would find the other pages of the list: by an address, or by a parameter that is described. */
function readsPages({ sites, description }: Shape): boolean {
  const isDescribed = description !== "none";
  return sites.pages === "cursor" || sites.pages === "page" ? isDescribed : true;
}

function readsActive({ names, realtime, extras, echoes, beside, description }: Shape): boolean {
  const isClear = /visitor|user|people|online|concurrent|live|active/.test(names.active);
  const isAlone =
    !realtime.extras &&
    extras <= 2 &&
    echoes === "none" &&
    !beside.some((name) => ["code", "took", "statistics", "version"].includes(name));
  return realtime.form === "bare" ? isAlone || description === "full" : isClear || isAlone;
}
