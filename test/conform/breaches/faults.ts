import { addDays } from "../../../src/operations/days.ts";
import { DEMO_KEY } from "../../support/api.ts";
import { always, type Breach, edit, forget, letIn, on, read, refuse, tagBy } from "../breach.ts";
import type { RunOptions } from "../service.ts";
import { editRowsLike } from "./numbers.ts";

export interface Fault {
  breach: Breach;
  /** The rules that name it. */
  rules: string[];
  options?: RunOptions;
}

const fault = (breach: Breach, ...rules: string[]): Fault => ({ breach, rules });

/** Treats a wrong value of a parameter as a right one. */
const accepts = (path: string, name: string, wrong: string, right: string) =>
  read(name, right, on(path, { [name]: wrong }));

const editValue = (dimension: string, value: string) =>
  edit(on("/breakdown", { dimension }), (body) => {
    body.rows[0].value = value;
  });

/** The days of a site in UTC: what happened since the site's own midnight is on UTC's day before. */
const numbersInUtc = edit(
  ({ path, query }) => path === "/stats" && query.get("site") === "example.com" && query.get("days") === "1",
  (body) => Object.assign(body, { visitors: 0, pageviews: 0, events: 0 }),
);

/** Reads a body as the query, as frameworks do that mix both. */
const readsForm: Breach = (service) => async (request, sent) => {
  const url = new URL(request.url);
  if (request.headers.get("content-type") === "application/x-www-form-urlencoded") {
    for (const [name, value] of new URLSearchParams(sent)) url.searchParams.set(name, value);
  }
  return service(new Request(url, request));
};

const hasKey =
  (scheme: string, key: string) =>
  ({ authorization }: { authorization: string | null }) =>
    authorization === `${scheme} ${key}`;

/** Further ways to break a rule, as real services do. */
export const faults: Record<string, Fault> = {
  "truncated: true when total_rows equals the limit": fault(
    edit(on("/breakdown"), (body) => {
      body.truncated = body.rows.length >= body.limit;
    }),
    "breakdown.truncated",
  ),
  "rows of entry_pages are those of pages": fault(
    editRowsLike("entry_pages", "pages", (row, page) => Object.assign(row, page)),
    "breakdown.entries-are-visits",
  ),
  "rows of exit_pages have the page views of the page": fault(
    editRowsLike("exit_pages", "pages", (row, page) => {
      row.pageviews = page.pageviews;
    }),
    "breakdown.entries-are-visits",
  ),
  "rows of entry_pages count visits in place of page views": fault(
    edit(on("/breakdown", { dimension: "entry_pages" }), ({ rows }) => {
      for (const row of rows) row.pageviews = row.visitors;
    }),
    "breakdown.entries-add-up",
  ),
  "today is a day in UTC": {
    breach: numbersInUtc,
    rules: ["realtime.within-days", "series.ends-in-today"],
    // 01:38 in Berlin, with visitors.
    options: { start: Date.parse("2026-06-17T23:38:00Z") },
  },
  "a period in UTC, of a site that was not chosen": fault(
    edit(on("/stats", { site: "docs.example.com" }), ({ period }) => {
      for (const name of ["from", "to", "complete_through"]) period[name] = addDays(period[name], 1);
    }),
    "period.ends-today",
  ),
  "the timezone of another site, of a site that was not chosen": fault(
    edit(on("/stats", { site: "shop.example.net" }), ({ period }) => {
      period.timezone = "Europe/Berlin";
    }),
    "period.timezone",
  ),
  "the key after Token": fault(letIn(hasKey("Token", DEMO_KEY)), "auth.other-scheme"),
  "the key after Basic": fault(letIn(hasKey("Basic", DEMO_KEY)), "auth.other-scheme"),
  "the key in capitals": fault(letIn(hasKey("Bearer", DEMO_KEY.toUpperCase())), "auth.whole-key"),
  "days with a full-width digit": fault(accepts("/stats", "days", "\uff17", "7"), "params.days-form"),
  "days with a line break": fault(accepts("/stats", "days", "7\n", "7"), "params.days-form"),
  "days with a space": fault(accepts("/stats", "days", " 7", "7"), "params.days-form"),
  "limit with a line break": fault(accepts("/breakdown", "limit", "7\n", "7"), "params.limit-form"),
  "limit with a full-width digit": fault(accepts("/breakdown", "limit", "\uff17", "7"), "params.limit-form"),
  "a dimension with a space": fault(
    accepts("/breakdown", "dimension", " pages", "pages"),
    "params.dimension-exact",
  ),
  "a domain that lacks its last letter": fault(
    accepts("/stats", "site", "example.co", "example.com"),
    "sites.whole-name",
  ),
  "an id that lacks its last character": fault(
    accepts("/stats", "site", "site_7f3", "example.com"),
    "sites.whole-name",
  ),
  "an id with one more character": fault(
    accepts("/stats", "site", "site_7f3k0", "example.com"),
    "sites.whole-name",
  ),
  "an ETag made of the address, seen because the numbers change": {
    breach: tagBy(always, ({ path, query }) => `W/"${path}?${query}"`),
    rules: ["headers.etag-of-content"],
    // At noon, with a second between two requests.
    options: { otherKey: undefined, start: Date.parse("2026-11-18T11:00:00Z"), pace: 1_000 },
  },
  ...Object.fromEntries(
    ["XX", "ZZ", "UK", "EU"].map((code) => [
      `the country ${code}`,
      fault(editValue("countries", code), "breakdown.countries"),
    ]),
  ),
  "the region XX-00": fault(editValue("regions", "XX-00"), "breakdown.regions"),
  "the region DE-00": fault(editValue("regions", "DE-00"), "breakdown.regions"),
  "the language unknown": fault(editValue("languages", "unknown"), "breakdown.languages"),
  "a form in the body": fault(readsForm, "params.body-ignored"),
  "crawlers that are described but not there": fault(
    refuse(on("/crawlers"), 404, "not_found"),
    "crawlers.answer",
  ),
  "crawlers that know no site, and are not described": fault(
    (service) =>
      refuse(
        on("/crawlers"),
        404,
        "site_not_found",
      )(
        edit(on("/openapi.json"), ({ paths }) => {
          delete paths["/crawlers"];
        })(service),
      ),
    "crawlers.answer",
  ),
  "crawlers of 30 days, whatever was asked for": fault(
    forget("days", on("/crawlers", { days: "7" })),
    "crawlers.period",
  ),
  "crawlers of the days up to today, whatever dates were asked for": fault(
    (service) => forget("from", on("/crawlers"))(forget("to", on("/crawlers"))(service)),
    "crawlers.dates",
  ),
  "crawlers seen after as_of": fault(
    edit(on("/crawlers"), (body) => {
      body.rows[0].last_seen = "2026-11-21T23:59:59+01:00";
    }),
    "crawlers.last-seen",
  ),
  "a share of errors that so few requests cannot have": fault(
    edit(on("/crawlers", { limit: "1000", days: "30" }), (body) => {
      Object.assign(body.rows.at(-1), { error_percentage: 0.7 });
    }),
    "crawlers.error-percentage",
  ),
};
