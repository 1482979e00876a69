import { askRows } from "../period-questions.ts";
import { type Question, question } from "../question.ts";
import { findRow, nameOf } from "../reading.ts";

const at = "a Saturday morning";

/** Sources, pages and devices: rows that do not add up. */
export const breakdowns: Question[] = [
  askRows(
    "Which pages are the most popular this week?",
    at,
    "example.com",
    "this_week",
    "2026-11-16 to 2026-11-21",
    "pages",
  ),
  question({
    question: "How many people read the quickstart in the last 7 days, and how often was it opened?",
    at,
    calls: [{ tool: "get_breakdown", args: { site: "docs.example.com", dimension: "pages", days: 7 } }],
    read: ([pages]) => {
      const { visitors, hits } = findRow(pages, "/quickstart");
      return { visitors, hits };
    },
    expect: (count) => {
      const { visitors, hits } = count("docs.example.com").row("last 7 days", "pages", "/quickstart");
      return { visitors, hits };
    },
  }),
  question({
    question: "Which three countries do our visitors come from?",
    at,
    calls: [
      { tool: "get_breakdown", args: { site: "example.com", dimension: "countries", days: 7, limit: 3 } },
    ],
    read: ([{ rows }]) => rows.map((row) => [nameOf(row), row.visitors]),
    expect: (count) => {
      const names = new Map([
        ["DE", "Germany"],
        ["US", "United States"],
        ["GB", "United Kingdom"],
      ]);
      const top = count("example.com").rows("last 7 days", "countries").slice(0, 3);
      return top.map(({ value, visitors }) => [names.get(value ?? "") ?? value, visitors]);
    },
  }),
  question({
    question: "What share of our visitors is from Germany?",
    at,
    calls: [{ tool: "get_breakdown", args: { site: "example.com", dimension: "countries", days: 7 } }],
    read: ([countries]) => findRow(countries, "DE").percentage,
    expect: (count) => count("example.com").share("last 7 days", "countries", "DE"),
  }),
  question({
    question: "Wie viele unserer Besucher kommen aus Österreich?",
    at,
    calls: [
      { tool: "get_breakdown", args: { site: "example.com", dimension: "countries", days: 7, limit: 50 } },
    ],
    read: ([{ rows }]) => rows.find((row) => row.label === "Austria")?.visitors,
    expect: (count) => count("example.com").row("last 7 days", "countries", "AT").visitors,
  }),
  question({
    question: "Who sends us the most people?",
    at,
    calls: [{ tool: "get_breakdown", args: { site: "example.com", dimension: "referrers", days: 7 } }],
    // The first row is visits without a referrer.
    read: ([{ rows }]) => {
      const sender = rows.find((row) => row.value !== null);
      return [nameOf(sender), sender?.visitors];
    },
    expect: (count) => [
      "Google",
      count("example.com").row("last 7 days", "referrers", "google.com").visitors,
    ],
  }),
  question({
    question: "How many came directly, without a referrer?",
    at,
    calls: [{ tool: "get_breakdown", args: { site: "docs.example.com", dimension: "referrers", days: 7 } }],
    read: ([{ rows }]) => {
      const direct = rows.find((row) => row.value === null);
      return [direct?.label, direct?.visitors];
    },
    expect: (count) => [
      "(direct or none)",
      count("docs.example.com").row("last 7 days", "referrers", null).visitors,
    ],
  }),
  question({
    question: "How many people find us through search engines?",
    at,
    calls: [{ tool: "get_breakdown", args: { site: "example.com", dimension: "channels", days: 7 } }],
    read: ([channels]) => findRow(channels, "Organic Search").visitors,
    expect: (count) => count("example.com").row("last 7 days", "channels", "Organic Search").visitors,
  }),
  question({
    question: "Do AI assistants send us visitors, and what share?",
    at,
    calls: [{ tool: "get_breakdown", args: { site: "docs.example.com", dimension: "channels" } }],
    read: ([channels]) => {
      const { visitors, percentage } = findRow(channels, "AI assistants");
      return { visitors, percentage };
    },
    expect: (count) => ({
      visitors: count("docs.example.com").row("last 28 days", "channels", "AI assistants").visitors,
      percentage: count("docs.example.com").share("last 28 days", "channels", "AI assistants"),
    }),
    shell: true,
  }),
  question({
    question: "Is it ChatGPT or Claude that sends more people to the docs?",
    at,
    calls: [{ tool: "get_breakdown", args: { site: "docs.example.com", dimension: "referrers" } }],
    read: ([referrers]) => ["chatgpt.com", "claude.ai"].map((name) => findRow(referrers, name).visitors),
    expect: (count) =>
      ["chatgpt.com", "claude.ai"].map(
        (name) => count("docs.example.com").row("last 28 days", "referrers", name).visitors,
      ),
  }),
  question({
    question: "Did the newsletter bring anyone this week?",
    at,
    calls: [
      {
        tool: "get_breakdown",
        args: { site: "example.com", dimension: "utm_sources", period: "this_week" },
        covers: "2026-11-16 to 2026-11-21",
      },
    ],
    read: ([sources]) => findRow(sources, "newsletter").visitors,
    expect: (count) => count("example.com").row("this week", "utm_sources", "newsletter").visitors,
  }),
  question({
    question: "How many came by paid social ads in the last four weeks?",
    at,
    calls: [{ tool: "get_breakdown", args: { site: "example.com", dimension: "utm_mediums", days: 28 } }],
    read: ([mediums]) => findRow(mediums, "paid-social").visitors,
    expect: (count) => count("example.com").row("last 28 days", "utm_mediums", "paid-social").visitors,
  }),
  question({
    question: "How many shop visitors use a phone?",
    at,
    calls: [{ tool: "get_breakdown", args: { site: "shop.example.net", dimension: "devices", days: 7 } }],
    read: ([{ rows }]) => rows.map(({ value, visitors, percentage }) => [value, visitors, percentage]),
    expect: (count) => {
      const shop = count("shop.example.net");
      return shop
        .rows("last 7 days", "devices")
        .map(({ value, visitors }) => [value, visitors, shop.share("last 7 days", "devices", value)]);
    },
  }),
  question({
    question: "Welcher Browser wird am meisten benutzt?",
    at,
    calls: [{ tool: "get_breakdown", args: { site: "shop.example.net", dimension: "browsers", days: 14 } }],
    read: ([{ rows }]) => [rows[0]?.value, rows[0]?.visitors],
    expect: (count) => {
      const top = count("shop.example.net").top("last 14 days", "browsers");
      return [top.value, top.visitors];
    },
  }),
  question({
    question: "Does anybody read the docs on Linux?",
    at,
    calls: [
      { tool: "get_breakdown", args: { site: "docs.example.com", dimension: "operating_systems", days: 7 } },
    ],
    read: ([systems]) => findRow(systems, "Linux").visitors,
    expect: (count) => count("docs.example.com").row("last 7 days", "operating_systems", "Linux").visitors,
  }),
  question({
    question: "From which city do most people shop?",
    at,
    calls: [{ tool: "get_breakdown", args: { site: "shop.example.net", dimension: "cities", days: 7 } }],
    read: ([{ rows }]) => [nameOf(rows[0]), rows[0]?.visitors],
    // 1850147 is Tokyo's number at GeoNames.
    expect: (count) => [
      "Tokyo, Japan",
      count("shop.example.net").row("last 7 days", "cities", "1850147").visitors,
    ],
  }),
  question({
    question: "How many are from Bavaria?",
    at,
    calls: [
      {
        tool: "get_breakdown",
        args: { site: "docs.example.com", dimension: "regions", days: 7, limit: 100 },
      },
    ],
    read: ([{ rows }]) => rows.find((row) => row.label === "Bavaria")?.visitors,
    expect: (count) => count("docs.example.com").row("last 7 days", "regions", "DE-BY").visitors,
  }),
  question({
    question: "Combien de nos lecteurs lisent en français ?",
    at,
    calls: [
      {
        tool: "get_breakdown",
        args: { site: "docs.example.com", dimension: "languages", days: 7, limit: 50 },
      },
    ],
    read: ([languages]) => findRow(languages, "fr-FR").visitors,
    expect: (count) => count("docs.example.com").row("last 7 days", "languages", "fr-FR").visitors,
  }),
  question({
    question: "Where do people land on the docs?",
    at,
    calls: [
      {
        tool: "get_breakdown",
        args: { site: "docs.example.com", dimension: "entry_pages", days: 7, limit: 3 },
      },
    ],
    read: ([{ rows }]) => rows.map(({ value, visitors }) => [value, visitors]),
    expect: (count) =>
      count("docs.example.com")
        .rows("last 7 days", "entry_pages")
        .slice(0, 3)
        .map(({ value, visitors }) => [value, visitors]),
  }),
  question({
    question: "On which page do most people leave the shop?",
    at,
    calls: [{ tool: "get_breakdown", args: { site: "shop.example.net", dimension: "exit_pages", days: 7 } }],
    read: ([{ rows }]) => [rows[0]?.value, rows[0]?.visitors],
    expect: (count) => {
      const top = count("shop.example.net").top("last 7 days", "exit_pages");
      return [top.value, top.visitors];
    },
  }),
  question({
    question: "How many use app.example.com?",
    at,
    calls: [{ tool: "get_breakdown", args: { site: "example.com", dimension: "hostnames", days: 7 } }],
    read: ([hosts]) => findRow(hosts, "app.example.com").visitors,
    expect: (count) => count("example.com").row("last 7 days", "hostnames", "app.example.com").visitors,
  }),
  question({
    question: "If I add up the visitors of all our pages, is that how many people we had?",
    at,
    calls: [
      { tool: "get_breakdown", args: { site: "docs.example.com", dimension: "pages", days: 7, limit: 1000 } },
    ],
    read: ([{ rows, totals }]) => ({
      total: totals.visitors,
      sum: rows.reduce((sum, { visitors }) => sum + visitors, 0),
    }),
    // No: the sum of the rows is more than twice that.
    expect: (count) => ({
      total: count("docs.example.com").visitors("last 7 days"),
      sum: count("docs.example.com")
        .rows("last 7 days", "pages")
        .reduce((sum, { visitors }) => sum + visitors, 0),
    }),
  }),
  question({
    question: "What are the top three pages, and how many people were there in all?",
    at,
    calls: [
      { tool: "get_breakdown", args: { site: "docs.example.com", dimension: "pages", days: 14, limit: 3 } },
    ],
    read: ([{ rows, totals, total_rows }]) => ({
      shown: rows.length,
      of: total_rows,
      people: totals.visitors,
      views: totals.pageviews,
    }),
    expect: (count) => ({
      shown: 3,
      of: count("docs.example.com").rows("last 14 days", "pages").length,
      people: count("docs.example.com").visitors("last 14 days"),
      views: count("docs.example.com").pageviews("last 14 days"),
    }),
  }),
  question({
    question: "How many people read the imprint?",
    at,
    // Not among the first ten: the answer says that rows are missing, so ask for all of them.
    calls: async (ask) => {
      const args = { site: "example.com", dimension: "pages", days: 7 };
      const first = await ask("get_breakdown", args);
      return { first, all: first.truncated ? await ask("get_breakdown", { ...args, limit: 1000 }) : first };
    },
    read: ({ first, all }) => ({
      seen: first.rows.some((row) => row.value === "/imprint"),
      shown: first.rows.length,
      visitors: findRow(all, "/imprint").visitors,
    }),
    expect: (count) => ({
      seen: false,
      shown: 10,
      visitors: count("example.com").row("last 7 days", "pages", "/imprint").visitors,
    }),
  }),
  question({
    question: "Which pages of the parked domain do people read?",
    at,
    calls: [{ tool: "get_breakdown", args: { site: "parked.example", dimension: "pages", days: 7 } }],
    // No note about rows or names that are not there.
    read: ([pages]) => [pages.rows.length, ...pages.receipt.notes.map((note) => note.split(/[.,:]/)[0])],
    expect: () => [0, "parked"],
  }),
  question({
    question: "Does anybody still go to the old pricing page?",
    at,
    calls: [
      { tool: "get_breakdown", args: { site: "example.com", dimension: "pages", days: 14, limit: 1000 } },
    ],
    read: ([pages]) => ["/pricing", "/plans"].map((path) => findRow(pages, path).visitors),
    expect: (count) => [0, count("example.com").row("last 14 days", "pages", "/plans").visitors],
  }),
];
