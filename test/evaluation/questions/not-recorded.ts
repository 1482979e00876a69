import { type Question, question } from "../question.ts";

const at = "a Saturday morning";
const site = "shop.example.net";

/** The sentence of a refusal that says why there is no such number; it also says what can be asked instead. */
const reasonIn = ({ text }: { text: string }) => text.split("\n")[1]?.split(":")[0] ?? null;

/** What nobody recorded: an assistant must say so, and not make it up from something else. */
export const notRecorded: Question[] = [
  question({
    question: "How much revenue did the shop make last month, and which channel brought most of it?",
    at,
    calls: [
      {
        tool: "get_stats",
        args: { site, period: "last_month", metric: "revenue" },
        covers: "last month",
        refused: true,
      },
      { tool: "get_breakdown", args: { site, dimension: "revenue" }, refused: true },
      { tool: "get_conversions", args: { site, goal: "revenue", by: "channels" }, refused: true },
      // What the refusals propose.
      {
        tool: "get_conversions",
        args: { site, goal: "events=purchase", by: "channels", period: "last_month", limit: 1 },
        covers: "last month",
      },
    ],
    read: ([ofStats, ofRows, ofGoal, { rows = [] }]) => [
      ...[ofStats, ofRows, ofGoal].map(reasonIn),
      rows.map(({ value, converted }) => [value, converted]),
    ],
    expect: (count) => {
      const [top] = count(site).rows("last month", "channels", ["events=purchase"]);
      return [...Array(3).fill("Revenue is not recorded"), top ? [[top.value, top.visitors]] : []];
    },
  }),
  question({
    question: "How many of our visitors are new, and how many came back?",
    at,
    calls: [
      { tool: "get_breakdown", args: { site, dimension: "new_vs_returning" }, refused: true },
      { tool: "get_stats", args: { site, visitor_type: "returning" }, refused: true },
      { tool: "get_stats", args: { site, filter: ["visitor_type=new"] }, refused: true },
    ],
    read: (refusals) => refusals.map(reasonIn),
    expect: () => Array(3).fill("New and returning visitors are not told apart"),
  }),
  question({
    question: "Wie gut halten wir die Kunden, die im Oktober zum ersten Mal da waren?",
    at,
    calls: [
      {
        tool: "get_breakdown",
        args: { site, dimension: "cohorts", period: "october" },
        covers: "last month",
        refused: true,
      },
    ],
    read: ([refusal]) => reasonIn(refusal),
    expect: () => "There are no cohorts",
  }),
  question({
    question: "Which of our pages are the slowest?",
    at,
    calls: [
      { tool: "get_breakdown", args: { site, dimension: "pages", metric: "load_time" }, refused: true },
      // What the refusal proposes.
      { tool: "get_breakdown", args: { site, dimension: "entry_pages", with: "visits", days: 7 } },
    ],
    read: ([refusal, { rows }]) => [refusal.text.includes("Page speed is not measured."), rows[0]?.bounces],
    expect: (count) => [true, count(site).rows("last 7 days", "entry_pages")[0]?.bounces ?? 0],
  }),
];
