import { type Question, question } from "../question.ts";
import { findRow } from "../reading.ts";

const at = "a Saturday morning";

/** Events: they are not page views, and their number is not a number of people. */
export const events: Question[] = [
  question({
    question: "How many signups did we get in the last 7 days?",
    at,
    calls: [{ tool: "get_breakdown", args: { site: "example.com", dimension: "events", days: 7 } }],
    read: ([events]) => findRow(events, "signup").hits,
    expect: (count) => count("example.com").row("last 7 days", "events", "signup").hits,
    shell: true,
  }),
  question({
    question: "How many people bought something in the last 30 days, and how many purchases were there?",
    at,
    calls: [{ tool: "get_breakdown", args: { site: "shop.example.net", dimension: "events", days: 30 } }],
    read: ([events]) => {
      const { visitors, hits } = findRow(events, "purchase");
      return { visitors, hits };
    },
    expect: (count) => {
      const { visitors, hits } = count("shop.example.net").row("last 30 days", "events", "purchase");
      return { visitors, hits };
    },
  }),
  question({
    question: "What percentage of shop visitors puts something into the cart?",
    at,
    calls: [{ tool: "get_breakdown", args: { site: "shop.example.net", dimension: "events", days: 14 } }],
    read: ([events]) => findRow(events, "add_to_cart").percentage,
    expect: (count) => count("shop.example.net").share("last 14 days", "events", "add_to_cart"),
  }),
  question({
    question: "How many events did the docs record in the last two weeks, page views not counted?",
    at,
    calls: [{ tool: "get_stats", args: { site: "docs.example.com", days: 14 } }],
    read: ([stats]) => stats.events,
    expect: (count) => count("docs.example.com").events("last 14 days"),
  }),
  question({
    question: "Do the events of a week include its page views?",
    at,
    calls: [{ tool: "get_breakdown", args: { site: "docs.example.com", dimension: "events", days: 7 } }],
    read: ([{ totals, rows }]) => ({
      events: totals.events,
      pageviews: totals.pageviews,
      kinds: rows.map((row) => row.value).sort(),
    }),
    expect: (count) => ({
      events: count("docs.example.com").events("last 7 days"),
      pageviews: count("docs.example.com").pageviews("last 7 days"),
      kinds: ["copy_snippet", "feedback", "search"],
    }),
  }),
  question({
    question: "Wie oft wurde seit gestern ein Schnipsel kopiert?",
    at,
    calls: [{ tool: "get_breakdown", args: { site: "docs.example.com", dimension: "events", days: 2 } }],
    read: ([events]) => findRow(events, "copy_snippet").hits,
    expect: (count) => count("docs.example.com").row("last 2 days", "events", "copy_snippet").hits,
  }),
  question({
    question: "Did anybody click the WhatsApp button today?",
    at: "the first hours of the year",
    key: "globex",
    calls: [{ tool: "get_breakdown", args: { dimension: "events", days: 1 } }],
    read: ([events]) => findRow(events, "whatsapp").hits,
    expect: (count) => count("globex.example").row("today", "events", "whatsapp").hits,
  }),
];
