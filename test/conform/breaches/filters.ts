import { formatFilter, parseFilter } from "../../../src/operations/filter.ts";
import {
  type Asked,
  type Body,
  type Breach,
  both,
  edit,
  isStranger,
  not,
  on,
  read,
  refuse,
  rewrite,
  tagBy,
  type When,
} from "../breach.ts";

const filterOf = ({ query }: Asked) => query.getAll("filter");
export const isFiltered: When = ({ query }) => query.has("filter");
const isWhole = not(isFiltered);
/** Has a condition that looks so. */
const filteredBy =
  (form: RegExp): When =>
  (asked) =>
    filterOf(asked).some((text) => form.test(text));

/** Uses other conditions than those that were asked for, and repeats these in the answer as if they had been used. */
export const misread =
  (when: When, change: (filter: string[]) => string[]): Breach =>
  (service) => {
    const other = rewrite(both(isFiltered, when), ({ searchParams }) => {
      const changed = change(searchParams.getAll("filter"));
      searchParams.delete("filter");
      for (const text of changed) searchParams.append("filter", text);
    })(service);
    return edit(both(isFiltered, when), (body, asked) => {
      body.filter = formatFilter(parseFilter(filterOf(asked)));
    })(other);
  };

export const misreadText = (when: When, change: (text: string) => string) =>
  misread(when, (filter) => filter.map(change));

/** Changes all counts of an answer: its own, and those of totals, rows and points. */
const editCounts = (when: When, change: (counts: Body) => void) =>
  edit(when, (body) => {
    for (const counts of [body, body.totals, ...(body.rows ?? []), ...(body.points ?? [])]) {
      if (counts?.visitors !== undefined) change(counts);
    }
  });

const editDevices = (change: (rows: Body) => void) =>
  edit(both(isWhole, on("/breakdown", { dimension: "devices", limit: "1000", days: "30" })), ({ rows }) =>
    change(rows),
  );

/** One breach for each rule about filters and visits. */
export const filterBreaches: Record<string, Breach> = {
  "openapi.filter": edit(on("/openapi.json"), ({ paths }) => {
    const { parameters } = paths["/breakdown"].get;
    parameters.find(({ name }: Body) => name === "filter").explode = false;
  }),
  "isolation.filter": read("site", "example.com", both(isStranger, isFiltered)),

  "visits.together": edit(both(isWhole, on("/stats")), (body) => {
    delete body.visit_seconds;
  }),
  "visits.rows": editDevices((rows) => {
    for (const name of ["visits", "bounces", "visit_seconds"]) delete rows[1][name];
  }),
  "visits.possible": edit(both(isWhole, on("/timeseries", { days: "30" })), ({ points }) => {
    const missing = points[3].visits - points[3].visitors + 1;
    points[3].visits -= missing;
    points[4].visits += missing;
  }),
  "visits.have-hits": editCounts(
    () => true,
    (counts) => {
      if (counts.visits !== undefined) counts.visits *= 3;
    },
  ),
  "visits.adds-up": edit(
    both(isWhole, on("/breakdown", { dimension: "pages", days: "30" })),
    ({ totals }) => {
      totals.visits++;
    },
  ),
  "visits.rows-add-up": editDevices((rows) => {
    rows.at(-1).visits++;
  }),

  "filters.echo": edit(isFiltered, (body, asked) => {
    body.filter = filterOf(asked);
  }),
  "filters.refused": rewrite(filteredBy(/\/conform\\$/), ({ searchParams }) => {
    searchParams.set("filter", "pages=/conform");
  }),
  "filters.bounds": rewrite(
    (asked) => filterOf(asked).length > 10,
    ({ searchParams }) => searchParams.delete("filter", "pages!=/conform-0"),
  ),
  "filters.closed-lists": read("filter", "devices=tv|tablet", filteredBy(/^devices=conform$/)),
  "filters.no-such-value": edit(both(on("/breakdown"), filteredBy(/no-such-page/)), (body) => {
    delete body.warnings;
  }),
  "filters.realtime": edit(both(on("/realtime"), isFiltered), (body) => {
    body.visitors = 4;
  }),
  "filters.rows": edit(both(on("/stats"), filteredBy(/^events=/)), (body) => {
    body.visitors++;
  }),
  "filters.breakdown": edit(both(on("/breakdown", { dimension: "pages" }), filteredBy(/^pages=/)), (body) => {
    if (body.rows.length > 0) body.rows.push({ ...body.rows[0], value: "/", label: "/" });
  }),
  "filters.same-numbers": edit(
    both(on("/breakdown", { from: null }), filteredBy(/^countries=/)),
    ({ totals }) => {
      totals.visitors--;
    },
  ),
  "filters.complement": misread(filteredBy(/^countries!=/), (filter) => [...filter, "countries=*"]),
  "filters.order": misread(both(on("/timeseries"), filteredBy(/^pages!=.*[^x]$/)), (filter) =>
    filter.slice(0, 1),
  ),
  "filters.alternatives": misreadText(filteredBy(/^countries=/), (text) => text.replace(/\|.*/, "")),
  "filters.escaping": misreadText(on("/stats"), (text) => text.replace(/\\\*$/, "*")),
  "filters.wildcard": misreadText(on("/stats"), (text) => text.replace(/^(pages=.*[^\\=])\*$/, "$1")),
  "filters.null": misreadText(on("/timeseries"), (text) => text.replace(/[=]\*$/, "=|*")),
  "filters.visit": misreadText(filteredBy(/^visit:pages=/), (text) => text.replace("visit:", "")),
  "filters.dates": misread(
    both(on("/timeseries"), ({ query }) => query.has("from")),
    () => [],
  ),
  "filters.cache": rewrite(
    both(isFiltered, ({ ifNoneMatch }) => ifNoneMatch !== null),
    ({ searchParams }) => searchParams.delete("filter"),
  ),
};

/** One tag for everything and for what a filter keeps. */
export const sameTag = tagBy(on("/stats"), ({ query }) => `W/"${query.get("site")}/${query.get("days")}"`);

/** A service that has neither filters nor visits. */
export const offersNeither: Breach = (service) => {
  const withoutFilter = edit(on("/openapi.json"), ({ paths }) => {
    for (const { get } of Object.values<Body>(paths))
      get.parameters = get.parameters.filter(({ name }: Body) => name !== "filter");
  })(refuse(isFiltered, 400, "unknown_parameter")(service));
  return editCounts(
    () => true,
    (counts) => {
      for (const name of ["visits", "bounces", "visit_seconds"]) delete counts[name];
    },
  )(withoutFilter);
};

/** A site with a page whose path has every character that a condition escapes. */
export const spellPage = (spell: (path: string) => string): Breach =>
  rename({ "/contact": "/a|b*c\\d" }, spell);

/** Other values, in answers and in filters. */
export function rename(values: Record<string, string>, spell = (value: string) => value): Breach {
  const restore = (filter: string) =>
    Object.entries(values).reduce((text, [own, other]) => text.replaceAll(spell(other), own), filter);
  return (service) => async (request, sent) => {
    const filter = new URL(request.url).searchParams.getAll("filter");
    const response = await rewrite(isFiltered, ({ searchParams }) => {
      searchParams.delete("filter");
      for (const text of filter) searchParams.append("filter", restore(text));
    })(service)(request, sent);
    if (response.status !== 200 || request.method === "HEAD") return response;
    const body = await response.text();
    const renamed = JSON.parse(body, (key, value) => {
      if (key === "filter") return formatFilter(parseFilter(filter));
      return values[value] ?? value;
    });
    return new Response(JSON.stringify(renamed), response);
  };
}
