import { expect } from "vitest";
import type { Answer, Args, Covers, Tool } from "./question.ts";
import { rateVisits } from "./truth.ts";

// What every answer contains, in both of its forms.

/** The answer of a tool, and what it was asked. */
export type Given = {
  [T in Tool]: { tool: T; answer: Answer<T>; args: Args; covers: Covers | undefined };
}[Tool];

/** Hosts forward either the text or the structured content: both must have every number, in the right place. */
export function expectSameInText(given: Given): void {
  const { answer } = given;
  const lines = answer.text.split("\n");
  // Of days without data there is a sentence in place of the zeros.
  const isEmpty = lines.some((line) => /^\S+ has no data (yet|before|after)\b/.test(line));
  for (const cells of isEmpty ? [] : readCells(given)) {
    expect(lines).toContain(cells.map((cell) => cell ?? "").join("\t"));
  }
  for (const note of answer.receipt.notes) expect(lines).toContain(note);
  expect(lines.at(-1)).toBe(`Shell: ${answer.receipt.command}`);
}

type Cells = (string | number | null | undefined)[];

function readCells({ tool, answer }: Given): Cells[] {
  switch (tool) {
    case "list_sites":
      return answer.sites.map(({ comparison, ...site }) =>
        site.period === undefined
          ? [site.domain, site.id, site.name, site.timezone, site.data_since]
          : [
              site.domain,
              ...(["visitors", "pageviews"] as const).flatMap((measure) => [
                site[measure],
                comparison?.previous[measure],
                (comparison?.per_day ?? comparison)?.[measure].percent,
              ]),
            ],
      );
    case "get_stats":
      return [[answer.visitors, answer.pageviews, answer.events, ...Object.values(rateVisits(answer))]];
    case "get_timeseries":
      return answer.points.map((point) => [
        readName(point),
        // Of a day without data there are no counts.
        ...(point.missing ? [null, null] : [point.visitors, point.pageviews]),
      ]);
    case "get_breakdown":
      return answer.rows.map((row) => [
        ...nameRow(row, answer.rows),
        row.visitors,
        row.pageviews ?? row.events,
        row.percentage,
        ...(row.visits === undefined
          ? []
          : Object.values(rateVisits({ ...row, pageviews: row.pageviews ?? 0 }))),
      ]);
    case "get_crawlers":
      return answer.rows.map((row) => [
        row.label ?? row.value,
        row.operator,
        row.purpose,
        row.requests,
        row.pages,
        row.error_percentage,
        row.last_seen,
      ]);
    case "get_not_found":
      return answer.rows.map(({ value, requests, visitors, referrers }) => [
        value,
        requests,
        visitors,
        referrers.map((each) => `${each.value} (${each.requests})`).join(", ") || null,
      ]);
    case "get_realtime":
      return [[answer.visitors]];
    case "get_conversions":
      return (answer.rows ?? [{ ...answer, label: undefined, value: undefined }]).map(
        ({ visitors, converted, conversion_rate: rate, ...row }) => [
          ...(answer.rows ? nameRow(row, answer.rows) : []),
          visitors,
          converted,
          rate,
        ],
      );
    case "get_overview": {
      const { events, active_now, comparison, today, trend, top } = answer;
      const hours = today?.hours;
      const soFar = trend.partial ? " (today so far)" : "";
      return [
        ...readChanges(answer, comparison?.previous, comparison),
        ["events", events, null, null, null],
        ...readRates(answer, comparison?.previous, comparison),
        ...readAverages(comparison?.per_day),
        [
          today?.visitors,
          active_now,
          ...(hours ? [hours.pageviews_until_then, hours.yesterday_until_then] : []),
        ],
        ...(hours ? [[`Until then: until ${hours.until}.`]] : []),
        ...(trend.hours ? [] : [[`Visitors a day from ${trend.from}: ${trend.visitors.join(" ")}${soFar}`]]),
        ...top.flatMap(({ rows }) =>
          rows.map((row) => [...nameRow(row, rows), row.visitors, row.percentage]),
        ),
      ];
    }
    case "compare_periods": {
      const { current, previous, change, per_day, dimensions } = answer;
      return [
        ...readChanges(current, previous, change),
        ...readRates(current, previous, change),
        ...readAverages(per_day),
        ...dimensions.flatMap(({ movers }) =>
          movers.map(({ current, previous, change, per_day: averages, ...row }) => [
            ...nameRow(row, movers),
            ...(averages
              ? [averages.current, averages.previous, averages.change, averages.percent]
              : [current, previous, change?.absolute, change?.percent]),
          ]),
        ),
      ];
    }
  }
}

type Named = { value?: string | null | undefined; label?: string | undefined };

/** How the text names a row: by its label and, in a list where some labels are not the values, by its value where it is another. */
function nameRow(row: Named, rows: readonly Named[]): Cells {
  const fold = (name: string) => name.toLowerCase().replace(/^www\./, "");
  const isOther = ({ value, label }: Named) =>
    typeof value === "string" && fold(value) !== fold(label ?? value);
  return [row.label ?? row.value, ...(rows.some(isOther) ? [isOther(row) ? row.value : null] : [])];
}

/** How the text names a point: its day, or its hour. */
const readName = ({
  date,
  weekday,
  time,
}: Answer<"get_timeseries">["points"][number] & { weekday?: string }) => {
  const day = weekday === undefined ? date : `${date} ${weekday.slice(0, 3)}`;
  return day ?? (time ?? "").slice(0, 16).replace("T", " ");
};

type Compared = Answer<"compare_periods">;
type Counted = Omit<Compared["current"], "from" | "to" | "days">;
type Changes = Compared["change"];

function readChanges(current: Counted, previous: Counted | undefined, changes: Changes | null): Cells[] {
  return measures.map(([measure, name]) => [
    name,
    current[measure],
    previous?.[measure],
    changes?.[measure]?.absolute,
    changes?.[measure]?.percent,
  ]);
}

function readRates(current: Counted, previous: Counted | undefined, changes: Changes | null): Cells[] {
  const { points } = changes?.bounce_rate ?? { points: null };
  const direction = points === null ? "" : points > 0 ? " higher" : points < 0 ? " lower" : "";
  return [
    [
      "bounce rate %",
      current.bounce_rate,
      previous?.bounce_rate,
      points === null ? null : `${Math.abs(points)} point${Math.abs(points) === 1 ? "" : "s"}${direction}`,
      null,
    ],
    ...rates.map(([rate, name]) => [
      name,
      current[rate],
      previous?.[rate],
      changes?.[rate]?.absolute,
      changes?.[rate]?.percent,
    ]),
  ];
}

function readAverages(averages: Compared["per_day"]): Cells[] {
  return measures.flatMap(([measure, name]) => {
    const average = averages?.[measure];
    if (average === undefined) return [];
    return [[`${name} a day`, average.current, average.previous, average.change, average.percent]];
  });
}

const measures = [
  ["visitors", "visitors"],
  ["pageviews", "page views"],
  ["visits", "visits"],
] as const;

const rates = [
  ["views_per_visit", "views/visit"],
  ["seconds_per_visit", "seconds/visit"],
] as const;
