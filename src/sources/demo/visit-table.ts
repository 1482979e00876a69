import { type HitTable, numberTexts } from "../measure/hit-table.ts";
import { valueOfVisit } from "./visit-values.ts";
import type { Visit } from "./visits.ts";

/**
 * A table of made-up visits. Here, events are hits of their visits.
 *
 * @param until In seconds after midnight: what happens later does not exist yet.
 */
export function tabulateVisits(visits: readonly Visit[], until = Number.POSITIVE_INFINITY): HitTable {
  const rows = listRows(visits, until);
  return {
    length: rows.length,
    visitors: Uint32Array.from(rows, ({ visit }) => visit.visitor),
    visits: Uint32Array.from(rows, ({ number }) => number),
    times: Uint32Array.from(rows, ({ hit }) => hit.at),
    events: Uint8Array.from(rows, ({ hit }) => (hit.event === null ? 0 : 1)),
    column: (dimension) => {
      if (dimension === "pages") return numberTexts(rows.map(({ hit }) => hit.path));
      if (dimension === "events") return numberTexts(rows.map(({ hit }) => hit.event));
      const readValue = valueOfVisit[dimension];
      return numberTexts(rows.map(({ visit }) => readValue(visit)));
    },
  };
}

function listRows(visits: readonly Visit[], until: number) {
  let [visitor, number] = [0, 0];
  return visits.flatMap((visit) => {
    number = visit.visitor === visitor ? number + 1 : 1;
    visitor = visit.visitor;
    return visit.hits.filter(({ at }) => at <= until).map((hit) => ({ hit, visit, number }));
  });
}
