import { type Condition, type Filter, isOnHits } from "../../operations/filter.ts";
import { createMatch } from "../filter-matching.ts";
import { isHitDimension, valueOfVisit } from "./visit-values.ts";
import type { Hit, Visit } from "./visits.ts";

/** A visit with those of its hits that a filter keeps, at least one. */
export interface KeptVisit {
  visit: Visit;
  hits: Hit[];
}

export type Keep = (visits: Visit[]) => KeptVisit[];

/** Creates the choice of a filter: hits that meet all conditions on hits, of visits that meet all conditions on visits. */
export function createKeep(filter: Filter): Keep {
  const ofHits = filter.filter(isOnHits).map(createHitTest);
  const ofVisits = filter.filter((condition) => !isOnHits(condition)).map(createVisitTest);
  return (visits) =>
    visits.flatMap((visit) => {
      if (!ofVisits.every((isMet) => isMet(visit))) return [];
      if (ofHits.length === 0) return [{ visit, hits: visit.hits }];
      const hits = visit.hits.filter((hit) => ofHits.every((isMet) => isMet(hit, visit)));
      return hits.length === 0 ? [] : [{ visit, hits }];
    });
}

type HitTest = (hit: Hit, visit: Visit) => boolean;
type VisitTest = (visit: Visit) => boolean;

function createHitTest(condition: Condition): HitTest {
  const { dimension } = condition;
  const matches = createMatch(condition);
  if (dimension === "pages") return ({ path }) => matches(path);
  if (dimension === "events") return ({ event }) => matches(event);
  return (_, visit) => matches(valueOfVisit[dimension](visit));
}

function createVisitTest(condition: Condition): VisitTest {
  const { dimension, ofVisit, isNot } = condition;
  if (ofVisit || isHitDimension(dimension)) {
    // `visit:pages!=/pricing` keeps visits without any such hit, not those with a hit elsewhere.
    const isSuch = createHitTest({ ...condition, isNot: false });
    return (visit) => visit.hits.some((hit) => isSuch(hit, visit)) !== isNot;
  }
  const matches = createMatch(condition);
  return (visit) => matches(valueOfVisit[dimension](visit));
}
