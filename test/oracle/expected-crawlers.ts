import { crawlers } from "../../src/sources/crawler-list.ts";
import type { Count } from "./count.ts";
import { countCrawlers } from "./crawler-count.ts";
import { type Column, counted, type Expected, periodOf, refer, warningsOf } from "./expected.ts";

const columns: Column[] = [
  { key: "value", title: "value", kind: "text", machine: true, isUnfiltered: true },
  { key: "label", title: "crawler", kind: "text" },
  { key: "operator", title: "operator", kind: "text", detail: true },
  { key: "purpose", title: "purpose", kind: "text" },
  ...counted("requests"),
  { key: "pages", title: "pages", kind: "count", detail: true },
  { key: "error_percentage", title: "errors", kind: "percent" },
  { key: "last_seen", title: "last seen", kind: "time", detail: true },
];

export function expectCrawlers(
  count: Count,
  now: number,
  { days, limit }: { days: number; limit: number },
): Expected {
  const all = countCrawlers(count.site, count.days(now, days), now).map(({ value, ...counts }) => {
    const { label, operator, purpose } = crawlers.find((each) => each.value === value) ?? {};
    return { value, label, operator, purpose, ...counts };
  });
  const rows = all.slice(0, limit);
  return {
    json: {
      site: refer(count.site),
      period: periodOf(count, now, days),
      rows,
      limit,
      total_rows: all.length,
      truncated: all.length > limit,
      totals: { requests: all.reduce((sum, { requests }) => sum + requests, 0) },
      ...warningsOf(count, now, days),
    },
    tables: [
      {
        columns,
        rows: rows.map((row) => columns.map(({ key }) => row[key as keyof typeof row] ?? null)),
      },
    ],
  };
}
