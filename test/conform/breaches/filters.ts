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

export const filterOf = ({ query }: Asked) => query.getAll("filter");
export const isFiltered: When = ({ query }) => query.has("filter");
const isWhole = not(isFiltered);
/** Has a condition that looks so. */
export const filteredBy =
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
export const editCounts = (when: When, change: (counts: Body) => void) =>
  edit(when, (body) => {
    for (const counts of [body, body.totals, ...(body.rows ?? []), ...(body.points ?? [])]) {
      if (counts?.visitors !== undefined) change(counts);
    }
  });

const editDevices = (change: (rows: Body) => void) =>
  edit(both(isWhole, on("/breakdown", { dimension: "devices", limit: "1000", days: "30" })), ({ rows }) =>
    change(rows),
  );

/** Takes several conditions that begin so as one with alternatives. */
const alternate = (start: string) =>
  misread(
    (asked) => filterOf(asked).every((text) => text.startsWith(start)),
    (filter) => [start + filter.map((text) => text.slice(start.length)).join("|")],
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
  "filters.exact": misreadText(isFiltered, (text) => text.replace(/(?<=^pages=.*\|.*\|)(?=[^|]*$)/, "/*|")),
  "filters.pairs": alternate("pages="),
  "filters.hits": misreadText(
    both(on("/breakdown", { dimension: "referrers" }), filteredBy(/^pages=/)),
    (text) => text.replace("pages", "visit:pages"),
  ),
  "filters.whole-visits": edit(both(on("/breakdown"), filteredBy(/^pages=/)), ({ rows, totals }) => {
    for (const counts of [...rows, totals]) if (counts.bounces > 0) counts.bounces--;
  }),
  "filters.days": edit(both(on("/breakdown", { days: "7" }), isFiltered), ({ totals }) => {
    totals.visitors++;
  }),
  "filters.breakdown": edit(both(on("/breakdown", { dimension: "pages" }), filteredBy(/^pages=/)), (body) => {
    if (body.rows.length > 0) body.rows.push({ ...body.rows[0], value: "/", label: "/" });
  }),
  "filters.same-numbers": edit(
    both(on("/breakdown", { from: null, days: "30" }), filteredBy(/^countries=/)),
    ({ totals }) => {
      totals.visitors--;
    },
  ),
  "filters.complement": misread(filteredBy(/^utm_sources!=/), (filter) => [...filter, "utm_sources=*"]),
  "filters.order": misread(
    (asked) => /^pages!=.*,countries=/.test(`${filterOf(asked)}`),
    (filter) => filter.slice(0, 1),
  ),
  "filters.alternatives": misreadText(filteredBy(/^countries=/), (text) => text.replace(/\|.*/, "")),
  "filters.escaping": misreadText(on("/stats"), (text) => text.replace(/\\\*$/, "*")),
  "filters.wildcard": misreadText(on("/stats"), (text) => text.replace(/^(pages=.*[^\\=])\*$/, "$1")),
  "filters.null": misreadText(on("/timeseries"), (text) => text.replace(/[=]\*$/, "=|*")),
  "filters.visit": misreadText(
    (asked) => /^visit:pages!=[^,]*$/.test(`${filterOf(asked)}`),
    (text) => text.replace("visit:", ""),
  ),
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

/** Sends two conditions one by one, and counts what meets either of them. */
const joinByOr: Breach = (service) => async (request, sent) => {
  const response = await service(request, sent);
  const url = new URL(request.url);
  const [first, second, ...more] = url.searchParams.getAll("filter");
  if (response.status !== 200 || first === undefined || second === undefined || more.length > 0)
    return response;
  const ask = async (filter: string): Promise<Body> => {
    const own = new URL(url);
    own.searchParams.set("filter", filter);
    return (await service(new Request(own, request), sent)).json();
  };
  const [body, one, other]: Body[] = [await response.json(), await ask(first), await ask(second)];
  const join = (counts: Body, a: Body, b: Body) => {
    for (const name of ["visitors", "pageviews", "events", "visits", "bounces", "visit_seconds"])
      if (typeof counts?.[name] === "number") counts[name] = a[name] + b[name] - counts[name];
  };
  join(body, one, other);
  for (const [index, point] of (body.points ?? []).entries())
    join(point, one.points[index], other.points[index]);
  return new Response(JSON.stringify(body), response);
};

export const ignoring = (dimension: string) =>
  misread(isFiltered, (filter) => filter.filter((text) => !text.startsWith(dimension)));

/** Answers for other days than those that the period names. */
const ignoresDays: Breach = (service) => async (request, sent) => {
  const url = new URL(request.url);
  const response = await service(request, sent);
  if (!url.searchParams.has("filter") || url.searchParams.get("days") !== "7" || response.status !== 200)
    return response;
  url.searchParams.set("days", "30");
  const [body, other]: Body[] = [
    await response.json(),
    await (await service(new Request(url, request), sent)).json(),
  ];
  return new Response(JSON.stringify({ ...other, period: body.period }), response);
};

/** Ways to count something else than what a filter keeps, and the rules that name each. */
export const filterFaults: Record<string, [Breach, ...string[]]> = {
  ...Object.fromEntries(
    ["browsers", "operating_systems", "utm_sources", "exit_pages", "hostnames"].map((dimension) => [
      `a filter on ${dimension} that is ignored`,
      [
        ignoring(dimension),
        "filters.complement",
        "filters.exact",
        ...(["browsers", "hostnames"].includes(dimension) ? ["filters.pairs"] : []),
        "filters.rows",
        ...(dimension === "hostnames" ? ["filters.visit"] : []),
      ],
    ]),
  ),
  "conditions joined by OR": [joinByOr, "filters.order", "filters.pairs"],
  "the first condition alone": [
    misread(
      (asked) => filterOf(asked).length === 2 && !filteredBy(/^conform/)(asked),
      (filter) => filter.slice(0, 1),
    ),
    "filters.order",
    "filters.pairs",
  ],
  "two conditions of one dimension as alternatives": [alternate("countries="), "filters.pairs"],
  "pages in any letter case": [
    misreadText(isFiltered, (text) => text.replace(/^pages=.*/, (pages) => pages.toLowerCase())),
    "filters.exact",
  ],
  "browsers in any letter case": [
    misreadText(isFiltered, (text) => text.replace("CHROME", "Chrome")),
    "filters.exact",
  ],
  "values without spaces around them": [
    misreadText(isFiltered, (text) => text.replace(/ +(?=\||$)/g, "").replace(/(?<=[|=]) +/g, "")),
    "filters.exact",
  ],
  "? for any character": [misreadText(isFiltered, (text) => text.replaceAll("?", "*")), "filters.exact"],
  "_ for any character, in campaigns": [
    misreadText(filteredBy(/^utm_campaigns=/), (text) => text.replace(/(?<==.*)_/g, "*")),
    "filters.exact",
  ],
  "an asterisk that takes all that follows": [
    misreadText(isFiltered, (text) => text.replace(/\*[^|]+$/, "*")),
    "filters.wildcard",
  ],
  "an asterisk at the end alone": [
    misreadText(isFiltered, (text) => text.replace(/\*(?=[^|])/g, "\\*")),
    "filters.wildcard",
  ],
  "!= of browsers as =": [
    misreadText(isFiltered, (text) => text.replace("browsers!=", "browsers=")),
    "filters.complement",
    "filters.pairs",
  ],
  "shares of everybody": [
    edit(both(on("/breakdown"), isFiltered), ({ rows }) => {
      for (const row of rows) row.percentage = Math.round(row.percentage * 3) / 10;
    }),
    "filters.breakdown",
    "filters.days",
    "filters.hits",
  ],
  "30 days for 7, with a filter": [ignoresDays, "filters.days"],
  "no_such_value of browsers that are there": [
    edit(both(on("/stats"), filteredBy(/^browsers=[^|]+$/)), (body) => {
      body.warnings = [{ code: "no_such_value", detail: "Nobody." }];
    }),
    "filters.no-such-value",
  ],
  "entry pages of the kept page views alone": [
    edit(both(on("/breakdown", { dimension: "entry_pages" }), filteredBy(/^pages=/)), (body, asked) => {
      const value = filterOf(asked)[0]?.replace("pages=", "");
      body.rows = [{ ...body.rows[0], ...body.totals, value, label: value, percentage: 100 }];
      body.total_rows = 1;
    }),
    "filters.whole-visits",
  ],
  "seconds of visits in milliseconds": [
    editCounts(
      () => true,
      (counts) => {
        if (counts.visit_seconds !== undefined) counts.visit_seconds *= 1000;
      },
    ),
    "visits.have-hits",
  ],
};
