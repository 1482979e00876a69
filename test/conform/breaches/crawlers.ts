import { type Breach, both, edit, on } from "../breach.ts";
import { breachList, editRows, hasDates, isDay, isSpan } from "./request-lists.ts";

const PATH = "/crawlers";

/** One breach for each rule about crawlers. */
export const crawlerBreaches: Record<string, Breach | { breach: Breach; also: string[] }> = {
  ...breachList("crawlers"),
  "crawlers.answer": edit(on(PATH), (body) => {
    body.rows[0].error_percentage = 104;
  }),
  "crawlers.order": editRows(PATH, (rows) => rows.splice(4, 2, rows[5], rows[4])),
  "crawlers.tie-order": editRows(PATH, (rows) => {
    const [first, second] = rows;
    const { value, label } = first;
    first.requests += second.requests;
    const half = Math.floor(first.requests / 2);
    [second.requests, rows[2].requests] = [half, rows[2].requests + (first.requests % 2)];
    first.requests = half;
    for (const row of rows.slice(0, 3)) row.error_percentage = 0;
    if (value < second.value) {
      Object.assign(first, { value: second.value, label: second.label });
      Object.assign(second, { value, label });
    }
  }),
  "crawlers.values-once": {
    breach: editRows(PATH, (rows) => {
      rows.at(-1).value = rows.at(-2).value;
    }),
    // The name that is lost is in the shorter list.
    also: ["crawlers.longer-is-more"],
  },
  "crawlers.pages": editRows(PATH, (rows) => {
    rows[0].pages = rows[0].requests + 1;
  }),
  "crawlers.error-percentage": editRows(PATH, (rows) => {
    rows[0].error_percentage = 0.123;
  }),
  "crawlers.last-seen": editRows(PATH, (rows) => {
    rows[0].last_seen = "2026-10-20T12:00:00+02:00";
  }),
  "crawlers.purpose": editRows(PATH, (rows) => {
    rows[0].purpose = "ai";
  }),
  "crawlers.labels": editRows(PATH, (rows) => {
    rows[0].label = " ";
  }),
  "crawlers.dates": edit(both(hasDates(PATH), isSpan), (body) => {
    body.rows[0].pages--;
  }),
  "crawlers.dates-last-seen": edit(both(hasDates(PATH), isDay), (body) => {
    body.rows[0].last_seen = "2026-11-21T00:30:00+01:00";
  }),
};
