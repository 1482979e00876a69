import type { Verdict } from "./judge.ts";
import type { Shape } from "./shape.ts";

export interface Judged {
  shape: Shape;
  verdicts: Verdict[];
}

interface Rates {
  services: number;
  answerable: number;
  right: number;
  wrong: number;
}

/** What a service chose, by kind, as the table names it. */
function listFeatures({ shape }: Judged): [kind: string, choice: string][] {
  const { series, rows, sites, stats, realtime } = shape;
  return [
    ["description", `${shape.description}`],
    ["schemas", shape.description === "none" ? "none" : shape.schemas],
    ["names", shape.spelling],
    ["envelope", `${shape.envelope.length} deep`],
    ["numbers", shape.metric],
    ["totals", stats.asList ? "a list" : stats.container === undefined ? "bare" : "in a container"],
    ["totals beside", stats.rival ? "a rival" : stats.previous ? "those before" : "nothing"],
    ["series", series.form],
    ["dates", series.dates],
    ["order", series.descending ? "descending" : "ascending"],
    ["days without page views", series.omits ? "left out" : "listed"],
    ["rows", rows.form],
    ["counts of a row", rows.counts],
    ["a row is called by", rows.valueBy],
    ["sites", sites.form],
    ["pages of sites", sites.pages],
    ["ids", sites.ids],
    ["`site` takes", shape.siteParam],
    ["realtime", realtime.form],
    ["`days` of a breakdown", shape.breakdownDays],
    ["values of `days`", shape.days],
    ["last day", shape.lastDay],
    ["dimensions", shape.dimensionParam],
    ["unknown parameters", shape.isStrict ? "refused" : "ignored"],
    ["visitors", shape.visitors],
    ["events", shape.hasEvents ? "there" : "not there"],
    ["timezone", shape.timezone],
    ["tempting names", String(shape.extras)],
    ["unclear names", shape.unclear],
    ["errors", shape.errors],
  ];
}

/** What may never happen. */
export const isFault = ({ outcome }: Verdict): boolean => outcome === "wrong" || outcome === "crashed";

export function rate(judged: readonly Judged[]): Rates {
  const all = judged.flatMap(({ verdicts }) => verdicts);
  const answerable = all.filter(({ isAnswerable }) => isAnswerable);
  return {
    services: judged.length,
    answerable: answerable.length,
    right: answerable.filter(({ outcome }) => outcome === "right").length,
    wrong: all.filter((one) => isFault(one)).length,
  };
}

const percent = ({ right, answerable }: Rates) =>
  answerable === 0 ? "" : `${(Math.floor((1000 * right) / answerable) / 10).toFixed(1)} %`;

/** How much was read, by shape and by field, as a Markdown table. */
export function summarize(judged: readonly Judged[]): string {
  const groups = new Map<string, Judged[]>();
  for (const one of judged) {
    for (const [kind, choice] of listFeatures(one)) {
      const name = `${kind} | ${choice}`;
      groups.set(name, [...(groups.get(name) ?? []), one]);
    }
  }
  const order = listFeatures(judged[0] as Judged).map(([kind]) => kind);
  const rows = [...groups]
    .sort(([a], [b]) => compareNames(a, b, order))
    .map(([name, list]) => formatRow(name, rate(list)));
  const fields = new Set(judged.flatMap(({ verdicts }) => verdicts.map(({ field }) => field)));
  const byField = [...fields].map((field) => {
    const only = judged.map(({ shape, verdicts }) => ({
      shape,
      verdicts: verdicts.filter((one) => one.field === field),
    }));
    return formatRow(`field | ${field}`, rate(only));
  });
  return [
    "| shape | | services | answerable | read | wrong |",
    "| --- | --- | ---: | ---: | ---: | ---: |",
    formatRow("all | ", rate(judged)),
    ...byField,
    ...rows,
  ].join("\n");
}

const compareNames = (a: string, b: string, order: readonly string[]) => {
  const kind = (name: string) => order.indexOf(name.split(" | ")[0] ?? "");
  return kind(a) - kind(b) || (a < b ? -1 : 1);
};

const formatRow = (name: string, rates: Rates) =>
  `| ${name} | ${rates.services} | ${rates.answerable} | ${percent(rates)} | ${rates.wrong} |`;
