import { quote } from "../../errors.ts";
import { addDays, type Days } from "../../operations/days.ts";
import { openapi, operations, takesDays, timeseries } from "../../operations/index.ts";
import type { Operation } from "../../operations/operation.ts";
import type { Period } from "../../operations/period.ts";
import type { ProblemCode } from "../../operations/problem.ts";
import { sumPoints } from "../../operations/timeseries.ts";
import { findParameters } from "../openapi-lookup.ts";
import type { Params } from "../probe.ts";
import { member, type Reply } from "../reply.ts";
import { demandCache, demandRefusal, isShared, readMaxAge } from "../reply-checks.ts";
import { defineSection, type Rule } from "../rule.ts";
import { basicParams, parse, periodOperations, read, type Subject } from "../subject.ts";
import { Breach, demand, Inconclusive, Skip } from "../verdict.ts";

/** The operations that may offer `from` and `to`. */
export const dateOperations = operations.filter(takesDays);
type DateOperation = (typeof dateOperations)[number];

/** Those of the operations that offer `from` and `to`, which the contract leaves optional. Throws Skip if none does. */
export async function findOffering<O extends DateOperation>(subject: Subject, operations: readonly O[]) {
  const { reply } = await read(subject, openapi);
  const offering = operations.filter((operation) => {
    const parameters = findParameters(reply.json, operation);
    return parameters.has("from") && parameters.has("to");
  });
  if (offering.length === 0) throw new Skip("the service does not offer from and to");
  return offering;
}

const withTotals = periodOperations.filter(({ conform }: Operation) => conform.totals !== undefined);

/** The visitors and page views of an answer, if its operation declares them. */
export function totalsOf({ conform }: Operation, answer: object) {
  const { visitors, pageviews } = conform.totals?.({ ...answer }) ?? {};
  return { visitors, pageviews };
}

/** The last finished day at the site, according to the service. */
const readYesterday = async (subject: Subject): Promise<string> =>
  addDays((await read(subject, timeseries)).answer.period.to, -1);

function askDates(subject: Subject, operation: Operation, dates: Params): Promise<Reply> {
  const { days: _, ...rest } = basicParams(subject, operation);
  return subject.ask(operation.path, { ...rest, ...dates });
}

/** The answer for dates. Throws Skip if the operation does not even answer its basic query. */
export async function readDates(subject: Subject, operation: DateOperation, dates: Params) {
  await read(subject, operation);
  return parse<DateOperation>(operation, await askDates(subject, operation, dates));
}

/** Spans that end yesterday, three weeks before that, and today. */
const listSpans = (yesterday: string): Days[] =>
  [0, -21, 1].map((shift) => ({ from: addDays(yesterday, shift - 6), to: addDays(yesterday, shift) }));

/** The members of a period, but `as_of`. */
const showPeriod = ({ from, to, days, timezone, partial, complete_through }: Omit<Period, "as_of">) =>
  quote({ from, to, days, timezone, partial, complete_through });

const isRefused = ({ status, json }: Reply) => status === 400 && member(json, "code") === "invalid_parameter";

/** Demands that each operation that offers dates refuses the chosen ones. */
const refuses =
  (codes: ProblemCode[], choose: (yesterday: string) => Params[]): Rule["check"] =>
  async (subject) => {
    const yesterday = await readYesterday(subject);
    for (const operation of await findOffering(subject, dateOperations)) {
      for (const dates of choose(yesterday)) {
        demandRefusal(await askDates(subject, operation, dates), 400, ...codes);
      }
    }
  };

const inFullWidth = (date: string) =>
  date.replace(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit)));

/** Seconds for which finished days may be reused: as long as any answer of the contract. */
const MAX_AGE = 3600;

export const dates = defineSection({
  name: "dates",
  title: "Any dates (if offered)",
  rules: {
    "dates.period": {
      must: "With from and to, the period is exactly those days: finished if to is in the past, partial if to is today.",
      fix: "Repeat from and to; days counts both ends; in the past, complete_through equals to, and partial is false.",
      check: async (subject) => {
        const yesterday = await readYesterday(subject);
        for (const operation of await findOffering(subject, dateOperations)) {
          for (const { from, to } of listSpans(yesterday)) {
            const { reply, answer } = await readDates(subject, operation, { from, to });
            const partial = to > yesterday;
            const expected = showPeriod({
              from,
              to,
              days: 7,
              timezone: subject.site.timezone,
              partial,
              complete_through: partial ? yesterday : to,
            });
            const seen = showPeriod(answer.period);
            demand(seen === expected, reply, expected, seen);
          }
        }
      },
    },
    "dates.cache": {
      must: "Finished days, too, are only cached privately, and for an hour at most.",
      fix: "Send Cache-Control: private, max-age=60 here, too: late data still changes the last days, and keys are revoked.",
      check: async (subject) => {
        const to = await readYesterday(subject);
        for (const operation of await findOffering(subject, dateOperations)) {
          const { reply } = await readDates(subject, operation, { from: addDays(to, -6), to });
          demandCache(reply, `private, max-age of at most ${MAX_AGE}`, (cache) => {
            const isPrivate = /(^|[\s,])(private|no-cache|no-store)/i.test(cache) && !isShared(cache);
            return isPrivate && (readMaxAge(cache) ?? 0) <= MAX_AGE;
          });
        }
      },
    },
    "dates.same-numbers": {
      must: "Finished days have the same numbers with from and to as in the daily series.",
      fix: "Use the same counts for from and to as for days.",
      check: async (subject) => {
        const to = await readYesterday(subject);
        // The first days of the longest period, too: one that begins a day late is wrong there alone.
        const spans = [
          { from: addDays(to, -6), to, days: 30 },
          { from: addDays(to, -363), to: addDays(to, -357), days: 365 },
        ];
        for (const { from, to, days } of spans) {
          const readSums = async (fresh: boolean) => {
            const { points } = (await read(subject, timeseries, { days }, { fresh })).answer;
            const own = points.filter(({ date }) => date >= from && date <= to);
            const { visitors, pageviews } = sumPoints(own);
            return { visitors, pageviews };
          };
          const expected = await readSums(false);
          for (const operation of await findOffering(subject, withTotals)) {
            // A service may keep less than a year.
            if (days === 365 && isRefused(await askDates(subject, operation, { from, to }))) continue;
            const { reply, answer } = await readDates(subject, operation, { from, to });
            const seen = totalsOf(operation, answer);
            if (quote(seen) === quote(expected)) continue;
            if (quote(await readSums(true)) !== quote(expected)) {
              throw new Inconclusive("finished days changed between the requests");
            }
            throw new Breach(reply.sent, quote(expected), quote(seen));
          }
        }
      },
    },
    "dates.reversed-refused": {
      must: "from after to is refused: 400, invalid_parameter.",
      fix: "Refuse reversed dates; do not swap them.",
      check: refuses(["invalid_parameter"], (to) => [{ from: to, to: addDays(to, -1) }]),
    },
    "dates.future-refused": {
      must: "to in the future is refused, tomorrow included: 400, invalid_parameter.",
      fix: "Refuse days that have not begun at the site; do not shorten the period.",
      check: refuses(["invalid_parameter"], (day) => [{ from: day, to: addDays(day, 2) }]),
    },
    "dates.alone-refused": {
      must: "from without to, or to without from, is refused: 400, missing_parameter or invalid_parameter.",
      fix: "Require both.",
      check: refuses(["missing_parameter", "invalid_parameter"], (day) => [{ from: day }, { to: day }]),
    },
    "dates.days-refused": {
      must: "from and to together with days are refused: 400, invalid_parameter.",
      fix: "Accept one way to choose the period: refuse days together with dates, even days=30.",
      check: refuses(["invalid_parameter"], (to) => [{ from: addDays(to, -29), to, days: 30 }]),
    },
    "dates.form-refused": {
      must: "Anything but a date (YYYY-MM-DD) is refused: 400, invalid_parameter.",
      fix: "Accept only calendar dates: no timestamps, no month 13, no 30 February.",
      check: refuses(["invalid_parameter"], (to) => {
        const wrong = [
          `${addDays(to, -6)}T00:00:00Z`,
          "yesterday",
          "2026-02-30",
          "20260101",
          inFullWidth(to),
        ];
        return wrong.map((from) => ({ from, to }));
      }),
    },
  },
});
