import { type Question, question } from "../question.ts";
import { completeDays, noteOn, sumDays, sumThisWeek, sumWeek } from "../reading.ts";

const back = "the night the clocks went back";
const forward = "the Monday after the clocks went forward";
const midnight = "three minutes past midnight in Tokyo";

/** Days of 23 and 25 hours, sites on different dates, and active visitors. */
export const clocks: Question[] = [
  question({
    question: "How many visitors today, late on the longest day of the year?",
    at: back,
    calls: [{ tool: "get_stats", args: { site: "example.com", days: 1 } }],
    read: ([stats]) => ({ visitors: stats.visitors, caveat: noteOn(stats, /incomplete/) }),
    expect: (count) => ({
      visitors: count("example.com").visitors("today"),
      caveat: "Today, Sunday, is incomplete (data to 22:30).",
    }),
  }),
  question({
    question: "And how many page views and events?",
    at: back,
    calls: [{ tool: "get_stats", args: { site: "example.com", days: 1 } }],
    read: ([stats]) => [stats.pageviews, stats.events],
    expect: (count) => [count("example.com").pageviews("today"), count("example.com").events("today")],
  }),
  question({
    question: "Wie viele Leute waren gestern da, vor der Zeitumstellung?",
    at: back,
    calls: [{ tool: "get_timeseries", args: { site: "example.com", days: 2 } }],
    read: ([series]) => completeDays(series).at(-1)?.visitors,
    expect: (count) => count("example.com").visitors("2026-10-24"),
  }),
  question({
    question: "How was this week, the one with 169 hours?",
    at: back,
    calls: [{ tool: "get_timeseries", args: { site: "example.com", days: 7 } }],
    read: ([series]) => sumThisWeek(series),
    expect: (count) => {
      const { visitors, pageviews } = count("example.com").total("2026-10-19 to 2026-10-25");
      return { visitors, pageviews };
    },
  }),
  question({
    question: "How many people are on the site this late?",
    at: back,
    calls: [{ tool: "get_realtime", args: { site: "example.com" } }],
    read: ([now]) => now.visitors,
    expect: (count) => count("example.com").active(),
  }),
  question({
    question: "Which page was opened most today?",
    at: back,
    calls: [{ tool: "get_breakdown", args: { site: "example.com", dimension: "pages", days: 1 } }],
    read: ([{ rows }]) => [rows[0]?.value, rows[0]?.visitors, rows[0]?.pageviews],
    expect: (count) => {
      const top = count("example.com").top("today", "pages");
      return [top.value, top.visitors, top.hits];
    },
  }),
  question({
    question: "How many came yesterday, the day the clocks went forward?",
    at: forward,
    calls: [{ tool: "get_timeseries", args: { site: "example.com", days: 2 } }],
    read: ([series]) => completeDays(series).at(-1)?.visitors,
    expect: (count) => count("example.com").visitors("2026-03-29"),
  }),
  question({
    question: "Wie viele Seitenaufrufe hatten wir letzte Woche?",
    at: forward,
    calls: [{ tool: "get_timeseries", args: { site: "example.com", days: 14 } }],
    read: ([series]) => sumWeek(series, 1).pageviews,
    expect: (count) => count("example.com").pageviews("2026-03-23 to 2026-03-29"),
  }),
  question({
    question: "How many visitors this morning, an hour shorter on the clock?",
    at: forward,
    calls: [{ tool: "get_stats", args: { site: "example.com", days: 1 } }],
    read: ([stats]) => [stats.visitors, stats.period.as_of],
    expect: (count) => [count("example.com").visitors("today"), "2026-03-30T08:00:00+02:00"],
  }),
  question({
    question: "Who is here right now, the morning after?",
    at: forward,
    calls: [{ tool: "get_realtime", args: { site: "example.com" } }],
    read: ([now]) => [now.visitors, now.as_of],
    expect: (count) => [count("example.com").active(), "2026-03-30T08:00:00+02:00"],
  }),
  question({
    question: "Did the short Sunday cost us visitors, compared with the Sunday before?",
    at: forward,
    calls: [{ tool: "get_timeseries", args: { site: "example.com", days: 9 } }],
    read: ([series]) =>
      sumDays(series, "2026-03-29", "2026-03-29").visitors -
      sumDays(series, "2026-03-22", "2026-03-22").visitors,
    expect: (count) =>
      count("example.com").visitors("2026-03-29") - count("example.com").visitors("2026-03-22"),
  }),
  question({
    question: "Is it already tomorrow in Tokyo?",
    at: midnight,
    calls: [
      { tool: "get_stats", args: { site: "shop.example.net", days: 1 } },
      { tool: "get_stats", args: { site: "example.com", days: 1 } },
    ],
    read: (answers) => answers.map(({ period }) => [period.to, period.timezone]),
    expect: () => [
      ["2026-11-18", "Asia/Tokyo"],
      ["2026-11-17", "Europe/Berlin"],
    ],
  }),
  question({
    question: "How many has the shop had today, three minutes into it?",
    at: midnight,
    calls: [{ tool: "get_stats", args: { site: "shop.example.net", days: 1 } }],
    read: ([stats]) => stats.visitors,
    expect: (count) => count("shop.example.net").visitors("2026-11-18"),
  }),
  question({
    question: "How many did the shop have yesterday, which has just ended?",
    at: midnight,
    calls: [{ tool: "get_timeseries", args: { site: "shop.example.net", days: 2 } }],
    read: ([series]) => completeDays(series).map(({ date, visitors }) => [date, visitors]),
    expect: (count) => [["2026-11-17", count("shop.example.net").visitors("2026-11-17")]],
  }),
  question({
    question: "Is anybody in the shop at this moment?",
    at: midnight,
    // The five minutes span two days, whose visitors are counted separately.
    calls: [{ tool: "get_realtime", args: { site: "shop.example.net" } }],
    read: ([now]) => [now.visitors, now.as_of],
    expect: (count) => [count("shop.example.net").active(), "2026-11-18T00:03:00+09:00"],
  }),
  question({
    question: "How is the shop doing at the turn of the day?",
    at: midnight,
    calls: [{ tool: "get_overview", args: { site: "shop.example.net", days: 1 } }],
    read: ([{ today, visitors, period, active_now, comparison }]) => [
      ...[today.visitors, active_now, period.to],
      ...[visitors, comparison?.previous.visitors],
    ],
    expect: (count) => {
      const shop = count("shop.example.net");
      return [
        ...[shop.visitors("today"), shop.active(), "2026-11-17"],
        ...[shop.visitors("yesterday"), shop.visitors("2026-11-16")],
      ];
    },
  }),
  question({
    question: "How many do the docs have today, where it is ten in the morning?",
    at: midnight,
    calls: [{ tool: "get_stats", args: { site: "docs.example.com", days: 1 } }],
    read: ([stats]) => [stats.visitors, stats.period.as_of],
    expect: (count) => [count("docs.example.com").visitors("2026-11-17"), "2026-11-17T10:03:00-05:00"],
  }),
  question({
    question: "How many visitors did the docs have today, late on their Friday evening?",
    at: "a Saturday morning",
    calls: [{ tool: "get_stats", args: { site: "docs.example.com", days: 1 } }],
    read: ([stats]) => ({ visitors: stats.visitors, caveat: noteOn(stats, /incomplete/) }),
    expect: (count) => ({
      visitors: count("docs.example.com").visitors("2026-11-20"),
      caveat: "Today, Friday, is incomplete (data to 23:05).",
    }),
  }),
  question({
    question: "How many people are on the site right now?",
    at: "a Monday morning",
    calls: [{ tool: "get_realtime", args: { site: "example.com" } }],
    read: ([now]) => now.visitors,
    expect: (count) => count("example.com").active(),
    shell: true,
  }),
  question({
    question: "How many people are on all of our sites together right now?",
    at: "a Monday morning",
    calls: async (ask) => {
      const { sites } = await ask("list_sites", {});
      return Promise.all(sites.map(({ domain }) => ask("get_realtime", { site: domain })));
    },
    read: (answers) => answers.reduce((sum, { visitors }) => sum + visitors, 0),
    expect: (count) =>
      ["docs.example.com", "example.com", "news.example.org", "parked.example", "shop.example.net"]
        .map((domain) => count(domain).active())
        .reduce((sum, each) => sum + each, 0),
  }),
];
