import { type Question, question } from "../question.ts";
import type { Span } from "../spans.ts";

const at = "a Saturday morning";
const acme = "docs.example.com, example.com, news.example.org, parked.example, shop.example.net";

/** Which site is meant, which calls are refused and how, and whose numbers an answer has. */
export const sites: Question[] = [
  question({
    question: "Which sites do we have?",
    at,
    calls: [{ tool: "list_sites", args: {} }],
    read: ([{ sites }]) => sites.map(({ domain, timezone, data_since }) => [domain, timezone, data_since]),
    expect: (count) => acme.split(", ").map((each) => [each, count(each).timezone, count(each).since]),
    shell: true,
  }),
  question({
    question: "How did each of our sites do last week?",
    at,
    calls: [{ tool: "list_sites", args: { period: "last_week" } }],
    read: ([{ sites }]) =>
      sites.map(({ domain, visitors, pageviews, comparison }) => [
        domain,
        visitors,
        pageviews,
        comparison?.previous.visitors,
      ]),
    expect: (count) =>
      acme.split(", ").map((domain) => {
        const { visitors, pageviews, daysWithData } = count(domain);
        const counted = (count: (span: Span) => number, span: Span) =>
          daysWithData(span) > 0 ? count(span) : null;
        return [
          domain,
          counted(visitors, "last week"),
          counted(pageviews, "last week"),
          counted(visitors, "the week before last"),
        ];
      }),
    shell: true,
  }),
  question({
    question: "How many visitors did we have since Monday, wherever that is?",
    at,
    // Five sites: the question must name one.
    calls: [{ tool: "get_stats", args: { days: 6 }, refused: true }],
    read: ([refusal]) => refusal.text,
    expect: () => `Which site? You have 5: ${acme}.\nGive one of them as site.`,
  }),
  question({
    question: "Who is online?",
    at,
    calls: [
      { tool: "get_realtime", args: {}, refused: true },
      { tool: "get_breakdown", args: { dimension: "pages" }, refused: true },
    ],
    read: (refusals) => refusals.map(({ text }) => text.split("\n")[0]),
    expect: () => Array(2).fill(`Which site? You have 5: ${acme}.`),
  }),
  question({
    question: "Quantos visitantes tivemos nos últimos 7 dias?",
    at,
    key: "globex",
    // One site: the question need not name it.
    calls: [{ tool: "get_stats", args: { days: 7 } }],
    read: ([stats]) => [stats.site.domain, stats.visitors],
    expect: (count) => ["globex.example", count("globex.example").visitors("last 7 days")],
    shell: true,
  }),
  question({
    question: "Que dia é hoje para o nosso site?",
    at,
    key: "globex",
    calls: [{ tool: "get_timeseries", args: { days: 2 } }],
    read: ([{ points, period }]) => [
      period.timezone,
      ...points.map(({ date, visitors }) => [date, visitors]),
    ],
    expect: (count) => {
      const { timezone, days } = count("globex.example");
      return [timezone, ...days("last 2 days").map(({ date, visitors }) => [date, visitors])];
    },
  }),
  question({
    question: "How many visitors does exmaple.com have?",
    at,
    calls: [{ tool: "get_stats", args: { site: "exmaple.com" }, refused: true }],
    read: ([refusal]) => refusal.text,
    expect: () => `You have no site "exmaple.com".\nDid you mean example.com? Your sites are: ${acme}.`,
  }),
  question({
    question: "How many visitors does our competitor globex.example have?",
    at,
    // Another organization's site answers like one that does not exist.
    calls: [
      { tool: "get_stats", args: { site: "globex.example" }, refused: true },
      { tool: "compare_periods", args: { site: "site_glbx" }, refused: true },
      { tool: "get_realtime", args: { site: "nowhere.example" }, refused: true },
    ],
    read: (refusals) => refusals.map(({ text }) => text.replace(/"[^"]*"/, "*")),
    expect: () => Array(3).fill(`You have no site *.\nYour sites are: ${acme}.`),
  }),
  question({
    question: "E quantos visitantes tem example.com?",
    at,
    key: "globex",
    calls: [{ tool: "get_overview", args: { site: "example.com" }, refused: true }],
    read: ([refusal]) => refusal.text,
    expect: () => 'You have no site "example.com".\nYour sites are: globex.example.',
  }),
  question({
    question: "Quais sites nós temos?",
    at,
    key: "globex",
    calls: [{ tool: "list_sites", args: {} }],
    read: ([{ sites }]) => sites.map(({ domain }) => domain),
    expect: () => ["globex.example"],
  }),
  question({
    question: "How many visitors has https://www.Example.com/plans?ref=x had in the last 7 days?",
    at,
    calls: [{ tool: "get_stats", args: { site: "https://www.Example.com/plans?ref=x", days: 7 } }],
    read: ([stats]) => [stats.site.domain, stats.visitors],
    expect: (count) => ["example.com", count("example.com").visitors("last 7 days")],
    shell: true,
  }),
  question({
    question: "Wie viele Besucher hat WWW.Docs.Example.com heute?",
    at,
    calls: [{ tool: "get_stats", args: { site: "WWW.Docs.Example.com", days: 1 } }],
    read: ([stats]) => [stats.site.domain, stats.visitors],
    expect: (count) => ["docs.example.com", count("docs.example.com").visitors("today")],
  }),
  question({
    question: "How many page views has site_sh0p had today?",
    at,
    calls: [{ tool: "get_stats", args: { site: "site_sh0p", days: 1 } }],
    read: ([stats]) => [stats.site.domain, stats.pageviews],
    expect: (count) => ["shop.example.net", count("shop.example.net").pageviews("today")],
  }),
  question({
    question: "Which keywords do people search for?",
    at,
    calls: [{ tool: "get_breakdown", args: { site: "example.com", dimension: "keywords" }, refused: true }],
    // There is no such dimension: the answer lists the valid ones.
    read: ([{ text }]) => [
      /^dimension must be one of pages, entry_pages, /.test(text),
      /utm_terms, /.test(text),
    ],
    expect: () => [true, true],
  }),
  question({
    question: "How many visitors did we have in 2020?",
    at,
    calls: [{ tool: "get_stats", args: { site: "example.com", period: "2020" }, refused: true }],
    read: ([refusal]) => refusal.text,
    expect: (count) => {
      const [earliest] = count("example.com").dates("last 731 days");
      return `period must not be before ${earliest}: nothing earlier is kept.`;
    },
  }),
  question({
    question: "How many visitors will we have next month?",
    at,
    calls: [
      { tool: "get_stats", args: { site: "docs.example.com", period: "2026-12" }, refused: true },
      { tool: "get_stats", args: { site: "docs.example.com", period: "next_month" }, refused: true },
      // It is the 21st in Berlin, but not in New York.
      { tool: "get_stats", args: { site: "docs.example.com", period: "2026-11-21" }, refused: true },
    ],
    read: (refusals) => refusals.map(({ text }) => text.split(",")[0]),
    expect: () => [
      "period must not be in the future: today at the site is 2026-11-20.",
      "period must not be in the future: today at the site is 2026-11-20.",
      "period must not be in the future: today at the site is 2026-11-20.",
    ],
  }),
  question({
    question: "Show me all of the last year's pages, every single row.",
    at,
    calls: [
      {
        tool: "get_breakdown",
        args: { site: "shop.example.net", dimension: "pages", limit: 5000 },
        refused: true,
      },
    ],
    read: ([refusal]) => refusal.text,
    expect: () => "limit must be a whole number from 1 to 1000.",
  }),
];
