import { quote } from "../../errors.ts";
import { addDays } from "../../operations/days.ts";
import { crawlers, openapi } from "../../operations/index.ts";
import type { ResultOf } from "../../operations/operation.ts";
import { localTime } from "../local-time.ts";
import { findPath } from "../openapi-lookup.ts";
import { member } from "../reply.ts";
import { demandRefusal, demandStatus, isShared, readMaxAge, variesByKey } from "../reply-checks.ts";
import { defineRules } from "../rule.ts";
import { findSiteSince, readListed } from "../site-sample.ts";
import { compareStable } from "../stable-compare.ts";
import { basicParams, parse, read, type Subject } from "../subject.ts";
import { demand, Skip } from "../verdict.ts";
import { findOffering } from "./dates-rules.ts";
import { askWith, isInvalid, isUnknown } from "./parameter-requests.ts";
import { FOREIGN_DIGITS } from "./parameter-values-rules.ts";

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

/** What was expected of a row's `last_seen`; undefined if it is in the period. */
export function expectLastSeen(
  { last_seen }: Crawlers["rows"][number],
  { period }: Crawlers,
  { site }: Subject,
): string | undefined {
  const day = localTime(Date.parse(last_seen), site.timezone)?.slice(0, 10);
  if (day === undefined) throw new Skip("the site has no IANA timezone: see sites.timezone");
  const isWithin = day >= period.from && day <= period.to;
  const isPast = Date.parse(last_seen) <= Date.parse(period.as_of);
  return isWithin && isPast
    ? undefined
    : `last_seen from ${period.from} to ${period.to}, until ${period.as_of}`;
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
      for (const [name, values] of Object.entries({
        days: ["0", "366", "7d", ...FOREIGN_DIGITS],
        limit: ["0", "1001"],
      })) {
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
    title:
      "If from and to are offered, requests and pages are the sums of the days, and days is the same span.",
    fix: "Use the same counts for from and to as for days; pages are distinct within each day and added up over the days.",
    check: async (subject) => {
      const { answer } = await read(subject, crawlers);
      await findOffering(subject, [crawlers]);
      const [from, to] = [addDays(answer.period.to, -2), addDays(answer.period.to, -1)];
      const { reply, answer: both } = await readDates(subject, from, to);
      const days = [await readDates(subject, from, from), await readDates(subject, to, to)];
      const sum = days.reduce((all, day) => all + day.answer.totals.requests, 0);
      const { requests } = both.totals;
      demand(requests === sum, reply, `${sum} requests, as of each day`, `${requests}`);
      // Rows beyond the limit would be missing from a day.
      if ([both, ...days.map((day) => day.answer)].some(({ truncated }) => truncated)) return;
      for (const { value, label, pages } of both.rows) {
        const rows = days.map((day) => day.answer.rows.find((row) => row.value === value));
        const expected = rows.reduce((all, row) => all + (row?.pages ?? 0), 0);
        demand(pages === expected, reply, `${expected} pages of ${label}, as of each day`, `${pages}`);
      }
    },
  },
  {
    id: "crawlers.dates-last-seen",
    title: "If from and to are offered, last_seen is within those days, even if the crawler came again.",
    fix: "Send the time of the crawler's last request in the requested days.",
    check: async (subject) => {
      const { answer } = await read(subject, crawlers);
      await findOffering(subject, [crawlers]);
      for (const day of [addDays(answer.period.to, -2), addDays(answer.period.to, -1)]) {
        const { reply, answer: list } = await readDates(subject, day, day);
        for (const row of list.rows) {
          const expected = expectLastSeen(row, list, subject);
          demand(expected === undefined, reply, `${expected}`, quote(row));
        }
      }
    },
  },
  {
    id: "crawlers.longest",
    title: "If from and to are offered, the requests of 365 days are those of the same dates.",
    fix: "Count today and the 364 days before.",
    check: async (subject) => {
      await read(subject, crawlers);
      await findOffering(subject, [crawlers]);
      await compareStable(
        (fresh) => read(subject, crawlers, { days: 365 }, { fresh }),
        async ({ answer: { period, totals } }) => {
          const query = { site: subject.site.domain, limit: 1000, from: period.from, to: period.to };
          const reply = await subject.ask(crawlers.path, query);
          if (reply.status === 400) throw new Skip("the service does not take dates so long ago");
          const { requests } = parse(crawlers, reply).answer.totals;
          demand(requests === totals.requests, reply, `${totals.requests} requests`, `${requests}`);
        },
      );
    },
  },
  {
    id: "crawlers.warns-before-data",
    title: "A period that starts before the site has data comes with the warning before_data_since.",
    fix: "Add the same warning as to /stats.",
    check: async (subject) => {
      const { answer } = await read(subject, crawlers, { days: 365 });
      // Two days of tolerance: the other site may be in another timezone.
      const site = findSiteSince(subject, addDays(answer.period.from, 2));
      const { reply, answer: year } = await readListed(subject, crawlers, { site: site.domain, days: 365 });
      const codes = (year.warnings ?? []).map(({ code }) => code);
      demand(codes.includes("before_data_since"), reply, "the warning before_data_since", quote(codes));
    },
  },
  {
    id: "crawlers.headers",
    title: "/crawlers has the fields of every answer, and HEAD answers like GET.",
    fix: "Send ETag, Vary: Authorization and Cache-Control: private, max-age=60, and handle HEAD like GET.",
    check: async (subject) => {
      const { reply } = await read(subject, crawlers);
      const cache = reply.headers.get("cache-control") ?? "";
      const etag = reply.headers.get("etag");
      demand(variesByKey(reply), reply, "Vary: Authorization", quote(reply.headers.get("vary")));
      demand(etag !== null, reply, "an ETag", "none");
      const holds = /(^|[\s,])private/i.test(cache) && !isShared(cache) && readMaxAge(cache) === 60;
      demand(holds, reply, "Cache-Control: private, max-age=60", cache === "" ? "none" : quote(cache));
      const head = await subject.ask(crawlers.path, basicParams(subject, crawlers), { method: "HEAD" });
      demandStatus(head, reply.status);
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
