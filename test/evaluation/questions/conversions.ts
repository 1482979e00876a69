import { type Answer, type Question, question } from "../question.ts";
import type { Span } from "../spans.ts";
import { percentOf, type SiteTruth } from "../truth.ts";

const at = "a Saturday morning";

type Conversions = Answer<"get_conversions">;
const numbersOf = ({ visitors, converted, conversion_rate: rate }: Conversions) => [
  visitors,
  converted,
  rate,
];
const rowsOf = ({ rows = [] }: Conversions) =>
  rows.map(({ value, visitors, converted, conversion_rate: rate }) => [value, visitors, converted, rate]);

/** Visitors, those of them who reached the goal, and their share. */
function measure(site: SiteTruth, span: Span, goal: string, filter: readonly string[] = []) {
  const [visitors, converted] = [site.visitors(span, filter), site.visitors(span, [...filter, goal])];
  return [visitors, converted, percentOf(converted, visitors)];
}

/** Who reaches a goal: an event or a page, in total or by what brought them. */
export const conversions: Question[] = [
  question({
    question: "What share of our visitors signed up this month?",
    at,
    calls: [
      {
        tool: "get_conversions",
        args: { site: "example.com", goal: "events=signup", period: "this_month" },
        covers: "this month",
      },
    ],
    read: ([signups]) => numbersOf(signups),
    expect: (count) => measure(count("example.com"), "this month", "events=signup"),
    shell: true,
  }),
  question({
    question: "Which channel brings the most signups, and which one converts best?",
    at,
    calls: [
      {
        tool: "get_conversions",
        args: { site: "example.com", goal: "event=signup", by: "channels", limit: 50 },
      },
    ],
    read: ([{ rows = [] }]) => {
      const large = rows.filter(({ visitors }) => (visitors ?? 0) >= 100);
      const best = large.sort((a, b) => (b.conversion_rate ?? 0) - (a.conversion_rate ?? 0));
      return [rows[0]?.value, rows[0]?.converted, best[0]?.value];
    },
    expect: (count) => {
      const site = count("example.com");
      const rows = site.rows("last 28 days", "channels").map(({ value, visitors }) => {
        const { visitors: converted } = site.row("last 28 days", "channels", value, ["events=signup"]);
        return { value, visitors, converted, rate: percentOf(converted, visitors) };
      });
      const most = [...rows].sort((a, b) => b.converted - a.converted)[0];
      const best = rows.filter(({ visitors }) => visitors >= 100).sort((a, b) => b.rate - a.rate)[0];
      return [most?.value ?? "", most?.converted ?? 0, best?.value ?? ""];
    },
    shell: true,
  }),
  question({
    question: "Wie viele Besucher des Shops aus Japan haben letzte Woche etwas gekauft?",
    at,
    calls: [
      {
        tool: "get_conversions",
        args: {
          site: "shop.example.net",
          goal: "events=purchase",
          period: "last_week",
          filter: ["country=JP"],
        },
        covers: "last week",
      },
    ],
    read: ([purchases]) => numbersOf(purchases),
    expect: (count) => measure(count("shop.example.net"), "last week", "events=purchase", ["countries=JP"]),
  }),
  question({
    question: "Of the visits that put something into the cart, how many end with a purchase?",
    at,
    calls: [
      {
        tool: "get_conversions",
        args: { site: "shop.example.net", goal: "events=purchase", filter: ["visit:events=add_to_cart"] },
      },
    ],
    read: ([purchases]) => numbersOf(purchases),
    expect: (count) =>
      measure(count("shop.example.net"), "last 28 days", "events=purchase", ["visit:events=add_to_cart"]),
  }),
  question({
    question: "Did anybody from the newsletter get to the documentation of the API last week?",
    at,
    calls: [
      {
        tool: "get_conversions",
        args: { site: "docs.example.com", goal: "pages=/api*", by: "utm_campaigns", period: "last_week" },
        covers: "last week",
      },
    ],
    read: ([answer]) => rowsOf(answer),
    expect: (count) => {
      const site = count("docs.example.com");
      return site
        .rows("last week", "utm_campaigns")
        .map(({ value, visitors }) => ({
          value,
          visitors,
          converted: site.row("last week", "utm_campaigns", value, ["pages=/api*"]).visitors,
        }))
        .sort((a, b) => b.converted - a.converted || b.visitors - a.visitors)
        .slice(0, 10)
        .map((row) => [row.value, row.visitors, row.converted, percentOf(row.converted, row.visitors)]);
    },
  }),
  question({
    question: "How many visitors reached our new thank-you page today?",
    at,
    calls: [{ tool: "get_conversions", args: { site: "example.com", goal: "pages=/thank-you", days: 1 } }],
    // Nobody ever did: the answer says so, since the page may be called something else.
    read: ([answer]) => [
      ...numbersOf(answer),
      answer.receipt.notes.some((note) => note.includes("Nothing in these days has pages=/thank-you")),
    ],
    expect: (count) => [count("example.com").visitors("today"), 0, 0, true],
  }),
  question({
    question: "What percentage of the visitors of a site without any data signed up?",
    at,
    calls: [{ tool: "get_conversions", args: { site: "parked.example", goal: "events=signup", days: 7 } }],
    read: ([answer]) => [...numbersOf(answer), answer.text.includes("parked.example has no data yet")],
    expect: () => [null, null, null, true],
  }),
  question({
    question: "How many visitors downloaded something in the first hours of the year?",
    at: "the first hours of the year",
    calls: [{ tool: "get_conversions", args: { site: "example.com", goal: "event=download", days: 1 } }],
    read: ([answer]) => numbersOf(answer),
    expect: (count) => measure(count("example.com"), "today", "events=download"),
  }),
  question({
    question: "Which share of the readers of the plans signs up?",
    at,
    calls: [
      // The goal chooses hits, so what else is read is a condition on visits.
      {
        tool: "get_conversions",
        args: { site: "example.com", goal: "events=signup", filter: ["pages=/plans"] },
        refused: true,
      },
      {
        tool: "get_conversions",
        args: { site: "example.com", goal: "events=signup", filter: ["visit:pages=/plans"] },
      },
    ],
    read: ([refusal, answer]) => [
      refusal.text.includes('must be "visit:pages=/plans"'),
      ...numbersOf(answer),
    ],
    expect: (count) => [
      true,
      ...measure(count("example.com"), "last 28 days", "events=signup", ["visit:pages=/plans"]),
    ],
  }),
];
