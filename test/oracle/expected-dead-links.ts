import { startOf } from "./calendar.ts";
import type { Count, RawSite } from "./count.ts";
import { type Column, counted, type Expected, periodOf, refer, warningsOf } from "./expected.ts";

const columns: Column[] = [
  { key: "value", title: "not found", kind: "text" },
  ...counted("requests"),
  { key: "visitors", title: "visitors", kind: "count", detail: true },
  { key: "referrers", title: "referrers", kind: "text", detail: true },
];

/** The dead links of some days, counted from the raw requests up to now, in the contract's order. */
export function countDeadLinks(site: RawSite, dates: readonly string[], now: number) {
  const upToNow = <T extends { at: number }>(date: string, made: T[]) =>
    made
      .map((each) => ({ ...each, date }))
      .filter(({ at }) => startOf(date, site.timezone) + at * 1000 <= now);
  const all = dates.flatMap((date) => upToNow(date, site.deadLinks(date)));
  const crawled = dates.flatMap((date) => upToNow(date, site.crawlers(date)));
  const people = all.filter(({ isScanner }) => !isScanner);
  const rows = [...new Set(people.map(({ path }) => path))]
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
  const bots = crawled.filter(({ isError }) => isError).length;
  return { rows, requests: people.length, excluded: { bots, scanners: all.length - people.length } };
}

export function expectDeadLinks(
  count: Count,
  now: number,
  { days, limit }: { days: number; limit: number },
): Expected {
  const { site } = count;
  const { rows: all, requests, excluded } = countDeadLinks(site, count.days(now, days), now);
  const rows = all.slice(0, limit);
  return {
    json: {
      site: refer(site),
      period: periodOf(count, now, days),
      rows,
      limit,
      total_rows: all.length,
      truncated: all.length > limit,
      totals: { requests },
      excluded,
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
