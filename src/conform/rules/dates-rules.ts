import { quote } from "../../errors.ts";
import { addDays } from "../../operations/days.ts";
import { openapi, timeseries } from "../../operations/index.ts";
import type { Operation } from "../../operations/operation.ts";
import type { ProblemCode } from "../../operations/problem.ts";
import { sumPoints } from "../../operations/timeseries.ts";
import { findParameters } from "../openapi-lookup.ts";
import type { Reply } from "../reply.ts";
import { demandRefusal } from "../reply-checks.ts";
import { defineSection, type Rule } from "../rule.ts";
import { basicParams, parse, periodOperations, read, type Subject } from "../subject.ts";
import { Breach, demand, Inconclusive, Skip } from "../verdict.ts";

type PeriodOperation = (typeof periodOperations)[number];
type Params = Record<string, string | number>;

/** Those of the operations that offer `from` and `to`, which the contract leaves optional. Throws Skip if none does. */
async function findOffering(
  subject: Subject,
  operations: readonly PeriodOperation[] = periodOperations,
): Promise<PeriodOperation[]> {
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
function readTotals({ conform }: Operation, answer: object) {
  const { visitors, pageviews } = conform.totals?.({ ...answer }) ?? {};
  return { visitors, pageviews };
}

/** The last finished day at the site, according to the service. */
async function readYesterday(subject: Subject): Promise<string> {
  return addDays((await read(subject, timeseries)).answer.period.to, -1);
}

function askDates(subject: Subject, operation: Operation, dates: Params): Promise<Reply> {
  const { days: _, ...rest } = basicParams(subject, operation);
  return subject.ask(operation.path, { ...rest, ...dates });
}

/** The answer for dates. Throws Skip if the operation does not even answer its basic query. */
async function readDates(subject: Subject, operation: PeriodOperation, dates: Params) {
  await read(subject, operation);
  return parse<PeriodOperation>(operation, await askDates(subject, operation, dates));
}

/** Demands that each operation that offers dates refuses the chosen ones. */
function refuses(codes: ProblemCode[], choose: (yesterday: string) => Params[]): Rule["check"] {
  return async (subject) => {
    const yesterday = await readYesterday(subject);
    for (const operation of await findOffering(subject)) {
      for (const dates of choose(yesterday)) {
        demandRefusal(await askDates(subject, operation, dates), 400, ...codes);
      }
    }
  };
}

/** Rules for an optional part of the contract. */
export const dates = defineSection({
  name: "dates",
  title: "Any dates (if offered)",
  rules: [
    {
      id: "dates.period",
      title: "With from and to, the period is exactly those days, and it is finished if to is in the past.",
      fix: "Repeat from and to; days counts both ends, complete_through equals to, and partial is false.",
      check: async (subject) => {
        const to = await readYesterday(subject);
        const from = addDays(to, -6);
        for (const operation of await findOffering(subject)) {
          const { reply, answer } = await readDates(subject, operation, { from, to });
          const expected = { from, to, days: 7, partial: false, complete_through: to };
          const seen = Object.fromEntries(
            (["from", "to", "days", "partial", "complete_through"] as const).map((name) => [
              name,
              answer.period[name],
            ]),
          );
          demand(quote(seen) === quote(expected), reply, quote(expected), quote(seen));
        }
      },
    },
    {
      id: "dates.same-numbers",
      title: "Finished days have the same numbers with from and to as in the daily series.",
      fix: "Use the same counts for from and to as for days.",
      check: async (subject) => {
        const to = await readYesterday(subject);
        const from = addDays(to, -6);
        const readSums = async (fresh: boolean) => {
          const { points } = (await read(subject, timeseries, {}, { fresh })).answer;
          return sumPoints(points.filter(({ date }) => date >= from && date <= to));
        };
        const expected = await readSums(false);
        for (const operation of await findOffering(subject, withTotals)) {
          const { reply, answer } = await readDates(subject, operation, { from, to });
          const seen = readTotals(operation, answer);
          if (quote(seen) === quote(expected)) continue;
          if (quote(await readSums(true)) !== quote(expected)) {
            throw new Inconclusive("finished days changed between the requests");
          }
          throw new Breach(reply.sent, quote(expected), quote(seen));
        }
      },
    },
    {
      id: "dates.reversed-refused",
      title: "from after to is refused: 400, invalid_parameter.",
      fix: "Refuse reversed dates; do not swap them.",
      check: refuses(["invalid_parameter"], (to) => [{ from: to, to: addDays(to, -1) }]),
    },
    {
      id: "dates.future-refused",
      title: "to in the future is refused: 400, invalid_parameter.",
      fix: "Refuse days that have not begun at the site; do not shorten the period.",
      check: refuses(["invalid_parameter"], (day) => [{ from: day, to: addDays(day, 3) }]),
    },
    {
      id: "dates.alone-refused",
      title: "from without to, or to without from, is refused: 400, missing_parameter or invalid_parameter.",
      fix: "Require both.",
      check: refuses(["missing_parameter", "invalid_parameter"], (day) => [{ from: day }, { to: day }]),
    },
    {
      id: "dates.days-refused",
      title: "from and to together with days are refused: 400, invalid_parameter.",
      fix: "Accept one way to choose the period: refuse days together with dates, even days=30.",
      check: refuses(["invalid_parameter"], (to) => [{ from: addDays(to, -29), to, days: 30 }]),
    },
    {
      id: "dates.form-refused",
      title: "Anything but a date (YYYY-MM-DD) is refused: 400, invalid_parameter.",
      fix: "Accept only calendar dates: no timestamps, no month 13, no 30 February.",
      check: refuses(["invalid_parameter"], (to) =>
        [`${addDays(to, -6)}T00:00:00Z`, "yesterday", "2026-02-30", "20260101"].map((from) => ({ from, to })),
      ),
    },
  ],
});
