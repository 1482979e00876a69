import * as z from "zod";
import { count, date } from "../operations/fields.ts";
import { sites } from "../operations/index.ts";
import { forPeople, type Note } from "../operations/note.ts";
import { formatSpan } from "../operations/period.ts";
import { periodParam } from "../operations/period-words.ts";
import type { Cell, View } from "../operations/view.ts";
import { BEFORE_DATA, PERIOD_VISITORS, showWarnings, warnings } from "../operations/warning.ts";
import { AGAINST } from "./compare.ts";
import { comparedTotals, describeComparison, isCompared } from "./compared-totals.ts";
import { defineReport } from "./query.ts";
import { noteCompared } from "./report-fields.ts";
import { SMALL_SAMPLE_NOTE } from "./windows.ts";

/** What a site has beside its name if the query names a period; absent if the site was not counted. */
const numbers = () => ({
  /** Null if none of the days has data. */
  visitors: count.nullable().optional(),
  pageviews: count.nullable().optional(),
  /** The complete days of the period; today so far if it has none. */
  period: z.object({ from: date, to: date, days: count, partial: z.boolean() }).optional(),
  /** Null if there is nothing before to compare with. */
  comparison: comparedTotals().nullable().optional(),
  warnings,
});

export const siteListResult = () => {
  const { as_of, sites: list } = sites.answer.shape;
  return z.object({ as_of, sites: z.array(list.element.extend(numbers())), warnings }, {});
};

export type SiteList = z.output<ReturnType<typeof siteListResult>>;

export const siteList = defineReport({
  name: sites.name,
  summary: "List your sites and their visitors",
  tool: {
    name: sites.tool.name,
    title: sites.tool.title,
    description:
      "Web analytics: the sites and, with a period, their visitors. Call this first if you do not know the site.",
  },
  shell: {
    examples: [
      "analytics-mcp sites",
      "analytics-mcp sites --period last-week",
      "analytics-mcp sites --period last-week --against year-before",
      "analytics-mcp sites --fields domain,timezone",
    ],
    fields: "domain,timezone",
    trendOf: (row) => String(row.id),
  },
  params: () =>
    z.strictObject({
      period: periodParam().describe(
        "Adds each site's visitors and page views in these days, and their change: yesterday, last_week, last_7_days (complete days), october, 2026-11, 2026-11-01/2026-11-15.",
      ),
      against: periodParam().describe(AGAINST),
    }),
  result: siteListResult,
  list: { key: "sites", keep: "first" },
  compute: async (call, params, options) => {
    const { listSites } = await import("./site-list-answer.ts");
    return listSites(call, params, options);
  },
  views: viewSites,
});

type ListedSite = SiteList["sites"][number];
type CountedSite = ListedSite & { period: NonNullable<ListedSite["period"]> };

const isCounted = (site: ListedSite): site is CountedSite => site.period !== undefined;

const NUMBERS: View["columns"] = [
  { key: "visitors", label: "visitors", kind: "count" },
  { key: "visitors_before", label: "before", kind: "count", detail: true },
  { key: "visitors_percent", label: "change", kind: "percent_change" },
  { key: "pageviews", label: "page views", kind: "count", spare: true },
  { key: "pageviews_before", label: "views before", kind: "count", detail: true },
  { key: "pageviews_percent", label: "views change", kind: "percent_change", detail: true },
  { key: "from", label: "from", kind: "date", machine: true },
  { key: "to", label: "to", kind: "date", machine: true },
];

/** The sites as a table: with their numbers if a period was named, else with what they are. */
function viewSites({ as_of, sites: list, warnings = [] }: SiteList): View[] {
  const plain = sites.view({ as_of, sites: list, warnings }, {});
  const counted = list.filter(isCounted);
  const [first] = counted;
  if (first === undefined) return [plain];
  const [domain, ...facts] = plain.columns;
  return [
    {
      ...plain,
      headline: `${plain.headline}, ${describeDays(counted)}`,
      columns: [
        ...(domain ? [domain] : []),
        ...NUMBERS,
        ...facts.map((column) => ({ ...column, machine: true as const })),
      ],
      rows: list.map((site) => ({
        ...{ id: site.id, domain: site.domain, name: site.name, timezone: site.timezone ?? null },
        data_since: site.data_since ?? null,
        ...showNumbers(site),
      })),
      notes: [
        ...(counted.some(({ warnings: own }) => own?.some(({ code }) => code === PERIOD_VISITORS))
          ? []
          : [
              forPeople(
                "Visitors are unique per day and site: coming on two days, or to two sites, counts twice.",
              ),
            ]),
        ...(first.comparison ? noteCompared(first.period, first.comparison.previous) : []),
        ...plain.notes,
        ...gather(counted, describeNotes),
      ],
      warnings: [...(plain.warnings ?? []), ...gather(counted, describeWarnings)],
    },
  ];
}

function showNumbers({ visitors, pageviews, period, comparison }: ListedSite): Record<string, Cell> {
  const { previous, per_day } = comparison ?? {};
  return {
    from: period?.from ?? null,
    to: period?.to ?? null,
    visitors: visitors ?? null,
    visitors_before: previous?.visitors ?? null,
    // Where visitors do not add up, the change is that of visitors a day, which are not shown.
    visitors_percent: visitors === undefined ? null : ((per_day ?? comparison)?.visitors.percent ?? null),
    pageviews: pageviews ?? null,
    pageviews_before: previous?.pageviews ?? null,
    pageviews_percent: (per_day ?? comparison)?.pageviews.percent ?? null,
  };
}

/** The days of the sites, from the first that has data. They may differ: it is not the same day everywhere. */
function describeDays(counted: readonly CountedSite[]): string {
  const starts = counted.map(({ data_since, period }) => data_since ?? period.from);
  const begin = starts.reduce((first, start) => (start < first ? start : first));
  const spans = new Set(
    counted.map(({ period: { from, to } }) =>
      formatSpan({ from: begin > from && begin <= to ? begin : from, to }),
    ),
  );
  const before = new Set(
    counted.flatMap(({ comparison }) =>
      comparison && isCompared(comparison) ? [formatSpan(comparison.previous)] : [],
    ),
  );
  const list = (all: Set<string>) => [...all].join(" or ");
  const compared = before.size === 0 ? "" : `, compared with ${list(before)}`;
  const each = spans.size > 1 ? ", by the date at each site" : "";
  return `${list(spans)}${compared}${each}`;
}

function describeNotes({ comparison, period }: CountedSite): Note[] {
  if (!comparison) return [];
  return [
    ...(comparison.small_sample ? [SMALL_SAMPLE_NOTE] : []),
    ...describeComparison(comparison, period).notes,
  ];
}

function describeWarnings({ comparison, period, warnings }: CountedSite): Note[] {
  // What a comparison says about the same days, it says better.
  const told = warnings?.filter(
    ({ code, detail }) => !comparison || (code !== BEFORE_DATA && detail !== comparison.incomplete),
  );
  return [
    ...(period.partial ? ["Today is incomplete."] : []),
    ...showWarnings(told),
    ...(comparison ? describeComparison(comparison, period).warnings : []),
  ];
}

/** What is to be said about sites, each sentence once, with the sites that it is about unless it is about all. */
function gather(counted: readonly CountedSite[], describe: (site: CountedSite) => Note[]): Note[] {
  const about = new Map<string, { sentence: Note; domains: Set<string> }>();
  for (const site of counted) {
    for (const sentence of describe(site)) {
      const key = JSON.stringify(sentence);
      const known = about.get(key) ?? { sentence, domains: new Set() };
      about.set(key, { ...known, domains: known.domains.add(site.domain) });
    }
  }
  return [...about.values()].map(({ sentence, domains }) => {
    if (domains.size === counted.length) return sentence;
    const names = [...domains].join(", ");
    return typeof sentence === "string"
      ? `${names}: ${sentence}`
      : { ...sentence, parts: [`${names}: `, ...sentence.parts] };
  });
}
