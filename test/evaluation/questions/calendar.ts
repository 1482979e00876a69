import { type Question, question } from "../question.ts";
import {
  mondayOf,
  noteOn,
  shift,
  sumDays,
  sumLastMonth,
  sumThisMonth,
  sumThisWeek,
  sumWeek,
} from "../reading.ts";
import { percentOf } from "../truth.ts";

/** Weeks begin on Monday, months on the first, years on 1 January: at the site. */
export const calendar: Question[] = [
  question({
    question: "How many people visited us this week?",
    at: "a Saturday morning",
    calls: [{ tool: "get_timeseries", args: { site: "example.com", days: 7 } }],
    read: ([series]) => ({ ...sumThisWeek(series), caveat: noteOn(series, /incomplete/) !== null }),
    expect: (count) => {
      const { visitors, pageviews } = count("example.com").total("this week");
      return { visitors, pageviews, caveat: true };
    },
  }),
  question({
    question: "How many people visited us last week?",
    at: "a Saturday morning",
    calls: [{ tool: "get_timeseries", args: { site: "example.com", days: 14 } }],
    read: ([series]) => sumWeek(series, 1).visitors,
    expect: (count) => count("example.com").visitors("2026-11-09 to 2026-11-15"),
    shell: true,
  }),
  question({
    question: "It is Monday: how many people visited us last week?",
    at: "a Monday morning",
    calls: [{ tool: "get_timeseries", args: { site: "example.com", days: 14 } }],
    read: ([series]) => sumWeek(series, 1).visitors,
    expect: (count) => count("example.com").visitors("2026-11-16 to 2026-11-22"),
  }),
  question({
    question: "It is Sunday: how many people visited us last week?",
    at: "a Sunday evening",
    calls: [{ tool: "get_timeseries", args: { site: "example.com", days: 14 } }],
    read: ([series]) => sumWeek(series, 1).visitors,
    expect: (count) => count("example.com").visitors("2026-11-09 to 2026-11-15"),
  }),
  question({
    question: "It is Sunday: how many this week?",
    at: "a Sunday evening",
    calls: [{ tool: "get_timeseries", args: { site: "example.com", days: 7 } }],
    read: ([series]) => sumThisWeek(series).visitors,
    expect: (count) => count("example.com").visitors("2026-11-16 to 2026-11-22"),
  }),
  question({
    question: "How many did the shop in Tokyo have last week?",
    at: "a Sunday evening",
    // It is Monday there: a different week from example.com's.
    calls: [{ tool: "get_timeseries", args: { site: "shop.example.net", days: 14 } }],
    read: ([series]) => sumWeek(series, 1).visitors,
    expect: (count) => count("shop.example.net").visitors("2026-11-16 to 2026-11-22"),
  }),
  question({
    question: "Wie läuft die Woche im Shop bisher?",
    at: "a Sunday evening",
    calls: [{ tool: "get_timeseries", args: { site: "shop.example.net", days: 7 } }],
    // Three hours of a Monday.
    read: ([series]) => ({ from: mondayOf(series), visitors: sumThisWeek(series).visitors }),
    expect: (count) => ({ from: "2026-11-23", visitors: count("shop.example.net").visitors("today") }),
  }),
  question({
    question: "How many so far this week, on its first morning?",
    at: "a Monday morning",
    calls: [{ tool: "get_timeseries", args: { site: "example.com", days: 7 } }],
    read: ([series]) => sumThisWeek(series).visitors,
    expect: (count) => count("example.com").visitors("2026-11-23"),
  }),
  question({
    question: "¿Cuántas páginas vistas tuvo la documentación la semana pasada?",
    at: "a Monday morning",
    calls: [{ tool: "get_timeseries", args: { site: "docs.example.com", days: 14 } }],
    read: ([series]) => sumWeek(series, 1).pageviews,
    expect: (count) => count("docs.example.com").pageviews("last week"),
  }),
  question({
    question: "How was the weekend in the shop?",
    at: "a Monday morning",
    calls: [{ tool: "get_timeseries", args: { site: "shop.example.net", days: 8 } }],
    read: ([series]) => {
      const monday = mondayOf(series);
      return sumDays(series, shift(monday, -2), shift(monday, -1)).visitors;
    },
    expect: (count) => count("shop.example.net").visitors("2026-11-21 to 2026-11-22"),
  }),
  question({
    question: "Was last week better than the week before?",
    at: "a Monday morning",
    // On a Monday the last seven complete days are last week.
    calls: [{ tool: "compare_periods", args: { site: "docs.example.com", days: 7 } }],
    read: ([{ current, previous, change }]) => [
      ...[current.from, current.to, current.visitors],
      ...[previous.visitors, change.visitors.absolute, change.visitors.percent],
    ],
    expect: (count) => {
      const now = count("docs.example.com").visitors("last week");
      const before = count("docs.example.com").visitors("the week before last");
      return ["2026-11-16", "2026-11-22", now, before, now - before, percentOf(now - before, before)];
    },
    shell: true,
  }),
  question({
    question: "By how many visitors did last week differ from the one before it?",
    at: "a Saturday morning",
    // Except on a Monday, compare_periods compares other weeks, so the series must be summed.
    calls: [{ tool: "get_timeseries", args: { site: "example.com", days: 21 } }],
    read: ([series]) => sumWeek(series, 1).visitors - sumWeek(series, 2).visitors,
    expect: (count) =>
      count("example.com").visitors("last week") - count("example.com").visitors("the week before last"),
  }),
  question({
    question: "How many people came on Monday?",
    at: "a Saturday morning",
    calls: [{ tool: "get_timeseries", args: { site: "docs.example.com", days: 7 } }],
    read: ([series]) => sumDays(series, mondayOf(series), mondayOf(series)).visitors,
    expect: (count) => count("docs.example.com").visitors("2026-11-16"),
  }),
  question({
    question: "How many visitors do the docs have this month?",
    at: "a Saturday morning",
    // With New York's day of 25 hours, and only to Friday, which is today there.
    calls: [{ tool: "get_timeseries", args: { site: "docs.example.com", days: 31 } }],
    read: ([series]) => sumThisMonth(series).visitors,
    expect: (count) => count("docs.example.com").visitors("2026-11-01 to 2026-11-20"),
  }),
  question({
    question: "Quantos visitantes a loja teve no mês passado?",
    at: "a Saturday morning",
    calls: [{ tool: "get_timeseries", args: { site: "shop.example.net", days: 62 } }],
    read: ([series]) => sumLastMonth(series).visitors,
    expect: (count) => count("shop.example.net").visitors("2026-10-01 to 2026-10-31"),
  }),
  question({
    question: "How did December go in the shop?",
    at: "the first hours of the year",
    calls: [{ tool: "get_timeseries", args: { site: "shop.example.net", days: 32 } }],
    read: ([series]) => sumLastMonth(series),
    expect: (count) => {
      const { visitors, pageviews } = count("shop.example.net").total("2026-12-01 to 2026-12-31");
      return { visitors, pageviews };
    },
  }),
  question({
    question: "How many visitors do we have this month, in the first hours of January?",
    at: "the first hours of the year",
    calls: [{ tool: "get_timeseries", args: { site: "example.com", days: 31 } }],
    read: ([series]) => sumThisMonth(series).visitors,
    expect: (count) => count("example.com").visitors("2027-01-01"),
  }),
  question({
    question: "And the docs this month, where it is still December?",
    at: "the first hours of the year",
    calls: [{ tool: "get_timeseries", args: { site: "docs.example.com", days: 31 } }],
    read: ([series]) => sumThisMonth(series).visitors,
    expect: (count) => count("docs.example.com").visitors("2026-12-01 to 2026-12-31"),
  }),
  question({
    question: "What about the docs last month?",
    at: "the first hours of the year",
    calls: [{ tool: "get_timeseries", args: { site: "docs.example.com", days: 62 } }],
    read: ([series]) => sumLastMonth(series).visitors,
    expect: (count) => count("docs.example.com").visitors("2026-11-01 to 2026-11-30"),
  }),
  question({
    question: "Quantos visitantes tivemos este ano?",
    at: "the first hours of the year",
    key: "globex",
    // It is 31 December in São Paulo: 365 days are all of 2026, and one total.
    calls: [{ tool: "get_stats", args: { days: 365 } }],
    read: ([stats]) => ({ visitors: stats.visitors, from: stats.period.from, to: stats.period.to }),
    expect: (count) => ({
      visitors: count("globex.example").visitors("this year"),
      from: "2026-01-01",
      to: "2026-12-31",
    }),
  }),
];
