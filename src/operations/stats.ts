import * as z from "zod";
import type { Days } from "./days.ts";
import {
  count,
  daysParam,
  filterEcho,
  filterParams,
  siteParam,
  siteRef,
  spanParams,
  visitCounts,
} from "./fields.ts";
import { propose } from "./note.ts";
import { defineOperation } from "./operation.ts";
import { answerPeriod, describeVisitors, period, periodHeadline, verifyAsked } from "./period.ts";
import { countsAtMost, showCount } from "./ranges.ts";
import type { Column } from "./view.ts";
import { listVisitColumns, noteRates, showVisits } from "./visit-rates.ts";
import { areUncounted, warnings } from "./warning.ts";

const result = () =>
  z.object({
    site: siteRef,
    period,
    ...filterEcho(),
    visitors: count.describe("Sum of daily unique visitors."),
    pageviews: count.describe("Page views."),
    events: count.describe("Custom events, without page views."),
    ...visitCounts(),
    ...countsAtMost("visitors", "pageviews", "events"),
    warnings,
  });

const eventsColumn: Column = { key: "events", label: "events", kind: "count" };

/** Where visitors do not add up, each day has its own. */
const proposeDays = ({ from, to }: Days) =>
  propose({ why: "Visitors by day", name: "timeseries", params: { period: `${from}/${to}` } });

export const stats = defineOperation({
  name: "stats",
  path: "/stats",
  summary: "Visitors, page views and events of a site over a number of days",
  description:
    "Totals of one site. `visitors` is the sum of the daily unique visitors: a person who comes on two days counts twice, so the points of /timeseries add up to it. A visitor who only triggers events counts too. A visit ends after 30 minutes without a page view or an event, and at midnight in the site's timezone. A complete day never changes.",
  tool: {
    name: "get_stats",
    title: "Site totals",
    description: "Web analytics of a site: visitors, page views, events.",
  },
  shell: {
    examples: [
      "analytics-mcp stats example.com --days 7",
      "analytics-mcp stats example.com --days 1 --json | jq .visitors",
    ],
    fields: "visitors,pageviews",
  },
  conform: {
    section: "stats",
    ask: (site) => ({ site, days: 30 }),
    members: "site, period, visitors, pageviews and events",
    fix: "counts are integers of 0 or more",
    totals: (result) => result,
  },
  params: () => z.strictObject({ site: siteParam, days: daysParam }),
  optionalParams: () => ({ ...spanParams(), ...filterParams() }),
  result,
  // Visitors are null where those of the days do not add up.
  answer: () =>
    result().extend({ period: answerPeriod, visitors: count.nullable(), events: count.optional() }),
  maxAge: 60,
  verify: verifyAsked,
  view: (result) => {
    const { notes, warnings } = describeVisitors(result.period, result.warnings);
    const visits = showVisits(result);
    return {
      headline: periodHeadline(result),
      columns: [
        { key: "visitors", label: "visitors", kind: "count" },
        { key: "pageviews", label: "page views", kind: "count" },
        ...(result.events === undefined ? [] : [eventsColumn]),
        ...listVisitColumns([result]),
      ],
      rows: [
        {
          visitors: showCount(result, "visitors"),
          pageviews: showCount(result, "pageviews"),
          events: areUncounted(result) ? null : showCount(result, "events"),
          ...visits,
        },
      ],
      notes: [
        ...(result.visitors === null ? [proposeDays(result.period)] : []),
        ...notes,
        ...noteRates([result]),
      ],
      warnings,
    };
  },
});
