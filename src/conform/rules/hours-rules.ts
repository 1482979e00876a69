import { quote } from "../../errors.ts";
import { addDays, countDays, dateOfHour, listDays } from "../../operations/days.ts";
import { MAX_HOUR_DAYS } from "../../operations/fields.ts";
import { hours } from "../../operations/hours.ts";
import { openapi, timeseries } from "../../operations/index.ts";
import type { ResultOf } from "../../operations/operation.ts";
import { formatInstant, listHours, startOfDay } from "../../sources/calendar.ts";
import { findParameters, resolve } from "../openapi-lookup.ts";
import type { Params } from "../probe.ts";
import { items, member, type Reply } from "../reply.ts";
import { demandRefusal } from "../reply-checks.ts";
import { defineSection } from "../rule.ts";
import { readListed, sampleSites } from "../site-sample.ts";
import { basicParams, parse, type Read, read, type Subject } from "../subject.ts";
import { demand, Inconclusive, Skip } from "../verdict.ts";
import { findOffering } from "./dates-rules.ts";
import { choosePage, chooseVisits, findFiltering } from "./filter-requests.ts";

type Hours = ResultOf<typeof hours>;
/** The days that every service with hours has them of. */
const WEEK = 7;

type HourPoint = Hours["points"][number];

/** Throws Skip if the service does not offer `interval`, which the contract leaves optional. */
export async function demandOffered(subject: Subject): Promise<void> {
  const { reply } = await read(subject, openapi);
  if (!findParameters(reply.json, timeseries).has("interval"))
    throw new Skip("the service does not offer interval");
}

/** The hours of two days, or of others. Throws Skip if the service does not offer them. */
async function readHours(subject: Subject, params: Params = {}): Promise<Read<typeof hours>> {
  await demandOffered(subject);
  return read(subject, hours, params);
}

/** The hours of dates, if the service offers `from` and `to`. */
async function readDates(subject: Subject, from: string, to: string): Promise<Read<typeof hours>> {
  await readHours(subject);
  await findOffering(subject, [timeseries]);
  const { days: _, ...params } = basicParams(subject, hours);
  return parse(hours, await subject.ask(hours.path, { ...params, from, to }));
}

/** The hours that the clocks of the site show in a period, each with its offset. */
function expectTimes({ period }: Hours): string[] {
  const { from, to, timezone, partial, as_of } = period;
  const now = partial ? Date.parse(as_of) : Number.POSITIVE_INFINITY;
  try {
    return listHours(from, to, timezone)
      .filter((hour) => hour <= now)
      .map((hour) => formatInstant(hour, timezone));
  } catch {
    throw new Skip(`${quote(timezone)} is no timezone: see period.timezone`);
  }
}

/** `Z` and fractions of a second are other ways to write the same time. */
const normalize = (time: string) => time.replace(/\.0+(?=[Z+-])/, "").replace(/Z$/, "+00:00");

function demandTimes({ reply, answer }: Read<typeof hours>): void {
  const times = answer.points.map(({ time }) => normalize(time));
  const expected = expectTimes(answer);
  const at = Array.from({ length: Math.max(times.length, expected.length) }).findIndex(
    (_, index) => times[index] !== expected[index],
  );
  demand(
    at === -1,
    reply,
    `${quote(expected[at] ?? "no point")} at points[${at}]`,
    quote(times[at] ?? "no point"),
  );
}

type Day = ResultOf<typeof timeseries>["points"][number];

/** A day beside its hours. */
interface DayHours {
  reply: Reply;
  day: Day;
  own: HourPoint[];
}

/** The finished days of an answer by hour, each beside the point that a series by day has of it. */
function listFinished({ reply, answer }: Read<typeof hours>, byDay: ResultOf<typeof timeseries>): DayHours[] {
  const { from, to } = answer.period;
  const hoursOf = new Map<string, HourPoint[]>();
  for (const point of answer.points) {
    const date = dateOfHour(point.time);
    hoursOf.set(date, [...(hoursOf.get(date) ?? []), point]);
  }
  return byDay.points
    .filter(({ date }) => date >= from && date <= to && date < byDay.period.to)
    .map((day) => ({ reply, day, own: hoursOf.get(day.date) ?? [] }));
}

/** The finished days of an answer by hour, beside the series of a year, which other rules read anyway. */
const listOfYear = async (subject: Subject, byHour: Read<typeof hours>): Promise<DayHours[]> =>
  listFinished(byHour, (await read(subject, timeseries, { days: 365 })).answer);

/** The last finished day, by hour and as a day. Throws Skip if it has no hours. */
async function readYesterday(subject: Subject, params: Params = {}): Promise<DayHours> {
  const asked = { days: 2, ...params };
  const [byHour, byDay] = [await readHours(subject, asked), await read(subject, timeseries, asked)];
  if (byHour.answer.period.to !== byDay.answer.period.to)
    throw new Inconclusive("a new day began at the site between the requests");
  const [found] = listFinished(byHour, byDay.answer);
  if (found === undefined || found.own.length === 0) throw new Skip("the points are not those of the days");
  return found;
}

/** The answer for as many days as hours are offered of. Throws Skip if these are a week, as before contract 1.2. */
async function readLongest(subject: Subject): Promise<Read<typeof hours>> {
  await demandOffered(subject);
  const reply = await askFor(subject, { days: MAX_HOUR_DAYS, interval: "hour" });
  if (reply.status === 400) throw new Skip(`the service has hours of fewer than ${MAX_HOUR_DAYS} days`);
  return parse(hours, reply);
}

const sum = (points: readonly HourPoint[], name: "visitors" | "pageviews" | "visits") =>
  points.reduce((total, point) => total + (point[name] ?? 0), 0);

/** The numbers of a day that are the sums of its hours. */
const listSums = (counts: { pageviews: number; visits?: number | undefined }, visits: number | undefined) =>
  quote({ pageviews: counts.pageviews, ...(visits !== undefined && { visits }) });

function demandSums({ reply, day, own }: DayHours): void {
  const pageviews = sum(own, "pageviews");
  const expected = listSums(day, day.visits);
  const seen = listSums({ pageviews }, day.visits === undefined ? undefined : sum(own, "visits"));
  demand(expected === seen, reply, `${expected}, as ${day.date} has`, seen);
}

function demandVisitors({ reply, day, own }: DayHours): void {
  const most = Math.max(0, ...own.map(({ visitors }) => visitors));
  demand(
    most <= day.visitors,
    reply,
    `at most ${day.visitors} visitors in an hour of ${day.date}`,
    `${most}`,
  );
  const all = sum(own, "visitors");
  demand(
    all >= day.visitors,
    reply,
    `at least ${day.visitors} visitors in all hours of ${day.date}`,
    `${all}`,
  );
}

const askFor = (subject: Subject, params: Params): Promise<Reply> =>
  subject.ask(timeseries.path, { site: subject.site.domain, ...params });

const DAY_MS = 86_400_000;

/**
 * A listed site with a finished day without data, and for how many days its hours have one. Throws Skip if there is none.
 */
async function findMissing(subject: Subject) {
  for (const { domain } of sampleSites(subject)) {
    const { answer: byDay } = await readListed(subject, timeseries, { site: domain, days: 365 });
    const { points, period } = byDay;
    const day = points.findLast(({ date, missing }) => missing && date < period.to);
    // Hours of a week are offered wherever there are hours.
    const days = day === undefined ? Number.POSITIVE_INFINITY : countDays(day.date, period.to);
    if (days <= WEEK) return { site: domain, days, byDay };
  }
  throw new Skip(`no finished day of the last ${WEEK} has missing: true`);
}

/** The days of the last year on which the site's clocks are changed, and those before and after. */
function listChanges({ period: { to, timezone } }: Hours): { from: string; to: string }[] {
  const first = addDays(to, -360);
  return listDays(first, addDays(to, -2))
    .filter((date) => startOfDay(addDays(date, 1), timezone) - startOfDay(date, timezone) !== DAY_MS)
    .map((date) => ({ from: addDays(date, -1), to: addDays(date, 1) }));
}

export const hoursSection = defineSection({
  name: "hours",
  title: "Hours (if offered)",
  rules: {
    "hours.answer": {
      must: 'With interval=hour, the interval is "hour", and the points have time in place of date.',
      fix: 'Send "interval": "hour", and time as RFC 3339 with the site\'s offset.',
      check: async (subject) => {
        await demandOffered(subject);
        const reply = await subject.ask(hours.path, basicParams(subject, hours));
        const { answer } = parse(hours, reply);
        demand(answer.interval === "hour", reply, '"hour"', quote(answer.interval));
        const dated = items(member(reply.json, "points")).find(
          (point) => member(point, "date") !== undefined,
        );
        demand(dated === undefined, reply, "no date in a point", quote(dated));
      },
    },
    "hours.points": {
      must: "There is one point for each hour that the site's clocks show, in order: from the first hour of the period to its last, or to the one that is going on.",
      fix: "List the runs of instants with one local date, hour and offset, then fill in the numbers.",
      check: async (subject) => {
        for (const days of [1, 2, WEEK]) demandTimes(await readHours(subject, { days }));
        const reply = await askFor(subject, { days: MAX_HOUR_DAYS, interval: "hour" });
        // A service of contract 1.1 has no more than a week.
        if (reply.status === 400) demandRefusal(reply, 400, "invalid_parameter");
        else demandTimes(parse(hours, reply));
      },
    },
    "hours.clock-changes": {
      must: "On days on which the clocks are changed, an hour that they repeat is two points, and one that they skip is none; all add up to the day. This needs from and to.",
      fix: "Tell hours apart by their offset, too, and never by adding 60 minutes to the clock, in points and in numbers.",
      check: async (subject) => {
        const { answer } = await readHours(subject);
        // Names that are no timezone are seen here.
        expectTimes(answer);
        const changes = listChanges(answer);
        if (changes.length === 0) throw new Skip("the site's clocks were not changed in the last year");
        for (const { from, to } of changes) {
          const byHour = await readDates(subject, from, to);
          demandTimes(byHour);
          for (const day of await listOfYear(subject, byHour)) demandSums(day);
        }
      },
    },
    "hours.partial": {
      must: "partial is true on the hour that is going on, and on no other.",
      fix: 'Add "partial": true only to the last point, if the period ends today.',
      check: async (subject) => {
        const { reply, answer } = await readHours(subject);
        const last = answer.points.length - 1;
        const wrong = answer.points.find(({ partial = false }, index) => partial !== (index === last));
        demand(wrong === undefined, reply, "partial: true only on the last point", quote(wrong));
      },
    },
    "hours.adds-up": {
      must: "The hours of a finished day add up to its page views and, if the service has them, its visits.",
      fix: "Count a page view in the hour of its instant, and a visit in the hour in which it begins.",
      check: async (subject) => demandSums(await readYesterday(subject)),
    },
    "hours.longest": {
      must: `If hours of ${MAX_HOUR_DAYS} days are offered, those of each finished day add up to it, too: page views and visits, and visitors as of one day.`,
      fix: "Count hours of many days as those of one: in the site's timezone, each day by its own offset.",
      check: async (subject) => {
        for (const day of await listOfYear(subject, await readLongest(subject))) {
          demandSums(day);
          demandVisitors(day);
        }
      },
    },
    "hours.missing": {
      must: "A day with missing: true has no other hours, hours with missing: true have zeros, and a day without it has an hour without it.",
      fix: "Mark the hours of which there is no data as you mark the days.",
      check: async (subject) => {
        await demandOffered(subject);
        const { site, days, byDay } = await findMissing(subject);
        const byHour = await readListed(subject, hours, { site, days, interval: "hour" });
        for (const { reply, day, own } of listFinished(byHour, byDay)) {
          const wrong = own.find(
            ({ missing = false, visitors, pageviews }) =>
              (day.missing && !missing) || (missing && visitors + pageviews > 0),
          );
          const expected = wrong?.missing ? "zeros with missing: true" : `missing: true, as ${day.date} has`;
          demand(wrong === undefined, reply, expected, quote(wrong));
          const isWhole = own.length > 0 && own.every(({ missing }) => missing);
          demand(day.missing || !isWhole, reply, `an hour with data on ${day.date}`, "missing: true in all");
        }
      },
    },
    "hours.visitors": {
      must: "A visitor counts once an hour: no hour has more visitors than the day, and all hours together not fewer.",
      fix: "Count the distinct visitors of each hour on its own.",
      check: async (subject) => {
        demandVisitors(await readYesterday(subject));
      },
    },
    "hours.dates": {
      must: "A finished day has the same hours with from and to as with days, if both are offered.",
      fix: "Choose the days first, in one place, then count their hours.",
      check: async (subject) => {
        const { day, own } = await readYesterday(subject);
        const { reply, answer } = await readDates(subject, day.date, day.date);
        const show = (point: HourPoint | undefined) =>
          quote(point && [normalize(point.time), point.visitors, point.pageviews]);
        const at = own.findIndex((point, index) => show(point) !== show(answer.points[index]));
        demand(at === -1, reply, show(own[at]), show(answer.points[at]));
        const [expected, seen] = [own.length, answer.points.length];
        demand(expected === seen, reply, `${expected} points`, `${seen} points`);
      },
    },
    "hours.filter": {
      must: "If filters are offered, hours add up to the filtered day, and pages= has the same visits in each hour as visit:pages=.",
      fix: "Apply the filter before counting, for hours as for days; a visit counts in the hour in which it begins, whichever hits are kept.",
      check: async (subject) => {
        await demandOffered(subject);
        await findFiltering(subject, [timeseries]);
        const [visit, { is }] = [await chooseVisits(subject), await choosePage(subject)];
        demandSums(await readYesterday(subject, { filter: [visit.is] }));
        const byPage = await readYesterday(subject, { filter: [is] });
        demandSums(byPage);
        const wholeVisits = { days: 2, filter: [`visit:${is}`] };
        const reply = await subject.ask(hours.path, { ...basicParams(subject, hours), ...wholeVisits });
        if (reply.status === 400) throw new Skip("visit:pages= is refused: see filters.visit");
        const byVisit = await readYesterday(subject, wholeVisits);
        if (byVisit.day.date !== byPage.day.date)
          throw new Inconclusive("a new day began at the site between the requests");
        const [expected, seen] = [byVisit, byPage].map(({ own }) => quote(own.map(({ visits }) => visits)));
        demand(expected === seen, byPage.reply, `the visits ${expected}`, `${seen}`);
      },
    },
    "hours.at-most": {
      must: `More than ${MAX_HOUR_DAYS} days by hour are refused: 400, invalid_parameter.`,
      fix: "Refuse them and say how many days are possible; never answer by day, or for fewer days.",
      check: async (subject) => {
        await demandOffered(subject);
        const reply = await askFor(subject, { days: MAX_HOUR_DAYS + 1, interval: "hour" });
        demandRefusal(reply, 400, "invalid_parameter");
      },
    },
    "hours.interval-refused": {
      must: "Any interval that the OpenAPI document does not list is refused: 400, invalid_parameter, with an entry for interval.",
      fix: "Accept day, hour and what else you list, exactly so written, and put the parameter interval into errors.",
      check: async (subject) => {
        await demandOffered(subject);
        const { reply: document } = await read(subject, openapi);
        const parameter = findParameters(document.json, timeseries).get("interval");
        const listed = items(member(resolve(document.json, member(parameter, "schema")), "enum"));
        for (const interval of ["week", "Hour", "3600"]) {
          if (listed.includes(interval)) continue;
          const reply = await askFor(subject, { days: 1, interval });
          demandRefusal(reply, 400, "invalid_parameter");
          const named = items(member(reply.json, "errors")).map((entry) => member(entry, "parameter"));
          demand(named.includes("interval"), reply, "an entry for interval in errors", quote(named));
        }
      },
    },
    "hours.day": {
      must: "interval=day is the default: it gives the days that an answer without interval has.",
      fix: "Let interval default to day.",
      check: async (subject) => {
        await demandOffered(subject);
        const readDays = async (params: Params) => {
          const { reply, answer } = parse(timeseries, await askFor(subject, { days: 3, ...params }));
          return { reply, days: quote(answer.points.slice(0, -1)) };
        };
        const [plain, asked] = [await readDays({}), await readDays({ interval: "day" })];
        demand(plain.days === asked.days, asked.reply, plain.days, asked.days);
      },
    },
  },
});
