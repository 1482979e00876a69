import { askDays, askRows, askTotals } from "../period-questions.ts";
import { type Question, question } from "../question.ts";
import { noteOn } from "../reading.ts";

const back = "the night the clocks went back";
const saturday = "a Saturday morning";
const afterBack = "the Monday after the clocks went back";
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
  askTotals(
    "Wie viele Leute waren gestern da, vor der Zeitumstellung?",
    back,
    "example.com",
    "yesterday",
    "2026-10-24",
  ),
  askTotals(
    "How was this week, the one with 169 hours?",
    back,
    "example.com",
    "this_week",
    "2026-10-19 to 2026-10-25",
  ),
  askTotals(
    "And the shop yesterday, where it is Monday and no clock changes?",
    back,
    "shop.example.net",
    "yesterday",
    "2026-10-25",
  ),
  askTotals(
    "How many this month, late on the longest day?",
    back,
    "example.com",
    "this_month",
    "2026-10-01 to 2026-10-25",
  ),
  askTotals(
    "How many came yesterday, the day of 25 hours?",
    afterBack,
    "example.com",
    "yesterday",
    "2026-10-25",
  ),
  askRows(
    "Which pages were opened on the day of 25 hours?",
    afterBack,
    "example.com",
    "yesterday",
    "2026-10-25",
    "pages",
  ),
  askRows(
    "And which events happened, in the hour that came twice too?",
    afterBack,
    "example.com",
    "2026-10-25",
    "yesterday",
    "events",
  ),
  askDays(
    "Show me last week, with its long Sunday.",
    afterBack,
    "example.com",
    "last_week",
    "2026-10-19 to 2026-10-25",
  ),
  askTotals(
    "How many in the last 7 full days, 169 hours?",
    afterBack,
    "example.com",
    "last_7_days",
    "2026-10-19 to 2026-10-25",
  ),
  askTotals("How is the week after the clock change?", afterBack, "example.com", "this_week", "2026-10-26"),
  // The clocks in New York go back a week later.
  askTotals(
    "How many did the docs have on their own long Sunday?",
    saturday,
    "docs.example.com",
    "2026-11-01",
    "2026-11-01",
  ),
  askTotals(
    "And in the week with it?",
    saturday,
    "docs.example.com",
    "2026-10-26/2026-11-01",
    "2026-10-26 to 2026-11-01",
  ),
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
  askTotals(
    "How many came yesterday, the day the clocks went forward?",
    forward,
    "example.com",
    "yesterday",
    "2026-03-29",
  ),
  askRows(
    "Through which channels did people come on the day of 23 hours?",
    forward,
    "example.com",
    "yesterday",
    "2026-03-29",
    "channels",
  ),
  askTotals(
    "How was last month, the one with 28 days, seen from the end of March?",
    forward,
    "example.com",
    "last_month",
    "2026-02-01 to 2026-02-28",
  ),
  askTotals(
    "And this quarter, with its missing hour?",
    forward,
    "example.com",
    "this_quarter",
    "2026-01-01 to 2026-03-30",
  ),
  // The clocks in New York went forward three weeks earlier.
  askTotals(
    "How many did the docs have on their own short Sunday?",
    forward,
    "docs.example.com",
    "2026-03-08",
    "2026-03-08",
  ),
  askTotals(
    "Wie viele Seitenaufrufe hatten wir letzte Woche?",
    forward,
    "example.com",
    "last_week",
    "2026-03-23 to 2026-03-29",
  ),
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
  askTotals(
    "How many did the shop have yesterday, which has just ended?",
    midnight,
    "shop.example.net",
    "yesterday",
    "2026-11-17",
  ),
  askTotals(
    "And in its last 7 full days?",
    midnight,
    "shop.example.net",
    "last_7_days",
    "2026-11-11 to 2026-11-17",
  ),
  askTotals(
    "And this week, as it is Wednesday there?",
    midnight,
    "shop.example.net",
    "this_week",
    "2026-11-16 to 2026-11-18",
  ),
  askTotals(
    "How many did we have yesterday, on what is still yesterday's date in the shop?",
    midnight,
    "example.com",
    "yesterday",
    "2026-11-16",
  ),
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
      today?.visitors,
      active_now,
      period.to,
      visitors,
      comparison?.previous.visitors,
    ],
    expect: (count) => {
      const shop = count("shop.example.net");
      return [
        shop.visitors("today"),
        shop.active(),
        "2026-11-17",
        shop.visitors("yesterday"),
        shop.visitors("2026-11-16"),
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
