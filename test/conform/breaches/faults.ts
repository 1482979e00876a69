import { addDays } from "../../../src/operations/days.ts";
import { DEMO_KEY } from "../../support/api.ts";
import {
  always,
  type Body,
  type Breach,
  both,
  edit,
  field,
  fields,
  forget,
  isHead,
  isStranger,
  letIn,
  not,
  on,
  read,
  refuse,
  rewrite,
  tagBy,
  type When,
  without,
} from "../breach.ts";
import type { RunOptions } from "../service.ts";
import { filterFaults, isFiltered, misread, misreadText, rename, sameTag, spellPage } from "./filters.ts";
import { countByOldOffset } from "./hours.ts";
import { editRowsLike } from "./numbers.ts";

export interface Fault {
  breach: Breach;
  /** The rules that name it. */
  rules: string[];
  options?: RunOptions;
}

const fault = (breach: Breach, ...rules: string[]): Fault => ({ breach, rules });

/** Today at example.com. */
const TODAY = "2026-11-21";
const hasDates: When = ({ query }) => query.has("from");

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

/** Gives the fourth day so many bounces, taken from later days: their sum stays the same. */
function moveBounces(points: Body, wanted: number) {
  for (const point of points.slice(4)) {
    const moved = Math.min(wanted - points[3].bounces, point.bounces);
    points[3].bounces += moved;
    point.bounces -= moved;
  }
}

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
    "filters.complement",
    "filters.rows",
    "filters.whole-visits",
  ),
  "rows of exit_pages have the page views of the page": fault(
    editRowsLike("exit_pages", "pages", (row, page) => {
      row.pageviews = page.pageviews;
    }),
    "breakdown.entries-add-up",
    "breakdown.entries-are-visits",
    "filters.complement",
    "filters.rows",
  ),
  "rows of entry_pages count visits in place of page views": fault(
    edit(on("/breakdown", { dimension: "entry_pages" }), ({ rows }) => {
      for (const row of rows) row.pageviews = row.visitors;
    }),
    "breakdown.entries-add-up",
    "filters.complement",
    "filters.rows",
  ),
  "today is a day in UTC": {
    breach: numbersInUtc,
    rules: ["realtime.within-days", "series.ends-in-today"],
    // 01:26 in Berlin, with visitors.
    options: { start: Date.parse("2026-06-17T23:26:00Z") },
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
    // At noon, with a second between two requests; the rule looks at what others of its section have asked.
    options: {
      otherKey: undefined,
      start: Date.parse("2026-11-18T11:00:00Z"),
      pace: 1_000,
      only: ["headers"],
    },
  },
  ...Object.fromEntries(
    ["XX", "ZZ", "UK", "EU"].map((code) => [
      `the country ${code}`,
      fault(rename({ DE: code }), "breakdown.countries"),
    ]),
  ),
  "the region XX-00": fault(
    editValue("regions", "XX-00"),
    "breakdown.regions",
    "filters.complement",
    "filters.no-such-value",
    "filters.rows",
  ),
  "the region DE-00": fault(
    editValue("regions", "DE-00"),
    "breakdown.regions",
    "filters.complement",
    "filters.no-such-value",
    "filters.rows",
  ),
  "the language unknown": fault(
    editValue("languages", "unknown"),
    "breakdown.languages",
    "filters.complement",
    "filters.no-such-value",
    "filters.rows",
  ),
  "a form in the body": fault(readsForm, "params.body-ignored"),
  "crawlers that are described but not there": fault(
    refuse(on("/crawlers"), 404, "not_found"),
    "crawlers.answer",
    // The document offers dates there.
    "dates.alone-refused",
    "dates.days-refused",
    "dates.form-refused",
    "dates.future-refused",
    "dates.reversed-refused",
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
  "dead links that are described but not there": fault(
    refuse(on("/not-found"), 404, "not_found"),
    "not-found.answer",
    "dates.alone-refused",
    "dates.days-refused",
    "dates.form-refused",
    "dates.future-refused",
    "dates.reversed-refused",
  ),
  "referrers of dead links with their scheme": fault(
    edit(on("/not-found"), (body) => {
      for (const { referrers } of body.rows) {
        for (const referrer of referrers) referrer.value = `https://${referrer.value}`;
      }
    }),
    "not-found.internal",
  ),
  "crawlers of 30 days, whatever was asked for": fault(
    forget("days", on("/crawlers", { days: "7" })),
    "crawlers.period",
  ),
  "crawlers of the days up to today, whatever dates were asked for": fault(
    (service) => forget("from", on("/crawlers"))(forget("to", on("/crawlers"))(service)),
    "crawlers.dates",
    "crawlers.longest",
    // A wrong parameter is then not seen either.
    "dates.alone-refused",
    "dates.days-refused",
    "dates.form-refused",
    "dates.future-refused",
    "dates.period",
    "dates.reversed-refused",
  ),
  "another organization's site in the crawlers of certain dates": fault(
    read("site", "example.com", both(isStranger, on("/crawlers"), hasDates)),
    "isolation.dates",
  ),
  "finished days in shared caches": fault(
    field("cache-control", "public, max-age=60", both(on("/crawlers"), hasDates), 200),
    "dates.cache",
  ),
  "finished days without Cache-Control": fault(
    without("cache-control", both(on("/timeseries"), hasDates), 200),
    "dates.cache",
  ),
  "tomorrow as the last day": fault(
    read("to", TODAY, on("/timeseries", { to: addDays(TODAY, 1) })),
    "dates.future-refused",
  ),
  "tomorrow as the last day, of crawlers": fault(
    read("to", TODAY, on("/crawlers", { to: addDays(TODAY, 1) })),
    "dates.future-refused",
  ),
  "dates that end today, as if they were over": fault(
    edit(
      both(hasDates, ({ query }) => query.get("to") === TODAY),
      ({ period }) => Object.assign(period, { partial: false, complete_through: TODAY }),
    ),
    "dates.period",
  ),
  "complete_through is yesterday, for earlier dates too": fault(
    edit(both(on("/stats"), hasDates), ({ period }) => {
      period.complete_through = addDays(TODAY, -1);
    }),
    "dates.period",
  ),
  "dates without a timezone": fault(
    edit(both(on("/breakdown"), hasDates), ({ period }) => {
      period.timezone = "";
    }),
    "dates.period",
  ),
  "crawlers of certain dates, without a timezone": fault(
    edit(both(on("/crawlers"), hasDates), ({ period }) => {
      period.timezone = "";
    }),
    "dates.period",
  ),
  "dates in full-width digits": fault(
    rewrite(
      ({ path, query }) => path === "/timeseries" && /^\uff12/.test(query.get("from") ?? ""),
      ({ searchParams }) => searchParams.set("from", (searchParams.get("from") ?? "").normalize("NFKC")),
    ),
    "dates.form-refused",
  ),
  "a year that begins a day late": fault(
    edit(on("/timeseries", { days: "365" }), ({ points }) => {
      Object.assign(points[0], { visitors: 0, pageviews: 0 });
    }),
    "dates.same-numbers",
    "series.adds-up",
  ),
  "a breakdown of 364 days, for 365": fault(
    edit(on("/breakdown", { days: "365" }), ({ totals }) => {
      totals.visitors -= 20;
    }),
    "breakdown.totals",
  ),
  "weeks, for a year": fault(
    edit(on("/timeseries", { days: "365" }), (body) => {
      body.interval = "week";
    }),
    "series.interval",
  ),
  "a 304 with a tag of its own": fault(field("etag", 'W/"other"', always, 304), "headers.etag-304-fields"),
  "Content-Length: 0 on HEAD": fault(field("content-length", "0", isHead, 200), "headers.head"),
  "RateLimit with fractions": fault(field("ratelimit", '"default";r=119.5;t=42'), "rate-limit.form"),
  "RateLimit with a fraction of a second": fault(
    field("ratelimit", '"default";r=119;t=0.5'),
    "rate-limit.form",
  ),
  "RateLimit-Policy without quotes": fault(
    field("ratelimit-policy", "default;q=120;w=60"),
    "rate-limit.form",
  ),
  "a second RateLimit without a number": fault(
    field("ratelimit", '"default";r=119;t=42, "daily";t=80000'),
    "rate-limit.form",
  ),
  "X-RateLimit-Remaining with fractions": fault(field("x-ratelimit-remaining", "119.5"), "rate-limit.form"),
  "Retry-After: 0": fault(field("retry-after", "0", always, 429), "rate-limit.refusal"),
  "Retry-After: -5": fault(field("retry-after", "-5", always, 429), "rate-limit.refusal"),
  "a Retry-After that is over": fault(
    fields(
      always,
      (headers) => {
        headers.set("date", "Sat, 21 Nov 2026 04:05:10 GMT");
        headers.set("retry-after", "Sat, 21 Nov 2026 04:05:10 GMT");
      },
      429,
    ),
    "rate-limit.refusal",
  ),
  "the key with another last character": fault(
    letIn(({ authorization }) => authorization?.slice(0, -1) === `Bearer ${DEMO_KEY.slice(0, -1)}`),
    "auth.whole-key",
  ),
  "the id in capitals": fault(accepts("/stats", "site", "SITE_7F3K", "example.com"), "sites.whole-name"),
  "a domain compared without accents": fault(
    accepts("/stats", "site", "éxample.com", "example.com"),
    "sites.whole-name",
  ),
  "an id compared without accents": fault(
    accepts("/stats", "site", "síte_7f3k", "example.com"),
    "sites.whole-name",
  ),
  "days in Arabic digits": fault(accepts("/timeseries", "days", "\u0667", "7"), "params.days-form"),
  "days of crawlers in Arabic digits": fault(
    accepts("/crawlers", "days", "\u0667", "7"),
    "crawlers.parameters",
  ),
  "from alone in the OpenAPI document": fault(
    edit(on("/openapi.json"), ({ paths }) => {
      const { get } = paths["/breakdown"];
      get.parameters = get.parameters.filter(({ name }: Body) => name !== "to");
    }),
    "openapi.dates",
  ),
  "crawlers seen after as_of": fault(
    edit(on("/crawlers"), (body) => {
      body.rows[0].last_seen = "2026-11-21T23:59:59+01:00";
    }),
    "crawlers.dates-last-seen",
    "crawlers.last-seen",
  ),
  ...Object.fromEntries(
    Object.entries(filterFaults).map(([name, [breach, ...rules]]) => [name, fault(breach, ...rules)]),
  ),
  "a filter that is ignored": fault(
    forget("filter", isFiltered),
    "filters.bounds",
    "filters.closed-lists",
    "filters.echo",
    "filters.refused",
  ),
  "a filter that is checked and repeated, but used in /stats alone": fault(
    misread(
      ({ path, query }) => path !== "/stats" && !query.getAll("filter").includes("conform=x"),
      () => [],
    ),
    "filters.breakdown",
    "filters.complement",
    "filters.dates",
    "filters.days",
    "filters.hits",
    "filters.no-such-value",
    "filters.null",
    "filters.pairs",
    "filters.realtime",
    "filters.same-numbers",
    "filters.visit",
    "filters.whole-visits",
  ),
  "the hours of a day on which the clocks are set forward, by the offset before": fault(
    countByOldOffset(({ query }) => query.get("from") === "2026-03-28", "2026-03-29T03"),
    "hours.clock-changes",
  ),
  "missing: true on days without kept hits": fault(
    edit(both(on("/timeseries"), isFiltered), ({ points }) => {
      for (const point of points) if (point.visitors === 0) point.missing = true;
    }),
    "filters.no-such-value",
  ),
  "missing: true on a day with data, by hour": fault(
    edit(both(on("/timeseries", { interval: "hour", site: "parked.example" })), ({ points }) => {
      points[0].visitors = 1;
    }),
    "hours.missing",
  ),
  "seconds of kept hits alone, in /stats": fault(
    edit(
      both(on("/stats"), ({ query }) => /^pages=/.test(query.get("filter") ?? "")),
      (body) => {
        body.visit_seconds = Math.floor(body.visit_seconds / 2);
      },
    ),
    "filters.whole-visits",
  ),
  "the ETag of everything, for what a filter keeps": fault(sameTag, "filters.cache"),
  "visit: with != as a condition on hits": fault(
    misreadText(isFiltered, (text) => text.replace("visit:pages!=", "pages!=")),
    "filters.pairs",
    "filters.visit",
  ),
  "a condition that also keeps what has no value": fault(
    misreadText(isFiltered, (text) => text.replace(/^(countries=[A-Z]+)$/, "$1|")),
    "filters.breakdown",
    "filters.complement",
    "filters.pairs",
    "filters.rows",
  ),
  "a path that is compared with its backslashes": fault(
    spellPage((path) => path),
    "filters.escaping",
  ),
  "an empty list of conditions, in an answer about everything": fault(
    edit(both(on("/realtime"), not(isFiltered)), (body) => {
      body.filter = [];
    }),
    "filters.echo",
  ),
  "visits in the points alone": fault(
    edit(on("/stats"), (body) => {
      for (const name of ["visits", "bounces", "visit_seconds"]) delete body[name];
    }),
    "visits.together",
  ),
  "more bounces than visits, on one day": fault(
    edit(both(on("/timeseries", { days: "30" }), not(isFiltered)), ({ points }) => {
      moveBounces(points, points[3].visits + 1);
    }),
    "visits.possible",
  ),
  "seconds of visits that are all bounces": fault(
    edit(both(on("/timeseries", { days: "30" }), not(isFiltered)), ({ points }) => {
      moveBounces(points, points[3].visits);
    }),
    "visits.possible",
  ),
  "visits of /stats that are not those of its days": fault(
    edit(both(on("/stats"), not(isFiltered)), (body) => {
      body.visits++;
    }),
    "visits.adds-up",
  ),
  "a share of errors that so few requests cannot have": fault(
    edit(on("/crawlers", { limit: "1000", days: "30" }), (body) => {
      Object.assign(body.rows.at(-1), { error_percentage: 0.7 });
    }),
    "crawlers.error-percentage",
  ),
};
