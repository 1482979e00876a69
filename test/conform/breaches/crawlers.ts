import {
  type Body,
  type Breach,
  both,
  edit,
  forget,
  hasNoKey,
  isHead,
  isStranger,
  letIn,
  on,
  read,
  refuse,
  type When,
} from "../breach.ts";

const editRows = (change: (rows: Body, body: Body) => void) =>
  edit(on("/crawlers", { limit: "1000", days: "30" }), (body) => change(body.rows, body));
const hasDates: When = ({ path, query }) => path === "/crawlers" && query.has("from");
const isDay: When = ({ query }) => query.get("from") === query.get("to");
const isSpan: When = (asked) => !isDay(asked);

/** One breach for each rule about crawlers. */
export const crawlerBreaches: Record<string, Breach> = {
  "crawlers.answer": edit(on("/crawlers"), (body) => {
    body.rows[0].error_percentage = 104;
  }),
  "crawlers.days-default": read("days", "7", on("/crawlers", { days: null, from: null, to: null })),
  "crawlers.limit-default": read("limit", "5", on("/crawlers", { limit: null })),
  "crawlers.limit-kept": read("limit", "4", on("/crawlers", { limit: "2" })),
  "crawlers.truncated": edit(on("/crawlers", { limit: "2" }), (body) => {
    body.truncated = false;
  }),
  "crawlers.limit-cuts-the-end": edit(on("/crawlers", { limit: "3" }), (body) => {
    body.totals.requests = body.rows.reduce((sum: number, row: Body) => sum + row.requests, 0);
  }),
  "crawlers.order": editRows((rows) => rows.splice(4, 2, rows[5], rows[4])),
  "crawlers.tie-order": editRows((rows) => {
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
  "crawlers.values-once": editRows((rows) => {
    rows.at(-1).value = rows.at(-2).value;
  }),
  "crawlers.adds-up": editRows((rows) => {
    rows[0].requests++;
  }),
  "crawlers.pages": editRows((rows) => {
    rows[0].pages = rows[0].requests + 1;
  }),
  "crawlers.error-percentage": editRows((rows) => {
    rows[0].error_percentage = 0.123;
  }),
  "crawlers.last-seen": editRows((rows) => {
    rows[0].last_seen = "2026-10-20T12:00:00+02:00";
  }),
  "crawlers.purpose": editRows((rows) => {
    rows[0].purpose = "ai";
  }),
  "crawlers.labels": editRows((rows) => {
    rows[0].label = " ";
  }),
  "crawlers.described": edit(on("/openapi.json"), ({ paths }) => {
    delete paths["/crawlers"];
  }),
  "crawlers.needs-key": letIn(both(on("/crawlers"), hasNoKey)),
  "crawlers.parameters": forget("conform_unknown", on("/crawlers")),
  "crawlers.period": edit(on("/crawlers", { days: "7" }), (body) => {
    body.period.partial = false;
    body.period.complete_through = body.period.to;
  }),
  "crawlers.longer-is-more": edit(on("/crawlers", { days: "7" }), (body) => {
    body.rows[0].requests += 1e6;
  }),
  "crawlers.dates": edit(both(hasDates, isSpan), (body) => {
    body.rows[0].pages--;
  }),
  "crawlers.dates-last-seen": edit(both(hasDates, isDay), (body) => {
    body.rows[0].last_seen = "2026-11-21T00:30:00+01:00";
  }),
  "crawlers.longest": edit(on("/crawlers", { days: "365" }), (body) => {
    body.totals.requests--;
  }),
  "crawlers.warns-before-data": edit(on("/crawlers", { days: "365" }), (body) => {
    delete body.warnings;
  }),
  "crawlers.headers": refuse(both(on("/crawlers"), isHead), 405, "method_not_allowed", 200),
  "crawlers.unknown-site": refuse(on("/crawlers"), 404, "not_found", 404),
  "isolation.crawlers": edit(
    both(on("/crawlers", { from: null }), isStranger),
    (problem) => {
      problem.detail = "This site belongs to another organization.";
    },
    404,
  ),
};
