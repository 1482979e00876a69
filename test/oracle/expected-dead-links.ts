import { startOf } from "./calendar.ts";
import type { Count } from "./count.ts";
import { type Column, counted, type Expected, periodOf, refer, warningsOf } from "./expected.ts";

const columns: Column[] = [
  { key: "value", title: "not found", kind: "text" },
  ...counted("requests"),
  { key: "visitors", title: "visitors", kind: "count", detail: true },
  { key: "referrers", title: "referrers", kind: "text", detail: true },
];

/** The dead links of some days, counted from the raw requests up to now, in the contract's order. */
export function expectDeadLinks(
  count: Count,
  now: number,
  { days, limit }: { days: number; limit: number },
): Expected {
  const { site } = count;
  const upToNow = <T extends { at: number }>(date: string, made: T[]) =>
    made
      .map((each) => ({ ...each, date }))
      .filter(({ at }) => startOf(date, site.timezone) + at * 1000 <= now);
  const dates = count.days(now, days);
  const all = dates.flatMap((date) => upToNow(date, site.deadLinks(date)));
  const crawled = dates.flatMap((date) => upToNow(date, site.crawlers(date)));
  const people = all.filter(({ isScanner }) => !isScanner);
  const listed = [...new Set(people.map(({ path }) => path))]
    .map((value) => {
      const own = people.filter(({ path }) => path === value);
      return {
        value,
        requests: own.length,
        visitors: new Set(own.map(({ date, sender }) => `${date} ${sender}`)).size,
        referrers: rank(own.flatMap(({ referrer }) => referrer ?? [])),
      };
    })
    .sort((a, b) => b.requests - a.requests || Buffer.compare(Buffer.from(a.value), Buffer.from(b.value)));
  const rows = listed.slice(0, limit);
  return {
    json: {
      site: refer(site),
      period: periodOf(count, now, days),
      rows,
      limit,
      total_rows: listed.length,
      truncated: listed.length > limit,
      totals: { requests: people.length },
      excluded: {
        bots: crawled.filter(({ isError }) => isError).length,
        scanners: all.length - people.length,
      },
      ...warningsOf(count, now, days),
    },
    tables: [
      {
        columns,
        rows: rows.map(({ value, requests, visitors, referrers }) => [
          value,
          requests,
          visitors,
          referrers.map((each) => `${each.value} (${each.requests})`).join(", ") || null,
        ]),
      },
    ],
  };
}

const rank = (referrers: string[]) =>
  [...new Set(referrers)]
    .map((value) => ({
      value,
      internal: value.startsWith("/"),
      requests: referrers.filter((each) => each === value).length,
    }))
    .sort((a, b) => b.requests - a.requests || (a.value < b.value ? -1 : 1))
    .slice(0, 3);
