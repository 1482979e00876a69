import { type Question, question } from "../question.ts";
import { findRow, nameOf } from "../reading.ts";
import { rateVisits } from "../truth.ts";

const at = "a Saturday morning";

/** Of those, which? Questions about a part of the visits, which need a filter. */
export const parts: Question[] = [
  question({
    question: "How many of our visitors from Germany came with a phone in the last 7 days?",
    at,
    calls: [
      {
        tool: "get_stats",
        args: { site: "example.com", days: 7, filter: ["country=DE", "device=mobile"] },
      },
    ],
    read: ([stats]) => [stats.visitors, stats.pageviews],
    expect: (count) => {
      const { visitors, pageviews } = count("example.com").total("last 7 days", [
        "countries=DE",
        "devices=mobile",
      ]);
      return [visitors, pageviews];
    },
    shell: true,
  }),
  question({
    question: "Where did the readers of the quickstart come from last week?",
    at,
    calls: [
      {
        tool: "get_breakdown",
        args: {
          site: "docs.example.com",
          dimension: "referrers",
          period: "last_week",
          filter: ["pages=/quickstart"],
        },
        covers: "2026-11-09 to 2026-11-15",
      },
    ],
    read: ([{ rows }]) => rows.slice(0, 5).map((row) => [row.value, row.visitors]),
    expect: (count) =>
      count("docs.example.com")
        .rows("2026-11-09 to 2026-11-15", "referrers", ["pages=/quickstart"])
        .slice(0, 5)
        .map(({ value, visitors }) => [value, visitors]),
  }),
  question({
    question: "Was haben die Leser der Schnellstartseite in denselben Besuchen sonst noch gelesen?",
    at,
    calls: [
      {
        tool: "get_breakdown",
        args: {
          site: "docs.example.com",
          dimension: "pages",
          days: 7,
          filter: ["visit:page=/quickstart", "page!=/quickstart"],
        },
      },
    ],
    read: ([{ rows }]) => rows.map((row) => [row.value, row.visitors]),
    expect: (count) =>
      count("docs.example.com")
        .rows("last 7 days", "pages", ["visit:pages=/quickstart", "pages!=/quickstart"])
        .slice(0, 10)
        .map(({ value, visitors }) => [value, visitors]),
  }),
  question({
    question: "How many visits never saw the plans this month?",
    at,
    calls: [
      {
        tool: "get_stats",
        args: { site: "example.com", period: "this_month", filter: ["visit:pages!=/plans"] },
        covers: "this month",
      },
    ],
    read: ([stats]) => stats.visits,
    expect: (count) => count("example.com").total("this month", ["visit:pages!=/plans"]).visits,
  }),
  question({
    question: "Do people on phones leave at once more often than those on desktops?",
    at,
    calls: [
      { tool: "get_stats", args: { site: "example.com", days: 30, filter: ["devices=mobile"] } },
      { tool: "get_stats", args: { site: "example.com", days: 30, filter: ["devices=desktop"] } },
    ],
    read: (answers) => answers.map(rateVisits).map(({ bounce_rate: rate }) => rate),
    expect: (count) =>
      ["mobile", "desktop"].map(
        (device) => rateVisits(count("example.com").total("last 30 days", [`devices=${device}`])).bounce_rate,
      ),
  }),
  question({
    question: "On which days of last week did people come from Hacker News?",
    at,
    calls: [
      {
        tool: "get_timeseries",
        args: { site: "example.com", period: "last_week", filter: ["source=news.ycombinator.com"] },
        covers: "2026-11-09 to 2026-11-15",
      },
    ],
    read: ([{ points }]) => points.map(({ date, visitors }) => [date, visitors]),
    expect: (count) =>
      count("example.com")
        .days("2026-11-09 to 2026-11-15", ["referrers=news.ycombinator.com"])
        .map(({ date, visitors }) => [date, visitors]),
    shell: true,
  }),
  question({
    question: "Did the visitors from France become more, compared with the week before?",
    at,
    calls: [
      {
        tool: "compare_periods",
        args: { site: "example.com", dimension: "channels", filter: ["countries=FR"] },
      },
    ],
    read: ([{ current, previous, change }]) => [
      current.visitors,
      previous.visitors,
      change.visitors.absolute,
    ],
    expect: (count) => {
      const [now, before] = (["last 7 complete days", "the 7 complete days before"] as const).map((span) =>
        count("example.com").visitors(span, ["countries=FR"]),
      );
      return [now ?? 0, before ?? 0, (now ?? 0) - (before ?? 0)];
    },
  }),
  question({
    question: "Who reads the API reference without coming from anywhere, by country?",
    at,
    calls: [
      {
        tool: "get_breakdown",
        args: {
          site: "docs.example.com",
          dimension: "countries",
          days: 14,
          limit: 50,
          filter: ["pages=/api*", "referrers="],
        },
      },
    ],
    read: ([countries]) => [nameOf(countries.rows[0]), findRow(countries, "US").visitors],
    expect: (count) => {
      const filter = ["pages=/api*", "referrers="];
      const site = count("docs.example.com");
      const [top] = site.rows("last 14 days", "countries", filter);
      const name = new Intl.DisplayNames("en", { type: "region" }).of(top?.value ?? "") ?? "";
      return [name, site.row("last 14 days", "countries", "US", filter).visitors];
    },
  }),
  question({
    question: "How many people are in the shop from a phone right now?",
    at: "a Sunday evening",
    calls: [{ tool: "get_realtime", args: { site: "shop.example.net", filter: ["devices=mobile"] } }],
    read: ([{ visitors }]) => visitors,
    expect: (count) => count("shop.example.net").active(["devices=mobile"]),
  }),
];
