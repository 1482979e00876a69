import { type Body, type Breach, edit, on, read, refuse } from "../breach.ts";
import { rename } from "./filters.ts";

const editRows = (dimension: string, change: (rows: Body, body: Body) => void) =>
  edit(on("/breakdown", { dimension, limit: "1000", days: "30", filter: null }), (body) =>
    change(body.rows, body),
  );
const editLimit = (limit: string, change: (body: Body) => void) => edit(on("/breakdown", { limit }), change);
const editPoints = (days: string, change: (points: Body) => void, site = "example.com") =>
  edit(on("/timeseries", { days, site, interval: null }), (body) => change(body.points));

const share = (visitors: number, body: Body) => Math.round((1000 * visitors) / body.totals.visitors) / 10;

/** Changes the rows of one dimension by those of another one with the same value. */
export function editRowsLike(
  dimension: string,
  other: string,
  change: (row: Body, like: Body) => void,
): Breach {
  return (service) => async (request, sent) => {
    const response = await service(request, sent);
    const url = new URL(request.url);
    if (url.searchParams.get("dimension") !== dimension || response.status !== 200) return response;
    if (request.method === "HEAD") return response;
    url.searchParams.set("dimension", other);
    url.searchParams.set("limit", "1000");
    const { rows }: Body = await (await service(new Request(url, request))).json();
    const body: Body = await response.json();
    for (const row of body.rows) {
      const like = rows.find(({ value }: Body) => value === row.value);
      if (like !== undefined) change(row, like);
    }
    return new Response(JSON.stringify(body), response);
  };
}

export const numberBreaches: Record<string, Breach | { breach: Breach; also: string[] }> = {
  "stats.answer": edit(on("/stats"), (body) => {
    body.visitors = String(body.visitors);
  }),
  "stats.days-default": read("days", "7", on("/stats", { days: null, from: null, to: null })),
  "stats.longer-is-more": edit(on("/stats", { days: "7" }), (body) => {
    body.events += 1e6;
  }),
  "stats.visitors-have-hits": edit(
    ({ path }) => path !== "/realtime" && path !== "/not-found",
    (body) => {
      const numbers = [body, body.totals, ...(body.points ?? []), ...(body.rows ?? [])];
      for (const part of numbers) {
        if (part?.visitors === undefined) continue;
        part.visitors *= 10;
        // Without visits: there would be fewer than visitors.
        for (const name of ["visits", "bounces", "visit_seconds"]) delete part[name];
      }
    },
  ),
  "stats.same-by-id": edit(on("/stats", { site: "site_7f3k" }), (body) => {
    body.visitors++;
  }),

  "series.answer": {
    breach: edit(on("/timeseries", { interval: null }), (body) => {
      delete body.interval;
    }),
    // Compares the hours with such an answer.
    also: ["hours.day"],
  },
  "series.interval": edit(on("/timeseries"), (body) => {
    body.interval = "hour";
  }),
  "series.days-default": read("days", "7", on("/timeseries", { days: null, from: null, to: null })),
  "series.one-point-a-day": editPoints("1", (points) => points.pop()),
  "series.ascending": editPoints("365", (points) => points.splice(10, 2, points[11], points[10])),
  "series.partial-point": editPoints("365", (points) => {
    delete points.at(-1).partial;
  }),
  "series.views-have-visitors": {
    breach: editPoints("365", (points) => {
      points[200].visitors += points[201].visitors;
      points[201].visitors = 0;
    }),
    // More visitors than visits.
    also: ["visits.possible"],
  },
  "series.zero-before-data": {
    breach: editPoints(
      "365",
      (points) => Object.assign(points[5], { visitors: 1, pageviews: 1 }),
      "parked.example",
    ),
    // The point is marked as missing.
    also: ["series.missing"],
  },
  "series.missing": editPoints("365", (points) => delete points[5].missing, "parked.example"),
  "series.adds-up": editPoints("365", (points) => {
    points[200].visitors++;
  }),
  "series.ends-in-today": edit(on("/stats", { days: "1" }), (body) => {
    body.visitors++;
  }),
  "series.finished-days-agree": editPoints("7", (points) => {
    points[0].visitors--;
    points[1].visitors++;
  }),

  "breakdown.answer": edit(on("/breakdown"), (body) => {
    delete body.total_rows;
  }),
  "breakdown.days-default": read("days", "7", on("/breakdown", { days: null, from: null, to: null })),
  "breakdown.limit-default": read("limit", "5", on("/breakdown", { limit: null })),
  "breakdown.dimensions": refuse(on("/breakdown", { dimension: "cities" }), 400, "invalid_parameter", 200),
  "breakdown.dimension-named": edit(on("/breakdown", { dimension: "devices" }), (body) => {
    body.dimension = "device";
  }),
  "breakdown.limit-kept": read("limit", "4", on("/breakdown", { limit: "3" })),
  "breakdown.limit-filled": editLimit("2", (body) => body.rows.pop()),
  "breakdown.truncated": editLimit("2", (body) => {
    body.truncated = false;
  }),
  "breakdown.limit-cuts-the-end": editLimit("3", (body) => {
    body.total_rows = 3;
    body.truncated = false;
  }),
  "breakdown.order": editRows("devices", (rows) => rows.splice(0, 2, rows[1], rows[0])),
  "breakdown.tie-order": editRows("referrers", (rows) => {
    const [first, second] = rows.slice(-2);
    const { visitors, pageviews, percentage } = second;
    Object.assign(first, { visitors, pageviews, percentage });
    const isOrdered = second.value === null || (first.value !== null && first.value < second.value);
    if (isOrdered) [first.value, second.value] = [second.value, first.value];
  }),
  "breakdown.values-once": editRows("devices", (rows) => {
    rows[1].value = rows[0].value;
  }),
  "breakdown.percentage": editRows("devices", (rows) => {
    rows[0].percentage -= 1;
  }),
  "breakdown.percentage-digits": editRows("devices", (rows, body) => {
    rows[0].percentage = Number(((100 * rows[0].visitors) / body.totals.visitors).toFixed(3));
  }),
  "breakdown.row-within-totals": {
    breach: editRows("devices", (rows, body) => {
      rows[0].visitors = body.totals.visitors * 2;
      rows[0].percentage = 100;
    }),
    // A share cannot exceed 100 percent, and neither visits nor a filter give so many visitors.
    also: ["breakdown.percentage", "filters.rows", "visits.possible"],
  },
  "breakdown.pageviews": {
    breach: editRows("browsers", (rows) => {
      for (const row of rows) delete row.pageviews;
    }),
    // A filter does not give these rows.
    also: ["filters.complement", "filters.rows"],
  },
  "breakdown.events": editRows("events", (rows) => {
    for (const row of rows) row.pageviews = 1;
  }),
  "breakdown.totals": edit(on("/breakdown", { days: "7", filter: null }), (body) => {
    body.totals.visitors++;
  }),
  "breakdown.events-total": {
    breach: editRows("events", (rows, body) => {
      rows.at(-1).events++;
      body.totals.events++;
    }),
    // A filter does not give these rows.
    also: ["filters.complement"],
  },
  "breakdown.pages-add-up": editRows("pages", (rows) => {
    rows.at(-1).pageviews++;
  }),
  "breakdown.visits-add-up": editRows("devices", (rows) => {
    rows.at(-1).pageviews++;
  }),
  "breakdown.entries-add-up": {
    breach: editRows("exit_pages", (rows) => {
      rows[0].pageviews++;
    }),
    // A filter does not give these rows.
    also: ["filters.complement", "filters.rows"],
  },
  "breakdown.entries-are-visits": {
    breach: editRowsLike("entry_pages", "pages", (row, page) => {
      row.pageviews = page.pageviews;
    }),
    // A filter does not give these rows.
    also: ["filters.complement", "filters.rows"],
  },
  "breakdown.everybody-counts": editRows("devices", (rows, body) => {
    rows.at(-1).visitors = 1;
    rows.at(-1).percentage = share(1, body);
  }),
  "breakdown.events-add-up": editRows("events", (rows) => {
    rows.at(-1).events++;
  }),
  "breakdown.labels": editRows("countries", (rows) => {
    rows[0].label = " ";
  }),
  "breakdown.countries": rename({ DE: "Germany" }),
  "breakdown.regions": {
    breach: editRows("regions", (rows) => {
      rows[0].value = "Berlin";
    }),
    // A filter does not give these rows.
    also: ["filters.complement", "filters.no-such-value", "filters.rows"],
  },
  "breakdown.languages": {
    breach: editRows("languages", (rows) => {
      rows[0].value = "de_DE";
    }),
    // A filter does not give these rows.
    also: ["filters.complement", "filters.no-such-value", "filters.rows"],
  },
  "breakdown.channels": (service) =>
    editRows("channels", (rows) => {
      for (const row of rows) if (row.value === "channel-1") row.label = "Referral";
    })(rename({ Referral: "channel-1" })(service)),

  "realtime.answer": edit(on("/realtime"), (body) => {
    delete body.visitors;
  }),
  "realtime.window": edit(on("/realtime"), (body) => {
    body.window_minutes = 30;
  }),
  "realtime.as-of-offset": edit(on("/realtime"), (body) => {
    body.as_of = body.as_of.replace("T05:", "T04:").replace("+01:00", "Z");
  }),
  "realtime.now": edit(on("/realtime"), (body) => {
    body.as_of = "2026-11-21T05:05:10+01:00";
  }),
  "realtime.within-days": edit(on("/realtime", { filter: null }), (body) => {
    body.visitors = 1e6;
  }),
};
