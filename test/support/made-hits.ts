import fc from "fast-check";
import { type Dimension, dimensions } from "../../src/operations/dimensions.ts";
import type { Alternative, Condition, Filter } from "../../src/operations/filter.ts";
import { columnsOf, type TextColumn } from "../../src/sources/hits.ts";
import { OTHER } from "../../src/sources/measure/definition.ts";
import { SEED } from "./seed.ts";

/* Made-up hits whose values are hostile to patterns and to SQL, and filters of them. */

const TEXTS = ["a%b", "a_b", "a\\b", "it's", "*", "x|y", "line\nbreak", "ü.*", "$^", "{site:String}"];
const PATHS = ["/", OTHER, ...TEXTS.map((text) => `/${text}`)];
const EVENTS = ["Signup", "50% off", "it's", "a_b"];

export const FILTERED_DAYS = ["2026-11-17", "2026-11-18"] as const;
const MAX_HITS = 3;

export type VisitDimension = Exclude<Dimension, "pages" | "events">;
const visitDimensions = dimensions.filter(
  (dimension): dimension is VisitDimension => dimension !== "pages" && dimension !== "events",
);

export interface MadeHit extends Partial<Record<TextColumn, string>> {
  /** `other`: what a table has of a visitor besides. */
  kind: "pageview" | "event" | "other";
  day: string;
  visitor: number;
  time: number;
  sequence: number;
  visit: number;
  path: string;
}

/** Visits of some visitors on two days, with events before, in and after them; several hits are in the same second. */
export function makeHits(): MadeHit[] {
  const text = fc.constantFrom("", "", OTHER, "plain", ...TEXTS);
  const values = fc.record(
    Object.fromEntries(visitDimensions.map((dimension) => [columnsOf[dimension], text])),
  ) as fc.Arbitrary<Partial<Record<TextColumn, string>>>;
  const step = fc.record({
    seconds: fc.constantFrom(0, 0, 1, 40, 1800),
    path: fc.constantFrom(...PATHS),
    event: fc.option(fc.constantFrom(...EVENTS), { freq: 3 }),
  });
  const visit = fc.record({
    values,
    eventFirst: fc.boolean(),
    steps: fc.array(step, { minLength: 1, maxLength: MAX_HITS }),
  });
  const visitor = fc.record({
    early: fc.boolean(),
    visits: fc.array(visit, { minLength: 1, maxLength: 3 }),
  });
  const visitors = fc.sample(visitor, { numRuns: 60, seed: SEED });
  return visitors.flatMap((made, index) => makeVisitor(made, index));
}

interface Made {
  /** Whether an event comes seconds before the first page view. */
  early: boolean;
  visits: {
    values: Partial<Record<TextColumn, string>>;
    /** Whether an event comes before the first page view, in the same second. */
    eventFirst: boolean;
    /** Page views with the time since the one before, and the event that follows. */
    steps: { seconds: number; path: string; event: string | null }[];
  }[];
}

function makeVisitor({ early, visits }: Made, index: number): MadeHit[] {
  const day = FILTERED_DAYS[index % 2] ?? "";
  const hits: MadeHit[] = [];
  let time = Date.parse(`${day}T08:00:00Z`) / 1000;
  const add = (rest: Pick<MadeHit, "kind" | "visit" | "path"> & Partial<MadeHit>) =>
    hits.push({ day, visitor: 1000 + index, time, sequence: hits.length, ...rest });
  const addEvent = (event: string | null) =>
    event !== null && add({ kind: "event", visit: 0, path: "/file", event });
  if (early) addEvent("Signup");
  time += 7;
  for (const [number, { values, eventFirst, steps }] of visits.entries()) {
    const ends = { entry_page: steps[0]?.path ?? "", exit_page: steps.at(-1)?.path ?? "" };
    if (eventFirst) addEvent("it's");
    for (const { seconds, path, event } of steps) {
      if (path !== steps[0]?.path) time += seconds;
      add({ kind: "pageview", visit: number + 1, path, ...values, ...ends });
      addEvent(event);
    }
    time += 1801;
  }
  return hits;
}

/** A filter of each kind of condition, and random ones of several conditions. */
export function makeFilters(recorded: readonly Dimension[], count: number): Filter[] {
  const ofHits = recorded.filter((dimension) => ["pages", "hostnames", "events"].includes(dimension));
  const kinds = [
    ...recorded.map((dimension) => ({ dimension, ofVisit: false })),
    ...ofHits.map((dimension) => ({ dimension, ofVisit: true })),
  ];
  const condition = (kind: fc.Arbitrary<Pick<Condition, "dimension" | "ofVisit">>) =>
    fc
      .record({ kind, isNot: fc.boolean(), picks: fc.array(fc.nat(), { minLength: 1, maxLength: 3 }) })
      .map(({ kind: { dimension, ofVisit }, isNot, picks }): Condition => {
        const alternatives = picks.map((pick) => chooseAlternative(dimension, pick));
        return { dimension, ofVisit, isNot, alternatives };
      });
  const single = kinds.flatMap((kind) => fc.sample(condition(fc.constant(kind)), { numRuns: 1, seed: SEED }));
  const several = fc.array(condition(fc.constantFrom(...kinds)), { minLength: 1, maxLength: 3 });
  return [...single.map((each) => [each]), ...fc.sample(several, { numRuns: count, seed: SEED })];
}

function chooseAlternative(dimension: Dimension, pick: number): Alternative {
  const values =
    dimension === "events" ? EVENTS : /pages/.test(dimension) ? PATHS : [...TEXTS, "plain", "plain"];
  const value = values[pick % values.length] ?? "";
  const ways: Alternative[] = [
    null,
    [value],
    [value],
    [value.slice(0, 2), ""],
    ["", value.slice(-1)],
    [value.slice(0, 1), value.slice(-1)],
    ["", value.slice(1, 2), ""],
    ["", ""],
  ];
  return ways[Math.floor(pick / values.length) % ways.length] ?? null;
}

/** The hits as rows of a site's table of hits, each day with the row that marks it as loaded. */
export function writeRows(hits: readonly MadeHit[], site: string): string {
  const days = FILTERED_DAYS.map((day) => ({
    kind: "day",
    day,
    time: Date.parse(`${day}T00:00:00Z`) / 1000,
    visitor: 0,
    timezone: "UTC",
    definition: 1,
    pageviews: hits.filter((hit) => hit.day === day && hit.kind === "pageview").length,
  }));
  return [...hits, ...days].map((hit, id) => JSON.stringify({ ...hit, site, id: String(id) })).join("\n");
}
