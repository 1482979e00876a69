import { type Question, question } from "../question.ts";
import { first } from "../truth.ts";

const at = "a Saturday morning";

const find = <T extends { value: string | null }>(rows: readonly T[], value: string): T =>
  first(rows.filter((row) => row.value === value));
const sum = (rows: readonly { requests: number }[]) => rows.reduce((all, { requests }) => all + requests, 0);
/** What everybody knows about who runs which crawler. */
const OF_OPENAI = ["GPTBot", "OAI-SearchBot", "ChatGPT-User"];
const TRAINING = ["GPTBot", "ClaudeBot", "Bytespider", "meta-externalagent", "Amazonbot", "CCBot"];

/** Crawlers: who reads a site without being a visitor. */
export const crawlers: Question[] = [
  question({
    question: "Which AI crawlers and other bots read my site most this week?",
    at,
    calls: [
      { tool: "get_crawlers", args: { site: "example.com", period: "this_week" }, covers: "this week" },
    ],
    read: ([{ rows }]) => rows.map(({ value, requests }) => [value, requests]),
    expect: (count) =>
      count("example.com")
        .crawlers("this week")
        .slice(0, 10)
        .map(({ value, requests }) => [value, requests]),
    shell: true,
  }),
  question({
    question: "How often did GPTBot come last week, and how many pages did it read?",
    at,
    calls: [
      { tool: "get_crawlers", args: { site: "example.com", period: "last_week" }, covers: "last week" },
    ],
    read: ([{ rows }]) => {
      const { requests, pages } = find(rows, "GPTBot");
      return { requests, pages };
    },
    expect: (count) => {
      const { requests, pages } = find(count("example.com").crawlers("last week"), "GPTBot");
      return { requests, pages };
    },
    shell: true,
  }),
  question({
    question: "Wann war ClaudeBot zuletzt auf den Docs?",
    at,
    calls: [{ tool: "get_crawlers", args: { site: "docs.example.com", days: 7, limit: 100 } }],
    read: ([{ rows }]) => find(rows, "ClaudeBot").last_seen,
    expect: (count) => find(count("docs.example.com").crawlers("last 7 days"), "ClaudeBot").last_seen,
  }),
  question({
    question: "Which crawler gets the largest share of errors from the shop?",
    at: "a Monday morning",
    calls: [{ tool: "get_crawlers", args: { site: "shop.example.net", limit: 1000 } }],
    read: ([{ rows }]) => {
      const worst = first(rows.toSorted((a, b) => b.error_percentage - a.error_percentage));
      return [worst.value, worst.error_percentage];
    },
    expect: (count) => {
      const rows = count("shop.example.net").crawlers("last 28 days");
      const worst = first(rows.toSorted((a, b) => b.error_percentage - a.error_percentage));
      return [worst.value, worst.error_percentage];
    },
  }),
  question({
    question: "How many requests did all of OpenAI's crawlers make in October?",
    at,
    calls: [
      {
        tool: "get_crawlers",
        args: { site: "example.com", period: "2026-10", limit: 1000 },
        covers: "2026-10-01 to 2026-10-31",
      },
    ],
    read: ([{ rows }]) => sum(rows.filter(({ operator }) => operator === "OpenAI")),
    expect: (count) =>
      sum(
        count("example.com")
          .crawlers("2026-10-01 to 2026-10-31")
          .filter(({ value }) => OF_OPENAI.includes(value)),
      ),
  }),
  question({
    question: "What share of all bot requests today is for training models?",
    at: "a Sunday evening",
    calls: [
      {
        tool: "get_crawlers",
        args: { site: "news.example.org", period: "today", limit: 1000 },
        covers: "today",
      },
    ],
    read: ([{ rows, totals }]) => [
      sum(rows.filter(({ purpose }) => purpose === "training")),
      totals.requests,
    ],
    expect: (count) => {
      const rows = count("news.example.org").crawlers("today");
      return [sum(rows.filter(({ value }) => TRAINING.includes(value))), sum(rows)];
    },
  }),
  question({
    question: "Does ClaudeBot come more often than a month ago?",
    at: "the Monday after the clocks went back",
    calls: [
      {
        tool: "get_crawlers",
        args: { site: "example.com", period: "last_week", limit: 50 },
        covers: "last week",
      },
      {
        tool: "get_crawlers",
        args: { site: "example.com", period: "2026-09-21/2026-09-27", limit: 50 },
        covers: "2026-09-21 to 2026-09-27",
      },
    ],
    read: (answers) => answers.map(({ rows }) => find(rows, "ClaudeBot").requests),
    expect: (count) =>
      (["last week", "2026-09-21 to 2026-09-27"] as const).map(
        (span) => find(count("example.com").crawlers(span), "ClaudeBot").requests,
      ),
  }),
  question({
    question: "Are the crawlers among our visitors?",
    at,
    calls: [
      { tool: "get_crawlers", args: { site: "example.com", period: "yesterday" }, covers: "yesterday" },
      { tool: "get_stats", args: { site: "example.com", period: "yesterday" }, covers: "yesterday" },
    ],
    read: ([{ receipt, totals }, { visitors }]) => ({
      said: receipt.notes.some((note) => note.includes("are not visitors")),
      requests: totals.requests,
      visitors,
    }),
    expect: (count) => ({
      said: true,
      requests: sum(count("example.com").crawlers("yesterday")),
      visitors: count("example.com").visitors("yesterday"),
    }),
  }),
  question({
    question: "Which bots read our site?",
    at,
    key: "globex",
    calls: [{ tool: "get_crawlers", args: {} }],
    read: ([{ rows, total_rows }]) => [rows.length, total_rows, rows[0]?.value],
    expect: (count) => {
      const rows = count("globex.example").crawlers("last 28 days");
      return [10, rows.length, first(rows).value];
    },
    shell: true,
  }),
  question({
    question: "Do any crawlers read the parked domain?",
    at,
    calls: [{ tool: "get_crawlers", args: { site: "parked.example", days: 365 } }],
    read: ([{ total_rows, receipt }]) => [total_rows, /no data yet/.test(receipt.notes.join())],
    expect: () => [0, true],
  }),
];
