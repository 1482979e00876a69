import { type Body, type Breach, both, edit, on } from "../breach.ts";
import { breachList, editRows, hasDates, isSpan } from "./request-lists.ts";

const PATH = "/not-found";

/** Gives another name to a path that nobody has asked for in the last days. */
function nameFormer(rows: Body[], value: string): void {
  const row = rows.find((each) => each.value === "/launhc");
  if (row !== undefined) row.value = value;
}

/** One breach for each rule about dead links. */
export const notFoundBreaches: Record<string, Breach> = {
  ...breachList("not-found"),
  "not-found.answer": edit(on(PATH), (body) => {
    body.rows[0].referrers = null;
  }),
  "not-found.order": editRows(PATH, (rows) => rows.splice(4, 2, rows[5], rows[4])),
  // The demo's first path comes after its second one.
  "not-found.tie-order": editRows(PATH, ([first, second, third]) => {
    const sum = first.requests + second.requests;
    const tie = { requests: Math.floor(sum / 2), visitors: 1, referrers: [] };
    Object.assign(first, tie);
    Object.assign(second, tie);
    third.requests += sum % 2;
  }),
  "not-found.values-once": editRows(PATH, (rows) => {
    nameFormer(rows, rows.at(-1).value);
  }),
  "not-found.visitors": editRows(PATH, (rows) => {
    rows[0].visitors = rows[0].requests + 1;
  }),
  "not-found.unprompted": editRows(PATH, (rows) => {
    nameFormer(rows, "/apple-touch-icon-precomposed.png");
  }),
  "not-found.other": editRows(PATH, (rows) => {
    rows[1].other = true;
  }),
  "not-found.referrers": editRows(PATH, (rows) => {
    rows[0].referrers[0].requests = rows[0].requests + 1;
  }),
  "not-found.referrer-order": editRows(PATH, (rows) => {
    rows[0].referrers.reverse();
  }),
  "not-found.internal": editRows(PATH, (rows) => {
    rows[1].referrers[0].internal = false;
  }),
  "not-found.status": edit(on(PATH, { status: "5xx" }), (body) => {
    delete body.status;
  }),
  "not-found.dates": edit(both(hasDates(PATH), isSpan), (body) => {
    body.rows[0].visitors--;
  }),
  "not-found.dates-excluded": edit(both(hasDates(PATH), isSpan), (body) => {
    body.excluded.scanners++;
  }),
};
