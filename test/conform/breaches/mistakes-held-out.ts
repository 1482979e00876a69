import { addDays, listDays } from "../../../src/operations/days.ts";
import { type Asked, type Body, type Breach, edit, not, on, rewrite, type When } from "../breach.ts";

// Mistakes that were made from the contract alone, without a look at the rules, and what the contract allows.

/** Reads the conditions of a filter as others, but repeats those that were sent. */
const readAs =
  (change: (conditions: string[]) => string[]): Breach =>
  (service) =>
  async (request, sent) => {
    const own = await service(request, sent);
    const url = new URL(request.url);
    const conditions = url.searchParams.getAll("filter");
    if (own.status !== 200 || request.method === "HEAD" || conditions.length === 0) return own;
    url.searchParams.delete("filter");
    for (const condition of change(conditions)) url.searchParams.append("filter", condition);
    if (url.search === new URL(request.url).search) return own;
    const other = await service(new Request(url, { headers: withoutTag(request) }), sent);
    if (other.status !== 200) return other;
    const { filter, warnings } = (await own.json()) as Body;
    const { warnings: _, ...body } = (await other.json()) as Body;
    const kept = warnings?.filter(({ code }: Body) => code !== "no_such_value" || isNothing(body)) ?? [];
    return new Response(JSON.stringify({ ...body, filter, ...(kept.length > 0 && { warnings: kept }) }), own);
  };

function withoutTag({ headers }: Request): Headers {
  const copy = new Headers(headers);
  copy.delete("if-none-match");
  return copy;
}

const isNothing = (body: Body) => (body.totals ?? body).visitors === 0;

const FORM = /^((?:visit:)?(\w+)(!?=))(.*)$/s;
const split = (values: string) => values.split(/(?<!\\)\|/);

const choosesHits: When = ({ query }) => query.getAll("filter").some((one) => /^(pages|events)!?=/.test(one));
export const mistakesHeldOut: Record<string, Breach> = {
  "two conditions on the same name are alternatives": readAs((conditions) => {
    const headOf = (condition: string) => FORM.exec(condition)?.[1] ?? condition;
    return [...new Set(conditions.map(headOf))].flatMap((head) => {
      const all = conditions.filter((one) => headOf(one) === head);
      return head.endsWith("!=") ? all : [head + all.map((one) => one.slice(head.length)).join("|")];
    });
  }),
  "visit:events!= loses the visits without an event": readAs((conditions) =>
    conditions.flatMap((one) => (one.startsWith("visit:events!=") ? [one, "visit:events=*"] : [one])),
  ),
  "an empty alternative is lost beside others": readAs((conditions) =>
    conditions.map((one) => {
      const [, head = "", , , values = ""] = FORM.exec(one) ?? [];
      const all = split(values);
      return all.length === 1 ? one : head + all.filter((value) => value !== "").join("|");
    }),
  ),
  "a condition on entry pages keeps only the views of that page": readAs((conditions) =>
    conditions.flatMap((one) => (one.startsWith("entry_pages=") ? [one, one.slice("entry_".length)] : [one])),
  ),
  "under conditions on hits, a visit counts in the hour of the first that is kept": edit(
    (asked) => on("/timeseries", { interval: "hour" })(asked) && choosesHits(asked),
    ({ points }) => {
      const dateOf = ({ time }: Body) => time.slice(0, 10);
      for (const date of new Set(points.map(dateOf)))
        moveVisits(points.filter((point: Body) => dateOf(point) === date));
    },
  ),
  "a span over the change to summer time lacks its last day": (service) =>
    edit(losesDay, (body, { query }) => {
      const to = query.get("to");
      Object.assign(body.period, { to, complete_through: to });
    })(
      rewrite(losesDay, ({ searchParams }) => {
        searchParams.set("to", addDays(searchParams.get("to") ?? "", -1));
      })(service),
    ),
  "realtime ignores a period": rewrite(on("/realtime"), ({ searchParams }) => {
    for (const name of ["days", "from", "to"]) searchParams.delete(name);
  }),
  "status=4xx has other refusals than 404 and 410, too": edit(
    on("/not-found", { status: "4xx" }),
    ({ rows, totals, period: { days } }, { query }) => {
      rows.push({ value: "/members", requests: days, visitors: days, referrers: [] });
      rows.sort((a: Body, b: Body) => b.requests - a.requests || (a.value < b.value ? -1 : 1));
      rows.length = Math.min(rows.length, Number(query.get("limit") ?? 10));
      totals.requests += days;
      if (totals.visitors !== undefined) totals.visitors += days;
    },
  ),
  "the error percentage of a crawler is the mean of its days": (service) => async (request, sent) => {
    const response = await service(request, sent);
    const url = new URL(request.url);
    if (!url.pathname.endsWith("/crawlers") || response.status !== 200 || request.method === "HEAD")
      return response;
    const body = (await response.json()) as Body;
    const days = listDays(body.period.from, body.period.to);
    if (days.length > 1 && days.length <= 92) {
      const shares: Body[] = [];
      for (const day of days) {
        const { searchParams } = url;
        searchParams.delete("days");
        for (const [name, value] of Object.entries({ from: day, to: day, limit: "1000" }))
          searchParams.set(name, value);
        const answer = await service(new Request(url, { headers: withoutTag(request) }), sent);
        shares.push(...(((await answer.json()) as Body).rows ?? []));
      }
      for (const row of body.rows) {
        const own = shares.filter(({ value }) => value === row.value);
        const mean = own.reduce((sum, one) => sum + one.error_percentage, 0) / own.length;
        row.error_percentage = Math.round(mean * 10) / 10;
      }
    }
    return new Response(JSON.stringify(body), response);
  },
};

/** The last change to summer time in Berlin. */
const losesDay: When = ({ query }: Asked) => {
  const [from, to] = [query.get("from") ?? "", query.get("to") ?? ""];
  return /^\d{4}-\d\d-\d\d$/.test(from) && from <= "2026-03-29" && to >= "2026-03-29" && from < to;
};

/** Spreads a day's visits over its hours by who was there, which is what a visit's first kept hit comes to. */
function moveVisits(day: Body[]): void {
  const total = day.reduce((sum, { visits }) => sum + visits, 0);
  const visits = day.map(({ visitors, bounces }) => Math.max(visitors, bounces));
  const largest = visits.indexOf(Math.max(...visits));
  visits[largest] = (visits[largest] ?? 0) + total - visits.reduce((sum, one) => sum + one, 0);
  let last = day.findLastIndex(({ bounces }, hour) => (visits[hour] ?? 0) > bounces);
  if (last < 0 || (visits[largest] ?? 0) < day[largest].bounces) return;
  for (let hour = day.length - 1; hour >= 0; hour--) {
    day[hour].visits = visits[hour];
    if ((visits[hour] ?? 0) > day[hour].bounces) last = hour;
    else {
      day[last].visit_seconds += day[hour].visit_seconds;
      day[hour].visit_seconds = 0;
    }
  }
}

const inAll = (change: (body: Body) => void) => edit(not(on("/openapi.json")), change);
const inProblems = (change: (problem: Body) => void, status: number) => edit(() => true, change, status);

export const variationsHeldOut: Record<string, Breach> = {
  "requests of crawlers in UTC, with milliseconds": edit(on("/crawlers"), ({ rows }) => {
    for (const row of rows) row.last_seen = new Date(row.last_seen).toISOString();
  }),
  "labels in another language, and titles as those of pages": edit(on("/breakdown"), ({ rows }) => {
    for (const row of rows) row.label = row.value === null ? "(keine Angabe)" : `Titel von „${row.value}“`;
  }),
  "a warning that no client knows, without values, and problems in another language": (service) =>
    inAll((body) => {
      body.warnings = [
        { code: "maintenance", detail: "Am Sonntag wird gewartet." },
        ...(body.warnings ?? []),
      ];
    })([400, 401, 404, 405].reduce((inner, status) => inProblems(translate, status)(inner), service)),
  "a later minor version, with members that nobody knows": (service) =>
    edit(on("/openapi.json"), (body) => {
      body.info.version = "1.99.0";
    })(
      inAll((body) => {
        for (const [index, row] of (body.rows ?? body.points ?? body.sites ?? []).entries())
          row.rank = index + 1;
      })(service),
    ),
};

function translate(problem: Body): void {
  Object.assign(problem, {
    type: "https://stats.example.test/fehler",
    title: "Fehler",
    instance: "/fehler/1",
  });
  problem.detail = "Das geht so nicht.";
  for (const error of problem.errors ?? []) error.detail = "Nicht erlaubt.";
}
