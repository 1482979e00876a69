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

/** Changes the rows of the basic query. */
export const editRows = (path: string, change: (rows: Body, body: Body) => void) =>
  edit(on(path, { limit: "1000", days: "30" }), (body) => change(body.rows, body));
/** Asks for certain dates: for one, or for several. */
export const hasDates =
  (path: string): When =>
  (asked) =>
    asked.path === path && asked.query.has("from");
export const isDay: When = ({ query }) => query.get("from") === query.get("to");
export const isSpan: When = (asked) => !isDay(asked);

/** One breach for each rule that the operations that rank by requests share. */
export function breachList(section: "crawlers" | "not-found"): Record<string, Breach> {
  const path = `/${section}`;
  return {
    [`${section}.days-default`]: read("days", "7", on(path, { days: null, from: null, to: null })),
    [`${section}.limit-default`]: read("limit", "5", on(path, { limit: null })),
    [`${section}.limit-kept`]: read("limit", "4", on(path, { limit: "2" })),
    [`${section}.truncated`]: edit(on(path, { limit: "2" }), (body) => {
      body.truncated = false;
    }),
    [`${section}.limit-cuts-the-end`]: edit(on(path, { limit: "3" }), (body) => {
      body.totals.requests = body.rows.reduce((sum: number, row: Body) => sum + row.requests, 0);
    }),
    [`${section}.adds-up`]: editRows(path, (rows) => {
      rows[0].requests++;
    }),
    [`${section}.described`]: edit(on("/openapi.json"), ({ paths }) => {
      delete paths[path];
    }),
    [`${section}.needs-key`]: letIn(both(on(path), hasNoKey)),
    [`${section}.parameters`]: forget("conform_unknown", on(path)),
    [`${section}.period`]: edit(on(path, { days: "7" }), (body) => {
      body.period.partial = false;
      body.period.complete_through = body.period.to;
    }),
    [`${section}.longer-is-more`]: edit(on(path, { days: "7" }), (body) => {
      body.rows[0].requests += 1e6;
    }),
    [`${section}.longest`]: edit(on(path, { days: "365" }), (body) => {
      body.totals.requests--;
    }),
    [`${section}.warns-before-data`]: edit(on(path, { days: "365" }), (body) => {
      delete body.warnings;
    }),
    [`${section}.headers`]: refuse(both(on(path), isHead), 405, "method_not_allowed", 200),
    [`${section}.unknown-site`]: refuse(on(path), 404, "not_found", 404),
    [`isolation.${section}`]: edit(
      both(on(path, { from: null }), isStranger),
      (problem) => {
        problem.detail = "This site belongs to another organization.";
      },
      404,
    ),
  };
}
