import { type Question, question } from "../question.ts";
import { first } from "../truth.ts";

const at = "a Saturday morning";

interface Link {
  value: string | null;
  requests: number;
  referrers: readonly { value: string; internal: boolean; requests: number }[];
}

/** The paths to which pages of the site itself have links, with these pages. */
const listOwn = (rows: readonly Link[]) =>
  rows.flatMap(({ value, referrers }) => {
    const pages = referrers.flatMap((each) => (each.internal ? each.value : []));
    return pages.length === 0 ? [] : [[value, pages]];
  });

/** Dead links: what people asked for and did not get. */
export const deadLinks: Question[] = [
  question({
    question: "Which links on our own pages are broken, and on which pages?",
    at,
    calls: [{ tool: "get_not_found", args: { site: "example.com", limit: 100 } }],
    read: ([{ rows }]) => listOwn(rows),
    expect: (count) => listOwn(count("example.com").notFound("last 28 days")),
    shell: true,
  }),
  question({
    question: "How many people ran into a 404 for /docs/instal last week?",
    at,
    calls: [
      { tool: "get_not_found", args: { site: "example.com", period: "last_week" }, covers: "last week" },
    ],
    read: ([{ rows }]) => rows.find(({ value }) => value === "/docs/instal")?.visitors,
    expect: (count) =>
      first(
        count("example.com")
          .notFound("last week")
          .filter(({ value }) => value === "/docs/instal"),
      ).visitors,
  }),
  question({
    question: "Who still links to our old prices?",
    at,
    calls: [{ tool: "get_not_found", args: { site: "example.com", days: 7 } }],
    read: ([{ rows }]) => rows.find(({ value }) => value === "/pricing")?.referrers,
    expect: (count) =>
      first(
        count("example.com")
          .notFound("last 7 days")
          .filter(({ value }) => value === "/pricing"),
      ).referrers,
  }),
];
