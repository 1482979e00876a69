import { AnalyticsError } from "../../../src/errors.ts";
import type { Call } from "../../../src/operations/call.ts";
import { addDays } from "../../../src/operations/days.ts";
import type { View } from "../../../src/operations/view.ts";
import { findQuery } from "../../../src/reports/queries.ts";
import { createServiceCall } from "../../../src/sources/service-source.ts";
import { type Field, findAnswerable, knowsToday } from "./answerable.ts";
import type { Point, WireRow } from "./bodies.ts";
import { lastDayOf, type ServedSite, type Service } from "./service.ts";
import type { Shape, UsedDimension } from "./shape.ts";

/** What became of a field: `absent` where the answer lacks it, `refused` where there was no answer, for a reason that was given. */
export type Outcome = "right" | "wrong" | "absent" | "refused" | "crashed";

export interface Verdict {
  question: string;
  field: Field;
  outcome: Outcome;
  /** Whether a person would have named it. */
  isAnswerable: boolean;
  /** What was printed and what is true, or why there was no answer. */
  detail?: string;
}

/** Opens what answers questions about a service. */
export type Open = (service: Service) => Call;

/** As `analytics-mcp` does it with a key and an address alone. */
const openProduct: Open = (service) => openWithKey(service, service.apiKey);

const openWithKey = ({ baseUrl, fetch, truth }: Service, apiKey: string): Call =>
  createServiceCall(undefined, {
    readTarget: async () => ({ baseUrl, apiKey, fetch }),
    clock: () => truth.now,
    environment: {},
    limits: { attempts: 1 },
  });

type Result = Record<string, unknown>;

/** Asks everything of a service, and says of each field of each answer whether it is true. */
export async function judge(service: Service, open: Open = openProduct): Promise<Verdict[]> {
  const call = open(service);
  const answerable = await findAnswerable(service);
  const verdicts: Verdict[] = [];
  const site = nameSite(service.site);
  const [first, second] = service.shape.dimensions as [UsedDimension, UsedDimension];

  /** Asks one question. The fields are judged if there is an answer, and refused if there is none. */
  const ask = async (
    question: string,
    [name, params, usesDefaultDays]: [name: string, params: Result, usesDefaultDays?: boolean],
    fields: readonly Field[],
    check: (result: Result) => Promise<Partial<Record<Field, Finding>>>,
  ) => {
    const outcomes = await (async () => {
      const query = findQuery(name);
      const asked = query.params.parse(params);
      const { result, views } = await query.ask(call, asked, { usesDefaultDays: usesDefaultDays ?? false });
      const found = await check(result);
      const fault = findShownFault(result, views);
      return fault === undefined ? found : { ...found, [fields[0] as Field]: ["wrong", fault] as Finding };
    })().catch((error: unknown) => {
      const isExpected = error instanceof AnalyticsError;
      const failed: Finding = isExpected
        ? ["refused", `${error.code}: ${error.message}`]
        : ["crashed", error instanceof Error ? (error.stack ?? error.message) : String(error)];
      return Object.fromEntries(fields.map((field) => [field, failed]));
    });
    for (const field of fields) {
      const [outcome, detail] = outcomes[field] ?? (["absent"] as Finding);
      verdicts.push({
        question,
        field,
        outcome,
        isAnswerable: answerable.has(field),
        ...(detail !== undefined && { detail }),
      });
    }
  };

  await ask("sites", ["sites", {}], ["sites", "timezone"], async (result) => judgeSites(result, service));
  for (const days of [7, 30]) {
    await ask(
      `stats ${days} days`,
      ["stats", { site, days }],
      ["visitors", "pageviews", "events"],
      (result) => judgeTotals(result, service, days),
    );
  }
  const yesterday = ["yesterday.visitors", "yesterday.pageviews", "yesterday.events"] as const;
  await ask("stats yesterday", ["stats", { site, period: "yesterday" }], yesterday, async (result) => {
    const found = await judgeTotals(result, service, undefined);
    return Object.fromEntries(
      Object.entries(found).map(([field, finding]) => [`yesterday.${field}`, finding]),
    );
  });
  await ask("series", ["timeseries", { site, days: 7 }], ["points.visitors", "points.pageviews"], (result) =>
    judgeSeries(result, service),
  );
  const rows = ["rows.value", "rows.visitors", "rows.pageviews", "rows.count"] as const;
  await ask("breakdown", ["breakdown", { site, dimension: first, limit: 10 }, true], rows, (result) =>
    judgeRows(result, service, first),
  );
  const takesDays = service.shape.breakdownDays === "described";
  if (takesDays) {
    await ask(
      "breakdown 7 days",
      ["breakdown", { site, dimension: second, limit: 10, days: 7 }],
      rows,
      (result) => judgeRows(result, service, second),
    );
  } else {
    await ask("breakdown", ["breakdown", { site, dimension: second, limit: 10 }, true], rows, (result) =>
      judgeRows(result, service, second),
    );
  }
  await ask("realtime", ["realtime", { site }], ["active"], async ({ visitors, window_minutes }) => ({
    active:
      window_minutes === 5
        ? compare(visitors, await service.active())
        : ["wrong", `window ${window_minutes}`],
  }));
  verdicts.push(await judgeKey(service, open, answerable), await judgeUnknownSite(call, answerable));
  return verdicts;
}

type Finding = [outcome: Outcome, detail?: string];

const COUNTS = ["visitors", "pageviews", "events", "count"];

/** Why what people are shown is not what the answer has; undefined if it is. */
function findShownFault(result: Result, [view]: readonly View[]): string | undefined {
  const lists = [result.points, result.rows].filter((list) => Array.isArray(list));
  const members = (lists[0] ?? [result]) as Result[];
  const shown = view?.rows ?? [];
  for (const [index, row] of shown.entries()) {
    for (const name of COUNTS) {
      const cell = Reflect.get(row, name);
      const own = members[index]?.[name];
      if (typeof cell === "number" && !Object.is(cell, own) && members.length === shown.length) {
        return `shown ${name} ${cell}, in the answer ${own}`;
      }
    }
  }
  return undefined;
}

const nameSite = ({ name }: ServedSite): string => name;

function compare(printed: unknown, truth: number | undefined): Finding {
  if (printed === undefined || printed === null) return ["absent"];
  return printed === truth ? ["right"] : ["wrong", `printed ${printed}, true ${truth}`];
}

const join = (findings: readonly Finding[]): Finding =>
  findings.find(([outcome]) => outcome === "wrong") ??
  findings.find(([outcome]) => outcome === "absent") ??
  findings[0] ?? ["right"];

function judgeSites(result: Result, { sites, shape }: Service): Partial<Record<Field, Finding>> {
  const printed = result.sites as Result[];
  const truthOf = (domain: unknown) =>
    sites.find(({ site }) => [site.domain, site.name, `https://${site.domain}/`].includes(String(domain)));
  const strange = printed.find(({ domain }) => truthOf(domain) === undefined);
  const missing = sites.filter((served) => !printed.some(({ domain }) => truthOf(domain) === served));
  const zones = printed.map(({ domain, timezone }): Finding => {
    if (timezone === undefined) return ["absent"];
    const truth = shape.timezone === "none" ? undefined : truthOf(domain)?.site.timezone;
    return timezone === truth ? ["right"] : ["wrong", `printed ${timezone}, true ${truth}`];
  });
  const created = printed.find(
    ({ domain, created_at }) => created_at !== undefined && created_at !== truthOf(domain)?.site.created_at,
  );
  const names: Finding =
    strange !== undefined
      ? ["wrong", `a site ${JSON.stringify(strange.domain)}`]
      : created !== undefined
        ? ["wrong", `created ${JSON.stringify(created)}`]
        : missing.length > 0
          ? ["absent", `${missing.length} sites are missing`]
          : ["right"];
  // A service whose answers name the timezone does not name it here.
  return { sites: names, ...(shape.timezone !== "answers" && { timezone: join(zones) }) };
}

interface PrintedPeriod {
  from: string;
  to: string;
  days: number;
  timezone?: string;
  partial?: boolean;
  complete_through?: string;
}

/** Why the days that an answer states cannot be right; undefined if they can. */
function findPeriodFault({ site, truth, shape }: Service, period: PrintedPeriod): string | undefined {
  const today = truth.today(site.site);
  const { from, to, days, timezone, partial } = period;
  if (addDays(from, days - 1) !== to) return `${from} to ${to} is not ${days} days`;
  if (to > today) return `it ends on ${to}, after today, ${today}`;
  const known = shape.timezone === "none" ? undefined : site.site.timezone;
  if (timezone !== undefined && timezone !== known) return `timezone ${timezone}, true ${known}`;
  if (partial !== undefined && partial !== (to === today)) return `partial ${partial}, but it is ${today}`;
  return undefined;
}

/** @param days Of the question; undefined for yesterday. */
async function judgeTotals(
  result: Result,
  service: Service,
  days: number | undefined,
): Promise<Partial<Record<Field, Finding>>> {
  const period = result.period as PrintedPeriod;
  const { site } = service.site;
  const fault = findPeriodFault(service, period);
  const yesterday = addDays(service.truth.today(site), -1);
  // Where it cannot be known which day was yesterday, the day that is stated counts.
  const last =
    days === undefined ? ((await knowsToday(service)) ? yesterday : period.to) : lastDayOf(service, site);
  const isAsked = period.days === (days ?? 1) && period.to === last;
  if (fault !== undefined || !isAsked) {
    const wrong: Finding = ["wrong", fault ?? `it covers ${period.from} to ${period.to}`];
    return { visitors: wrong, pageviews: wrong, events: wrong };
  }
  const truth = days === undefined ? await totalsOfDay(service, period.to) : await service.totals(days);
  const events = service.shape.hasEvents ? truth.events : undefined;
  const isRange = Number.isInteger(result.events) && hasRange(result);
  return {
    visitors: compare(result.visitors, truth.visitors),
    pageviews: compare(result.pageviews, truth.pageviews),
    events: isRange ? ["absent"] : compare(result.events, events),
  };
}

/** Whether a warning says that a number is at most another one. */
const hasRange = ({ warnings = [] }: Result): boolean =>
  (warnings as { values?: Record<string, unknown> }[]).some(
    ({ values }) => values?.events_at_most !== undefined,
  );

async function totalsOfDay(service: Service, date: string) {
  const points = await service.days(60);
  const { visitors, pageviews } = points.find((point) => point.date === date) ?? {
    visitors: -1,
    pageviews: -1,
  };
  const { events } = await service.truth.totals(service.site.site, { from: date, to: date });
  return { visitors, pageviews, events };
}

async function judgeSeries(result: Result, service: Service): Promise<Partial<Record<Field, Finding>>> {
  const points = result.points as (Point & { missing?: true })[];
  const truth = new Map((await service.days(60)).map((day) => [day.date, day]));
  const fault = findPeriodFault(service, result.period as PrintedPeriod);
  const strange = points.find(({ date }) => !truth.has(date))?.date;
  if (fault !== undefined || strange !== undefined) {
    const wrong: Finding = ["wrong", fault ?? `a point of ${strange}`];
    return { "points.visitors": wrong, "points.pageviews": wrong };
  }
  const shown = points.filter(({ missing }) => !missing);
  const last = await service.days(7);
  const lacking = last.filter(
    ({ date, pageviews }) => pageviews > 0 && !shown.some((point) => point.date === date),
  );
  const judgeMember = (name: "visitors" | "pageviews"): Finding =>
    join([
      ...shown.map((point): Finding => {
        const [outcome, detail] = compare(point[name], truth.get(point.date)?.[name]);
        return detail === undefined ? [outcome] : [outcome, `${point.date}: ${detail}`];
      }),
      ...(lacking.length > 0 ? [["absent", `lacks ${lacking.map(({ date }) => date)}`] as Finding] : []),
    ]);
  return { "points.visitors": judgeMember("visitors"), "points.pageviews": judgeMember("pageviews") };
}

interface PrintedRow {
  value: string | null;
  label?: string;
  visitors?: number;
  pageviews?: number;
  events?: number;
  count?: number;
  percentage?: number;
}

async function judgeRows(
  result: Result,
  service: Service,
  dimension: UsedDimension,
): Promise<Partial<Record<Field, Finding>>> {
  const { shape } = service;
  const { counts } = shape.rows;
  const period = result.period as PrintedPeriod | undefined;
  const days = period?.days ?? shape.defaultDays;
  const fault = period && findPeriodFault(service, period);
  const isToday = period === undefined || period.to === lastDayOf(service, service.site.site);
  const everything = (finding: Finding) => ({
    "rows.value": finding,
    "rows.visitors": finding,
    "rows.pageviews": finding,
  });
  const truth = await service.rows(dimension, days);
  const rows = result.rows as PrintedRow[];
  if (rows.length === 0 && truth.length > 0) return everything(["wrong", `no rows, of ${truth.length}`]);
  if (fault !== undefined || !isToday) return everything(["wrong", fault ?? `it ends on ${period?.to}`]);
  const found = rows.map((row) => findRow(truth, row));
  const strange = rows[found.indexOf(undefined)];
  if (strange !== undefined) return everything(["wrong", `a row ${JSON.stringify(strange)}`]);
  const { visitors: total, pageviews } = await service.totals(days);
  const totals = result.totals as { visitors?: number; pageviews?: number } | undefined;
  const contradictions = [compare(totals?.visitors, total), compare(totals?.pageviews, pageviews)].filter(
    ([outcome]) => outcome === "wrong",
  );
  const shares = rows.flatMap(({ percentage }, index): Finding[] => {
    const share = (100 * (found[index]?.visitors ?? 0)) / Math.max(1, total);
    const isClose = percentage === undefined || Math.abs(percentage - share) < 0.06;
    return isClose ? [] : [["wrong", `printed ${percentage} %, true ${share}`]];
  });
  const lacks = rows.length < Math.min(10, truth.length);
  const judgeMember = (name: "visitors" | "pageviews"): Finding =>
    join(rows.map((row, index) => compare(row[name], found[index]?.[name])));
  return {
    "rows.value": join([
      ...contradictions,
      ...shares,
      ...rows.map(({ events }) => compare(events, undefined)).filter(([outcome]) => outcome === "wrong"),
      lacks ? ["absent", `${rows.length} of ${truth.length} rows`] : ["right"],
    ]),
    "rows.visitors":
      rows.length === 0 && counts !== "both" && counts !== "visitors" ? ["absent"] : judgeMember("visitors"),
    "rows.pageviews":
      rows.length === 0 && counts !== "both" && counts !== "pageviews"
        ? ["absent"]
        : judgeMember("pageviews"),
    "rows.count": join(rows.map(({ count }, index) => compareCount(count, found[index], shape))),
  };
}

/** A count that is printed without saying of what is true if it is that of anything. */
function compareCount(count: number | undefined, row: WireRow | undefined, { rows }: Shape): Finding {
  if (rows.counts === "unnamed") return compare(count, row?.[rows.unnamed]);
  return count === row?.visitors || count === row?.pageviews ? ["right"] : compare(count, undefined);
}

const NOTHING: unknown[] = [null, "", "(none)"];

function findRow(truth: readonly WireRow[], { value, label }: PrintedRow): WireRow | undefined {
  const byValue = truth.find((row) => row.value === value || (row.value === null && NOTHING.includes(value)));
  return byValue ?? truth.find((row) => row.label === value || row.label === label);
}

async function judgeKey(service: Service, open: Open, answerable: ReadonlySet<Field>): Promise<Verdict> {
  const call = open({ ...service, apiKey: "a-key-that-was-revoked", baseUrl: service.baseUrl });
  const finding = await findQuery("stats")
    .ask(call, findQuery("stats").params.parse({ site: nameSite(service.site), days: 7 }), {})
    .then(
      (): Finding => ["wrong", "it answered a wrong key"],
      (error: unknown): Finding => {
        if (!(error instanceof AnalyticsError)) return ["crashed", String(error)];
        if (error.code !== "invalid_api_key") return ["wrong", `${error.code}: ${error.message}`];
        return error.message.includes(service.keySentence) ? ["right"] : ["absent", error.message];
      },
    );
  const [outcome, detail] = finding;
  return {
    question: "wrong key",
    field: "sentence",
    outcome,
    isAnswerable: answerable.has("sentence"),
    ...(detail !== undefined && { detail }),
  };
}

async function judgeUnknownSite(call: Call, answerable: ReadonlySet<Field>): Promise<Verdict> {
  const query = findQuery("stats");
  const [outcome, detail] = await query
    .ask(call, query.params.parse({ site: "nobody.example", days: 7 }), {})
    .then(
      (): Finding => ["wrong", "it answered for a site that is not there"],
      (error: unknown): Finding => {
        if (!(error instanceof AnalyticsError)) return ["crashed", String(error)];
        return error.code === "site_not_found" ? ["right"] : ["refused", `${error.code}: ${error.message}`];
      },
    );
  return {
    question: "unknown site",
    field: "unknown site",
    outcome,
    isAnswerable: answerable.has("unknown site"),
    ...(detail !== undefined && { detail }),
  };
}
