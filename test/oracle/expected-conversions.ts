import type { Dimension } from "../../src/operations/dimensions.ts";
import { listSought } from "./conditions.ts";
import { type Count, compareCodePoints } from "./count.ts";
import {
  type Cell,
  counted,
  dimensions,
  type Expected,
  echo,
  type Labels,
  percentOf,
  periodOf,
  refer,
  warningsOfFiltered,
} from "./expected.ts";

/** A question about a goal, with its conditions in canonical form and order. */
export interface AskedGoal {
  days: number;
  goal: string;
  by?: Dimension | undefined;
  limit: number;
  filter: readonly string[];
}

/** What conversions can be ranked by. */
export const visitDimensions = dimensions.filter((name) => !["pages", "hostnames", "events"].includes(name));

/** In percent with one decimal, and two digits below 0.1; there is no rate of nobody. */
function rate(part: number, whole: number): number | null {
  if (whole === 0) return null;
  const rounded = percentOf(part, whole);
  return rounded > 0 || part === 0 ? rounded : Number(`${((100 * part) / whole).toPrecision(2)}`);
}

/** The visitors with a kept hit, and those of them with one that also meets the goal: two counts of the raw hits. */
export function expectConversions(
  count: Count,
  labels: Labels,
  now: number,
  { days, goal, by, limit, filter }: AskedGoal,
): Expected {
  const dates = count.days(now, days);
  const withGoal = [...filter, goal];
  const measure = (visitors: number, converted: number) => ({
    visitors,
    converted,
    conversion_rate: rate(converted, visitors),
  });
  const { visitors } = count.totals(now, dates, filter);
  const totals = measure(visitors, count.totals(now, dates, withGoal).visitors);
  const reached = new Map(
    by && count.rows(now, dates, by, withGoal).map((row) => [row.value, row.visitors] as const),
  );
  const all = by === undefined ? [] : count.rows(now, dates, by, filter);
  const rows = all
    .map(({ value, ...row }) => ({ value, ...measure(row.visitors, reached.get(value) ?? 0) }))
    .sort(
      (a, b) => b.converted - a.converted || b.visitors - a.visitors || compareCodePoints(a.value, b.value),
    );
  const shown = rows.slice(0, limit);
  const columns = [
    ...counted("visitors", "converted"),
    { key: "conversion_rate", title: "rate", kind: "percent" as const },
  ];
  return {
    json: {
      site: refer(count.site),
      period: periodOf(count, now, days),
      ...echo(filter),
      goal,
      ...(by && { by }),
      ...totals,
      small_sample: visitors < 100,
      ...(by && {
        rows: shown.map(({ value, ...row }) => ({ value, label: labels(by, value), ...row })),
        limit,
        total_rows: rows.length,
        truncated: rows.length > limit,
      }),
      ...listWarnings(count, now, days, { goal, filter }),
    },
    tables: [
      by
        ? {
            columns: [
              { key: "value", title: "value", kind: "text", machine: true },
              { key: "label", title: by, kind: "text" },
              ...columns,
            ],
            rows: shown.map(({ value, ...row }): Cell[] => [value, labels(by, value), ...Object.values(row)]),
          }
        : { columns, rows: [Object.values(totals)] },
    ],
  };
}

/** The warnings of both answers, each once: they are about different values if nobody has that of the goal. */
function listWarnings(
  count: Count,
  now: number,
  days: number,
  { goal, filter }: Pick<AskedGoal, "goal" | "filter">,
) {
  const codes = (conditions: readonly string[]) =>
    (warningsOfFiltered(count, now, days, conditions).warnings ?? []).map(({ code }) => code);
  const isUnknown = listSought(goal).some(
    (condition) => count.totals(now, count.days(now, days), [condition]).visitors === 0,
  );
  const others = isUnknown ? codes(filter).filter((code) => code === "no_such_value") : [];
  const all = [...codes([...filter, goal]), ...others].map((code) => ({ code }));
  return all.length > 0 ? { warnings: all } : {};
}
