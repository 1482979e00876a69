import { timeShown } from "../../oracle/calendar.ts";
import { askRows, askTotals } from "../period-questions.ts";
import { type Question, question } from "../question.ts";
import { completeDays, noteOn } from "../reading.ts";

const at = "a Saturday morning";

/** Totals over days counted back from today, and over other days. */
export const totals: Question[] = [
  question({
    question: "How many visitors do we have so far today?",
    at,
    calls: [{ tool: "get_stats", args: { site: "example.com", days: 1 } }],
    read: ([stats]) => ({ visitors: stats.visitors, caveat: noteOn(stats, /incomplete/) }),
    expect: (count) => ({
      visitors: count("example.com").visitors("today"),
      caveat: "Today, Saturday, is incomplete (data to 05:05).",
    }),
    shell: true,
  }),
  askTotals("How many people visited us yesterday?", at, "example.com", "yesterday", "2026-11-20"),
  // It is still Friday in New York.
  askTotals(
    "Wie viele Besucher hatte die Dokumentation gestern?",
    at,
    "docs.example.com",
    "yesterday",
    "2026-11-19",
  ),
  question({
    question: "How many visitors did we get in the last 7 days?",
    at,
    calls: [{ tool: "get_stats", args: { site: "example.com", days: 7 } }],
    read: ([stats]) => stats.visitors,
    expect: (count) => count("example.com").visitors("last 7 days"),
  }),
  askTotals(
    "And in the last seven full days, without today?",
    at,
    "example.com",
    "last_7_days",
    "2026-11-14 to 2026-11-20",
  ),
  question({
    question: "Are we doing better today than yesterday?",
    at,
    calls: [{ tool: "get_timeseries", args: { site: "example.com", days: 2 } }],
    read: ([{ points }]) => points.map(({ visitors, partial }) => ({ visitors, over: partial !== true })),
    // Five hours compared with a whole day: the answer has to show that they are not comparable.
    expect: (count) => [
      { visitors: count("example.com").visitors("yesterday"), over: true },
      { visitors: count("example.com").visitors("today"), over: false },
    ],
  }),
  question({
    question: "At what time was it busiest yesterday?",
    at,
    calls: [
      {
        tool: "get_timeseries",
        args: { site: "example.com", period: "yesterday", interval: "hour" },
        covers: "2026-11-20",
      },
    ],
    read: ([{ points }]) => {
      const most = Math.max(...points.map(({ pageviews }) => pageviews));
      return points.filter(({ pageviews }) => pageviews === most).map(({ time }) => time?.slice(11, 13));
    },
    expect: (count) => {
      const { hours, timezone } = count("example.com");
      const yesterday = hours("yesterday");
      const most = Math.max(...yesterday.map(({ pageviews }) => pageviews));
      return yesterday
        .filter(({ pageviews }) => pageviews === most)
        .map(({ start }) => timeShown(start, timezone).slice(0, 2));
    },
  }),
  question({
    question: "Was today busier than yesterday at this time?",
    at,
    calls: [{ tool: "get_overview", args: { site: "example.com" } }],
    read: ([{ today }]) => [today?.hours?.pageviews_until_then, today?.hours?.yesterday_until_then],
    // It is 05:05.
    expect: (count) => {
      const { hours } = count("example.com");
      const sum = (all: { pageviews: number }[]) =>
        all.slice(0, 5).reduce((total, { pageviews }) => total + pageviews, 0);
      return [sum(hours("today")), sum(hours("yesterday"))];
    },
  }),
  question({
    question: "How many page views did the docs have over the past four weeks?",
    at,
    // 28 days are the default.
    calls: [{ tool: "get_stats", args: { site: "docs.example.com" } }],
    read: ([stats]) => stats.pageviews,
    expect: (count) => count("docs.example.com").pageviews("last 28 days"),
  }),
  question({
    question: "Combien de visiteurs la boutique a-t-elle eus ces deux dernières semaines ?",
    at,
    calls: [{ tool: "get_stats", args: { site: "shop.example.net", days: 14 } }],
    read: ([stats]) => stats.visitors,
    expect: (count) => count("shop.example.net").visitors("last 14 days"),
  }),
  question({
    question: "How many pages does a visitor of the shop look at on average?",
    at,
    calls: [{ tool: "get_stats", args: { site: "shop.example.net", days: 7 } }],
    read: ([stats]) => (stats.pageviews / stats.visitors).toFixed(1),
    expect: (count) => {
      const { visitors, pageviews } = count("shop.example.net").total("last 7 days");
      return (pageviews / visitors).toFixed(1);
    },
  }),
  question({
    question: "What was our best day in the last 30 days?",
    at,
    calls: [{ tool: "get_timeseries", args: { site: "example.com", days: 30 } }],
    read: ([{ points }]) => {
      const best = points.toSorted((a, b) => b.visitors - a.visitors)[0];
      return [best?.date, best?.visitors];
    },
    expect: (count) => ["2026-11-03", count("example.com").visitors("2026-11-03")],
  }),
  question({
    question: "What was our worst day in the last two weeks?",
    at,
    calls: [{ tool: "get_timeseries", args: { site: "example.com", days: 14 } }],
    // Today has even fewer, but it has only begun.
    read: ([series]) => {
      const worst = completeDays(series).toSorted((a, b) => a.visitors - b.visitors)[0];
      return [worst?.date, worst?.visitors];
    },
    expect: (count) => ["2026-11-11", count("example.com").visitors("2026-11-11")],
  }),
  question({
    question: "How many visitors a day do the docs have, on average over the last four weeks?",
    at,
    calls: [{ tool: "get_timeseries", args: { site: "docs.example.com", days: 29 } }],
    read: ([series]) => {
      const days = completeDays(series);
      return Math.round(days.reduce((sum, { visitors }) => sum + visitors, 0) / days.length);
    },
    expect: (count) => Math.round(count("docs.example.com").visitors("last 28 complete days") / 28),
  }),
  askTotals(
    "How many people came on launch day, the 3rd of November?",
    at,
    "example.com",
    "2026-11-03",
    "2026-11-03",
  ),
  askTotals("昨日、ショップには何人来ましたか？", at, "shop.example.net", "yesterday", "yesterday"),
  question({
    question: "Did anybody come to the parked domain last week?",
    at,
    calls: [
      {
        tool: "get_stats",
        args: { site: "parked.example", period: "last_week" },
        covers: "2026-11-09 to 2026-11-15",
      },
    ],
    read: ([stats]) => ({ visitors: stats.visitors, caveat: noteOn(stats, /no data/) }),
    expect: () => ({ visitors: 0, caveat: "parked.example has no data yet: nothing was ever recorded." }),
  }),
  question({
    question: "How many visitors did the news site get this month?",
    at,
    // It began on the 11th.
    calls: [
      {
        tool: "get_stats",
        args: { site: "news.example.org", period: "this_month" },
        covers: "2026-11-01 to 2026-11-21",
      },
    ],
    read: ([stats]) => ({
      visitors: stats.visitors,
      since: noteOn(stats, /earlier days are missing, not zero/)?.match(/since ([\d-]+)/)?.[1],
    }),
    expect: (count) => ({
      visitors: count("news.example.org").visitors("2026-11-11 to 2026-11-21"),
      since: "2026-11-11",
    }),
    shell: true,
  }),
  question({
    question: "And last week, in the middle of which it began?",
    at,
    calls: [
      {
        tool: "get_timeseries",
        args: { site: "news.example.org", period: "last_week" },
        covers: "2026-11-09 to 2026-11-15",
      },
    ],
    read: (answers) => ({
      visitors: answers[0].points.map(({ visitors }) => visitors > 0),
      caveat: noteOn(answers[0], /earlier days are missing, not zero/) !== null,
    }),
    expect: () => ({ visitors: [false, false, true, true, true, true, true], caveat: true }),
  }),
  question({
    question: "Was anybody on the news site in October, before it began?",
    at,
    calls: [
      {
        tool: "get_breakdown",
        args: { site: "news.example.org", period: "2026-10", dimension: "pages" },
        covers: "last month",
      },
    ],
    read: ([pages]) => ({
      people: pages.totals.visitors,
      rows: pages.rows.length,
      caveat: noteOn(pages, /earlier days are missing, not zero|no data/) !== null,
    }),
    expect: () => ({ people: 0, rows: 0, caveat: true }),
  }),
  askRows(
    "Which pages of the news site did people read since its first day?",
    at,
    "news.example.org",
    "2026-11-11/today",
    "2026-11-11 to 2026-11-21",
    "pages",
  ),
  question({
    question: "Does anybody come to the parked domain?",
    at,
    calls: [{ tool: "get_stats", args: { site: "parked.example", days: 30 } }],
    read: ([stats]) => ({ visitors: stats.visitors, caveat: noteOn(stats, /no data/) }),
    expect: () => ({ visitors: 0, caveat: "parked.example has no data yet: nothing was ever recorded." }),
  }),
  question({
    question: "How many visitors did the news site get in the last 30 days?",
    at,
    calls: [{ tool: "get_stats", args: { site: "news.example.org", days: 30 } }],
    // 19 of the 30 days are zeros because the site did not exist yet.
    read: ([stats]) => ({
      visitors: stats.visitors,
      since: noteOn(stats, /earlier days are missing, not zero/)?.match(/since ([\d-]+)/)?.[1],
    }),
    expect: (count) => ({
      visitors: count("news.example.org").visitors("last 30 days"),
      since: count("news.example.org").since,
    }),
    shell: true,
  }),
  question({
    question: "How many visitors has the news site had since it started?",
    at,
    calls: async (ask) => {
      const { sites } = await ask("list_sites", {});
      const since = sites.find(({ domain }) => domain === "news.example.org")?.data_since ?? "";
      const today = (await ask("get_stats", { site: "news.example.org", days: 1 })).period.to;
      const days = (Date.parse(today) - Date.parse(since)) / 86_400_000 + 1;
      return ask("get_stats", { site: "news.example.org", days });
    },
    read: (stats) => ({ visitors: stats.visitors, from: stats.period.from, warned: "warnings" in stats }),
    expect: (count) => ({
      visitors: count("news.example.org").visitors("last 365 days"),
      from: count("news.example.org").since,
      warned: false,
    }),
  }),
];
