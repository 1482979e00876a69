import { quote } from "../../errors.ts";
import { addDays } from "../../operations/days.ts";
import { openapi } from "../../operations/index.ts";
import type { ResultOf } from "../../operations/operation.ts";
import { localTime } from "../local-time.ts";
import { findPath } from "../openapi-lookup.ts";
import { member } from "../reply.ts";
import {
  answers,
  askWith,
  demandCache,
  demandStatus,
  demandVary,
  demandWarnsBeforeData,
  isShared,
  needsKey,
  ofAnswers,
  ofEach,
  readMaxAge,
} from "../reply-checks.ts";
import type { Rules } from "../rule.ts";
import { findSiteSince, readListed } from "../site-sample.ts";
import { compareStable } from "../stable-compare.ts";
import { basicParams, parse, type Read, read, type Subject } from "../subject.ts";
import { demand, Skip } from "../verdict.ts";
import { findOffering } from "./dates-rules.ts";
import { isInvalid, isUnknown } from "./parameter-requests.ts";
import { FOREIGN_DIGITS } from "./parameter-values-rules.ts";
import type { ListWords, RequestList } from "./request-list-rules.ts";

/** What a period must be if `days` days were asked for. */
function expectPeriod({ as_of, to }: ResultOf<RequestList>["period"], days: number, timezone: string) {
  const today = localTime(Date.parse(as_of), timezone)?.slice(0, 10) ?? to;
  const [from, complete_through] = [addDays(today, 1 - days), addDays(today, -1)];
  return { from, to: today, days, timezone, partial: true, complete_through };
}

/** The rows of finished days. */
export async function readDates<O extends RequestList>(
  operation: O,
  subject: Subject,
  from: string,
  to: string,
): Promise<Read<O>> {
  const { site } = subject;
  return parse(operation, await subject.ask(operation.path, { site: site.domain, limit: 1000, from, to }));
}

/** The last two finished days, together and each for itself. Throws Skip if the service does not offer `from` and `to`. */
export async function readTwoDays<O extends RequestList>(operation: O, subject: Subject) {
  const { answer } = await read(subject, operation);
  await findOffering(subject, [operation]);
  const [from, to] = [addDays(answer.period.to, -2), addDays(answer.period.to, -1)];
  const both = await readDates(operation, subject, from, to);
  const days = [await readDates(operation, subject, from, from), await readDates(operation, subject, to, to)];
  return { both, days };
}

/**
 * Rules on how an operation that ranks by requests reads its parameters, its site and its key.
 *
 * @param measure What a row counts beside requests, within each day.
 * @param countDays How to count it.
 */
export function queryRules(
  operation: RequestList,
  words: ListWords,
  { measure, countDays }: { measure: "pages" | "visitors"; countDays: string },
): Rules {
  const { path } = operation;
  const { section } = operation.conform;
  return {
    [`${section}.described`]: {
      must: `A service that answers ${path} describes it in its OpenAPI document.`,
      fix: "Describe the path, or answer it with 404 and the code not_found.",
      check: async (subject) => {
        await read(subject, operation);
        const { reply } = await read(subject, openapi);
        const get = member(findPath(reply.json, operation), "get");
        demand(typeof get === "object", reply, `get of ${path}`, quote(get));
      },
    },
    [`${section}.needs-key`]: {
      must: `${path} requires a key: 401, missing_api_key or invalid_api_key.`,
      fix: "Check the key as for every operation.",
      check: async (subject) => {
        await read(subject, operation);
        await needsKey(path, { site: subject.site.domain })(subject);
      },
    },
    [`${section}.parameters`]: {
      must: "days and limit have the same bounds as elsewhere, and an unknown parameter is refused: 400.",
      fix: "Refuse days outside 1–365, limit outside 1–1000, and every other name.",
      check: async (subject) => {
        await read(subject, operation);
        isUnknown(await askWith(subject, operation, { conform_unknown: "7d" }));
        const wrong = [
          ...["0", "366", "7d", ...FOREIGN_DIGITS].map((days) => ({ days })),
          ...["0", "1001"].map((limit) => ({ limit })),
        ];
        await ofEach([operation], wrong, isInvalid)(subject);
      },
    },
    [`${section}.period`]: {
      must: "period is the requested number of days, of which today at the site is the last.",
      fix: "Use the same period as /stats.",
      check: ofAnswers(
        [operation],
        ({ reply, answer: { period } }, { site }, { days }) => {
          const expected = expectPeriod(period, days, site.timezone);
          const seen = Object.fromEntries(Object.keys(expected).map((name) => [name, member(period, name)]));
          demand(quote(seen) === quote(expected), reply, quote(expected), quote(seen));
        },
        [1, 7, 90].map((days) => ({ days })),
      ),
    },
    [`${section}.longer-is-more`]: {
      must: `A longer period has at least the requests of a shorter one, of each ${words.row} too.`,
      fix: "Add up the requests of all days of the period.",
      check: async (subject) => {
        await compareStable(
          (fresh) => read(subject, operation, { days: 7 }, { fresh }),
          async ({ answer: shorter }) => {
            const { reply, answer: longer } = await read(subject, operation);
            const all = new Map(longer.rows.map(({ value, requests }) => [value, requests]));
            const least = longer.truncated ? (longer.rows.at(-1)?.requests ?? 0) : 0;
            // What was apart in the shorter period may be folded in the longer one.
            const isFolded = (row: object) => member(row, "other") === true;
            const folded = longer.rows.find(isFolded)?.requests ?? 0;
            const missing = shorter.rows.find(
              (row) => !isFolded(row) && row.requests > (all.get(row.value) ?? least) + folded,
            );
            const seen = quote(longer.rows.find(({ value }) => value === missing?.value));
            const expected = `at least ${missing?.requests} for ${quote(missing?.value)}`;
            demand(missing === undefined, reply, expected, seen);
            const [few, many] = [shorter.totals.requests, longer.totals.requests];
            demand(few <= many, reply, `totals.requests of at least ${few}`, `${many}`);
          },
        );
      },
    },
    [`${section}.dates`]: {
      must: `If from and to are offered, requests and ${measure} are the sums of the days, and days is the same span.`,
      fix: `Use the same counts for from and to as for days; ${countDays}.`,
      check: async (subject) => {
        const { both, days } = await readTwoDays(operation, subject);
        const sum = days.reduce((all, day) => all + day.answer.totals.requests, 0);
        const { requests } = both.answer.totals;
        demand(requests === sum, both.reply, `${sum} requests, as of each day`, `${requests}`);
        // Rows beyond the limit would be missing from a day.
        if ([both, ...days].some(({ answer }) => answer.truncated)) return;
        const measureOf = (row: object | undefined) => Number(member(row, measure) ?? 0);
        for (const row of both.answer.rows) {
          const own = days.map(({ answer }) => answer.rows.find(({ value }) => value === row.value));
          const expected = own.reduce((all, each) => all + measureOf(each), 0);
          const seen = measureOf(row);
          const of = `${expected} ${measure} of ${quote(row.value)}, as of each day`;
          demand(seen === expected, both.reply, of, `${seen}`);
        }
      },
    },
    [`${section}.longest`]: {
      must: "If from and to are offered, the requests of 365 days are those of the same dates.",
      fix: "Count today and the 364 days before.",
      check: async (subject) => {
        await read(subject, operation);
        await findOffering(subject, [operation]);
        await compareStable(
          (fresh) => read(subject, operation, { days: 365 }, { fresh }),
          async ({ answer: { period, totals } }) => {
            const query = { site: subject.site.domain, limit: 1000, from: period.from, to: period.to };
            const reply = await subject.ask(path, query);
            if (reply.status === 400) throw new Skip("the service does not take dates so long ago");
            const { requests } = parse(operation, reply).answer.totals;
            demand(requests === totals.requests, reply, `${totals.requests} requests`, `${requests}`);
          },
        );
      },
    },
    [`${section}.warns-before-data`]: {
      must: "A period that starts before the site has data comes with the warning before_data_since.",
      fix: "Add the same warning as to /stats.",
      check: async (subject) => {
        const { answer } = await read(subject, operation, { days: 365 });
        // Two days of tolerance: the other site may be in another timezone.
        const site = findSiteSince(subject, addDays(answer.period.from, 2));
        const asked = { site: site.domain, days: 365 };
        const { reply, answer: year } = await readListed(subject, operation, asked);
        demandWarnsBeforeData(reply, year);
      },
    },
    [`${section}.headers`]: {
      must: `${path} has the fields of every answer, and HEAD answers like GET.`,
      fix: "Send ETag, Vary: Authorization and Cache-Control: private, max-age=60, and handle HEAD like GET.",
      check: async (subject) => {
        const { reply } = await read(subject, operation);
        demandVary(reply);
        demand(reply.headers.has("etag"), reply, "an ETag", "none");
        demandCache(
          reply,
          "private, max-age=60",
          (cache) => /(^|[\s,])private/i.test(cache) && !isShared(cache) && readMaxAge(cache) === 60,
        );
        const head = await subject.ask(path, basicParams(subject, operation), { method: "HEAD" });
        demandStatus(head, reply.status);
      },
    },
    [`${section}.unknown-site`]: {
      must: "A site that does not exist gets 404 with the code site_not_found.",
      fix: `Answer as the other operations do: not_found only says that there is no ${path} at all.`,
      check: async (subject) => {
        await read(subject, operation);
        await ofEach([operation], [{ site: "conform.invalid" }], answers(404, "site_not_found"))(subject);
      },
    },
  };
}
