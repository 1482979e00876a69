import { quote } from "../../errors.ts";
import { addDays, countDays } from "../../operations/days.ts";
import { crawlers, openapi } from "../../operations/index.ts";
import type { ResultOf } from "../../operations/operation.ts";
import { localTime } from "../local-time.ts";
import { findParameters, findPath } from "../openapi-lookup.ts";
import { member } from "../reply.ts";
import { demandRefusal } from "../reply-checks.ts";
import { defineRules } from "../rule.ts";
import { compareStable } from "../stable-compare.ts";
import { parse, read, type Subject } from "../subject.ts";
import { demand, Skip } from "../verdict.ts";
import { askWith, isInvalid, isUnknown } from "./parameter-requests.ts";

type Crawlers = ResultOf<typeof crawlers>;

/** What a period must be if `days` days were asked for. */
function expectPeriod({ as_of, to }: Crawlers["period"], days: number, timezone: string) {
  const today = localTime(Date.parse(as_of), timezone)?.slice(0, 10) ?? to;
  const [from, complete_through] = [addDays(today, 1 - days), addDays(today, -1)];
  return { from, to: today, days, timezone, partial: true, complete_through };
}

const countByValue = ({ rows }: Crawlers) => new Map(rows.map(({ value, requests }) => [value, requests]));

/** The crawlers of finished days. */
async function readDates(subject: Subject, from: string, to: string) {
  const { site } = subject;
  return parse(crawlers, await subject.ask(crawlers.path, { site: site.domain, limit: 1000, from, to }));
}

/** Rules on how /crawlers reads its parameters, its site and its key. */
export const crawlerQueryRules = defineRules(
  {
    id: "crawlers.described",
    title: "A service that answers /crawlers describes it in its OpenAPI document.",
    fix: "Describe the path, or answer it with 404 and the code not_found.",
    check: async (subject) => {
      await read(subject, crawlers);
      const { reply } = await read(subject, openapi);
      const get = member(findPath(reply.json, crawlers), "get");
      demand(typeof get === "object", reply, `get of ${crawlers.path}`, quote(get));
    },
  },
  {
    id: "crawlers.needs-key",
    title: "/crawlers requires a key: 401, missing_api_key or invalid_api_key.",
    fix: "Check the key as for every operation.",
    check: async (subject) => {
      await read(subject, crawlers);
      const { site, ask, keys } = subject;
      const query = { site: site.domain };
      demandRefusal(await ask(crawlers.path, query, { key: null }), 401, "missing_api_key");
      demandRefusal(await ask(crawlers.path, query, { key: keys.wrong }), 401, "invalid_api_key");
    },
  },
  {
    id: "crawlers.parameters",
    title: "days and limit have the same bounds as elsewhere, and an unknown parameter is refused: 400.",
    fix: "Refuse days outside 1–365, limit outside 1–1000, and every other name.",
    check: async (subject) => {
      await read(subject, crawlers);
      isUnknown(await askWith(subject, crawlers, { conform_unknown: "7d" }));
      for (const [name, values] of Object.entries({ days: ["0", "366", "7d"], limit: ["0", "1001"] })) {
        for (const value of values) isInvalid(await askWith(subject, crawlers, { [name]: value }));
      }
    },
  },
  {
    id: "crawlers.period",
    title: "period is the requested number of days, of which today at the site is the last.",
    fix: "Use the same period as /stats.",
    check: async (subject) => {
      for (const days of [1, 7, 90]) {
        const { reply, answer } = await read(subject, crawlers, { days });
        const { as_of: _, ...period } = answer.period;
        const expected = expectPeriod(answer.period, days, subject.site.timezone);
        const seen = Object.fromEntries(Object.keys(expected).map((name) => [name, member(period, name)]));
        demand(quote(seen) === quote(expected), reply, quote(expected), quote(seen));
      }
    },
  },
  {
    id: "crawlers.longer-is-more",
    title: "A longer period has at least the requests of a shorter one, of each crawler too.",
    fix: "Add up the requests of all days of the period.",
    check: async (subject) => {
      await compareStable(
        (fresh) => read(subject, crawlers, { days: 7 }, { fresh }),
        async ({ answer: shorter }) => {
          const { reply, answer: longer } = await read(subject, crawlers);
          const all = countByValue(longer);
          const least = longer.truncated ? (longer.rows.at(-1)?.requests ?? 0) : 0;
          const missing = shorter.rows.find(({ value, requests }) => requests > (all.get(value) ?? least));
          const seen = quote(longer.rows.find(({ value }) => value === missing?.value));
          demand(missing === undefined, reply, `at least ${missing?.requests} for ${missing?.label}`, seen);
          const [few, many] = [shorter.totals.requests, longer.totals.requests];
          demand(few <= many, reply, `totals.requests of at least ${few}`, `${many}`);
        },
      );
    },
  },
  {
    id: "crawlers.dates",
    title: "If from and to are offered, they give exactly those days, and days add up.",
    fix: "Use the same counts for from and to as for days; requests and pages are sums over the days.",
    check: async (subject) => {
      const { answer } = await read(subject, crawlers);
      const parameters = findParameters((await subject.ask(openapi.path)).json, crawlers);
      if (!parameters.has("from") || !parameters.has("to"))
        throw new Skip("the service does not offer from and to");
      const [from, to] = [addDays(answer.period.to, -2), addDays(answer.period.to, -1)];
      const { reply, answer: both } = await readDates(subject, from, to);
      const { period } = both;
      const span = quote([period.from, period.to, period.days, period.partial]);
      const expected = quote([from, to, countDays(from, to), false]);
      demand(span === expected, reply, expected, span);
      const days = [await readDates(subject, from, from), await readDates(subject, to, to)];
      const sum = days.reduce((all, day) => all + day.answer.totals.requests, 0);
      demand(
        both.totals.requests === sum,
        reply,
        `${sum} requests, as of each day`,
        `${both.totals.requests}`,
      );
    },
  },
  {
    id: "crawlers.unknown-site",
    title: "A site that does not exist gets 404 with the code site_not_found.",
    fix: "Answer as the other operations do: not_found only says that there are no crawlers at all.",
    check: async (subject) => {
      await read(subject, crawlers);
      const reply = await askWith(subject, crawlers, { site: "conform.invalid" });
      demandRefusal(reply, 404, "site_not_found");
    },
  },
);
