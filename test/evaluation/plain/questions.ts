import type { Span } from "../spans.ts";
import type { SiteTruth, Truth } from "../truth.ts";
import { first, percentOf, rateVisits } from "../truth.ts";
import { counted, daysAgo } from "./log.ts";
import { type Found, type Place, row, total, whole } from "./reading.ts";

/** A number, and where it must stand. */
export type Fact = readonly [right: Found, at: Place];

interface Asked {
  tool: string;
  args: Record<string, unknown>;
}

/** A call that is answered, with the right numbers and what must be said beside them; or one that must be refused, and how. */
export type PlainCall = AnsweredCall | (Asked & { refused: readonly string[] });

export interface AnsweredCall extends Asked {
  facts: (count: Truth) => readonly Fact[];
  said?: readonly string[];
}

export interface PlainQuestion {
  by: "marketing" | "blog" | "shop" | "on call";
  on: "demo" | "log";
  question: string;
  calls: readonly PlainCall[];
  /** Written by somebody who had not read what the tools say of themselves. */
  untaught?: true;
}

const main = "example.com";
const shop = "shop.example.net";
const docs = "docs.example.com";
const WEEK = "2026-11-09 to 2026-11-15";

const change = (now: number, before: number) => percentOf(now - before, before);
const average = (numbers: readonly number[]) =>
  Math.round((10 * numbers.reduce((sum, each) => sum + each, 0)) / numbers.length) / 10;
const weekdayOf = (date: string) =>
  new Date(`${date}T12:00:00Z`).toLocaleDateString("en", { weekday: "long", timeZone: "UTC" });

/** The visits of some days that did these events, one after the other. */
function countInOrder(site: SiteTruth, dates: readonly string[], events: readonly string[]): number {
  return dates
    .flatMap((date) => site.visits(date))
    .filter(({ hits }) => {
      const done = [...hits].sort((a, b) => a.at - b.at).map(({ event }) => event);
      let from = 0;
      return events.every((event) => {
        const at = done.indexOf(event, from);
        from = at + 1;
        return at >= 0;
      });
    }).length;
}

const demoQuestions: PlainQuestion[] = [
  {
    by: "marketing",
    on: "demo",
    question: "How many people did Reddit send us last week, and how many of those visits left at once?",
    calls: [
      {
        tool: "get_stats",
        args: { site: main, period: "last_week", filter: ["referrers=Reddit"] },
        facts: (count) => {
          const of = count(main).total(WEEK, ["referrers=reddit.com"]);
          return [
            [of.visitors, whole("visitors")],
            [rateVisits(of).bounce_rate, whole("bounce_rate")],
          ];
        },
        said: ["referrers=Reddit means referrers=reddit.com (Reddit)."],
      },
    ],
  },
  {
    by: "marketing",
    on: "demo",
    question: "Leave Google out: how many visitors are left of last week?",
    calls: [
      {
        tool: "get_stats",
        args: { site: main, period: "last_week", filter: ["referrers!=Google"] },
        facts: (count) => [[count(main).visitors(WEEK, ["referrers!=google.com"]), whole("visitors")]],
      },
    ],
  },
  {
    by: "marketing",
    on: "demo",
    question: "What did Paris bring in October?",
    calls: [
      {
        tool: "get_stats",
        args: { site: main, period: "october", filter: ["cities=paris"] },
        facts: (count) => {
          const of = count(main).total("last month", ["cities=2988507"]);
          return [
            [of.visitors, whole("visitors")],
            [of.pageviews, whole("pageviews")],
          ];
        },
      },
    ],
  },
  {
    by: "marketing",
    on: "demo",
    question: "How many visitors came through any campaign last month?",
    calls: [
      {
        tool: "get_stats",
        args: { site: main, period: "last_month", filter: ["utm_campaigns!=(none)"] },
        facts: (count) => [[count(main).visitors("last month", ["utm_campaigns!="]), whole("visitors")]],
      },
    ],
  },
  {
    by: "marketing",
    on: "demo",
    question: "Which channel's visitors sign up most often?",
    calls: [
      {
        tool: "get_conversions",
        args: { site: main, goal: "events=signup", by: "channels", period: "last_month", limit: 50 },
        facts: (count) => {
          const site = count(main);
          const converted = new Map(
            site.rows("last month", "channels", ["events=signup"]).map((each) => [each.value, each.visitors]),
          );
          return site.rows("last month", "channels").flatMap(({ value, visitors }): Fact[] => {
            const reached = converted.get(value) ?? 0;
            return [
              [reached, row(value ?? "", "converted")],
              [percentOf(reached, visitors), row(value ?? "", "conversion_rate")],
            ];
          });
        },
      },
    ],
  },
  {
    by: "marketing",
    on: "demo",
    question: "Are we doing better than in the same week a year ago?",
    calls: [
      {
        tool: "compare_periods",
        args: { site: main, period: "last_week", against: "year_before" },
        facts: (count) => {
          const site = count(main);
          const [now, before] = [site.visitors(WEEK), site.visitors("2025-11-10 to 2025-11-16")];
          return [
            [now, total("visitors", "current", "current.visitors")],
            [before, total("visitors", "previous", "previous.visitors")],
            [change(now, before), total("visitors", "percent", "change.visitors.percent")],
          ];
        },
        said: ["Compared with the same weekdays a year before."],
      },
    ],
  },
  {
    by: "marketing",
    on: "demo",
    question: "Thursday's mailing: was Thursday better than the Thursday before?",
    calls: [
      {
        tool: "compare_periods",
        args: { site: main, period: "thursday" },
        facts: (count) => {
          const site = count(main);
          const [now, before] = [site.visitors("2026-11-19"), site.visitors("2026-11-12")];
          return [
            [now, total("visitors", "current", "current.visitors")],
            [now - before, total("visitors", "change", "change.visitors.absolute")],
          ];
        },
        said: ["Compared with the same weekday a week before."],
      },
    ],
  },
  {
    by: "marketing",
    on: "demo",
    question: "Which of our sites gained most against last year's week?",
    calls: [
      {
        tool: "list_sites",
        args: { period: "last_week", against: "year_before" },
        facts: (count) =>
          [main, docs].flatMap((domain): Fact[] => {
            const [now, before] = [
              count(domain).visitors(WEEK),
              count(domain).visitors("2025-11-10 to 2025-11-16"),
            ];
            return [
              [now, row(domain, "visitors")],
              [before, row(domain, "visitors_before", "comparison.previous.visitors")],
              [change(now, before), row(domain, "visitors_percent", "comparison.visitors.percent")],
            ];
          }),
        said: ["Compared with the same weekdays a year before."],
      },
    ],
  },
  {
    by: "marketing",
    on: "demo",
    question: "And without a week in mind: how many visitors do we have these days?",
    calls: [
      {
        tool: "get_overview",
        args: { site: main },
        facts: (count) => {
          const site = count(main);
          const [now, before] = [
            site.visitors("last 28 complete days"),
            site.visitors("the 28 complete days before"),
          ];
          return [
            [now, total("visitors", "current", "visitors")],
            [before, total("visitors", "previous", "comparison.previous.visitors")],
            [change(now, before), total("visitors", "percent", "comparison.visitors.percent")],
            [site.visitors("today"), whole("today", "today.visitors")],
          ];
        },
      },
    ],
  },
  {
    by: "blog",
    on: "demo",
    question: "How many read the plans page last week, and how long did they stay on it?",
    calls: [
      {
        tool: "get_stats",
        args: { site: main, period: "last_week", filter: ["pages=/plans"] },
        facts: (count) => [
          [count(main).visitors(WEEK, ["pages=/plans"]), whole("visitors")],
          // What visits were like is not what the page was like.
          [undefined, whole("seconds_per_visit")],
          [undefined, whole("bounce_rate")],
        ],
        said: [
          "Bounce rate, views and seconds per visit are of whole visits, and this filter keeps single hits: ask with visit:pages=/plans, or entry_pages= for those that begin there.",
        ],
      },
      {
        tool: "get_breakdown",
        args: { site: main, dimension: "pages", metric: "time on page" },
        refused: ["Time on a page is not measured"],
      },
    ],
  },
  {
    by: "blog",
    on: "demo",
    question: "How do visits go that begin on the plans?",
    calls: [
      {
        tool: "get_stats",
        args: { site: main, period: "last_week", filter: ["entry_pages=/plans"] },
        facts: (count) => {
          const of = rateVisits(count(main).total(WEEK, ["entry_pages=/plans"]));
          return [
            [of.visits, whole("visits")],
            [of.bounce_rate, whole("bounce_rate")],
            [of.seconds_per_visit, whole("seconds_per_visit")],
          ];
        },
      },
    ],
  },
  {
    by: "blog",
    on: "demo",
    question: "Where do people go after the start page?",
    calls: [
      {
        tool: "get_breakdown",
        args: { site: main, dimension: "next_page" },
        refused: ["The order of pages is not recorded."],
      },
    ],
  },
  {
    by: "blog",
    on: "demo",
    question: "Which page of the docs lost most readers, this week against the one before?",
    calls: [
      {
        tool: "compare_periods",
        args: { site: docs, dimension: "pages", order: "losses", limit: 1 },
        facts: (count) => {
          const worst = first(
            count(docs).moves("the 7 complete days before", "last 7 complete days", "pages"),
          );
          const name = worst.value ?? "";
          return [[worst.visitors, row(name, "change", "change.absolute")]];
        },
      },
    ],
  },
  {
    by: "blog",
    on: "demo",
    question: "Which pages do the assistants send people to?",
    calls: [
      {
        tool: "get_breakdown",
        args: { site: docs, dimension: "pages", period: "last_week", filter: ["channels=AI assistants"] },
        facts: (count) =>
          count(docs)
            .rows(WEEK, "pages", ["channels=AI assistants"])
            .slice(0, 3)
            .map(({ value, visitors }): Fact => [visitors, row(value ?? "", "visitors")]),
      },
    ],
  },
  {
    by: "blog",
    on: "demo",
    question: "How often did ClaudeBot read the docs last week?",
    calls: [
      {
        tool: "get_crawlers",
        args: { site: docs, period: "last_week", limit: 50 },
        facts: (count) => {
          const bot = count(docs)
            .crawlers(WEEK)
            .find(({ value }) => value === "ClaudeBot");
          return [[bot?.requests ?? 0, row("ClaudeBot", "requests")]];
        },
      },
    ],
  },
  {
    by: "shop",
    on: "demo",
    question: "How many bought something last week, and what did they spend?",
    calls: [
      {
        tool: "get_breakdown",
        args: { site: shop, dimension: "events", period: "last_week" },
        facts: (count) => {
          const { visitors, hits } = count(shop).row(WEEK, "events", "purchase");
          return [
            [visitors, row("purchase", "visitors")],
            [hits, row("purchase", "events")],
          ];
        },
      },
      {
        tool: "get_stats",
        args: { site: shop, period: "last_week", metric: "revenue" },
        refused: ["Revenue is not recorded"],
      },
    ],
  },
  {
    by: "shop",
    on: "demo",
    question: "How many visits put something into the cart and then pay?",
    calls: [
      {
        tool: "get_conversions",
        args: { site: shop, steps: ["events=add_to_cart", "events=purchase"], period: "last_month" },
        facts: (count) => {
          const site = count(shop);
          const dates = site.days("last month").map(({ date }) => date);
          const [cart, paid] = [["add_to_cart"], ["add_to_cart", "purchase"]].map((events) =>
            countInOrder(site, dates, events),
          );
          return [
            [cart, row("events=add_to_cart", "visits")],
            [paid, row("events=purchase", "visits")],
          ];
        },
      },
    ],
  },
  {
    by: "shop",
    on: "demo",
    question: "On which day of the week should we send the mailing?",
    calls: [
      {
        tool: "get_timeseries",
        args: { site: shop, interval: "weekday", period: "last_28_days" },
        facts: (count) => {
          const days = count(shop).days("last 28 complete days");
          return ["Monday", "Saturday"].map((weekday): Fact => {
            const own = days.filter(({ date }) => weekdayOf(date) === weekday);
            return [average(own.map(({ visitors }) => visitors)), row(weekday, "visitors")];
          });
        },
      },
    ],
  },
  {
    by: "shop",
    on: "demo",
    question: "At what hour are most people in the shop?",
    calls: [
      {
        tool: "get_timeseries",
        args: { site: shop, interval: "hour_of_day", period: "last_week" },
        facts: (count) => {
          const hours = count(shop).hours(WEEK);
          return [3, 20].map((hour): Fact => {
            // Tokyo is nine hours ahead of UTC all year.
            const own = hours.filter(({ start }) => new Date(start + 9 * 3_600_000).getUTCHours() === hour);
            return [
              average(own.map(({ pageviews }) => pageviews)),
              row(`${String(hour).padStart(2, "0")}:00`, "pageviews", "pageviews", hour),
            ];
          });
        },
      },
    ],
  },
  {
    by: "shop",
    on: "demo",
    question: "How many customers came back?",
    calls: [
      {
        tool: "get_breakdown",
        args: { site: shop, dimension: "returning_customers" },
        refused: ["New and returning visitors are not told apart"],
      },
    ],
  },
  {
    by: "shop",
    on: "demo",
    question: "What share of last weekend's shoppers was on a phone?",
    calls: [
      {
        tool: "get_breakdown",
        args: { site: shop, dimension: "devices", period: "last_weekend" },
        facts: (count) => {
          const site = count(shop);
          const span = "2026-11-14 to 2026-11-15";
          return [
            [site.row(span, "devices", "mobile").visitors, row("mobile", "visitors")],
            [site.share(span, "devices", "mobile"), row("mobile", "percentage")],
          ];
        },
      },
    ],
  },
  {
    by: "shop",
    on: "demo",
    question: "What will December bring?",
    calls: [
      { tool: "get_timeseries", args: { site: shop, forecast: 31 }, refused: ["There are no forecasts."] },
    ],
  },
];

const blog = "blog.example";
const yesterday = daysAgo(1);
const weekBefore = daysAgo(12, 6);

const logQuestions: PlainQuestion[] = [
  {
    by: "on call",
    on: "log",
    question: "When did it begin yesterday?",
    calls: [
      {
        tool: "get_timeseries",
        args: { site: blog, interval: "hour", period: "yesterday" },
        facts: () =>
          [13, 14].map((hour): Fact => {
            const views = counted.views(yesterday, ({ at }) => counted.hour(at) === hour);
            const [date = ""] = yesterday;
            return [
              views,
              row(`${date} ${hour}:00`, "pageviews", "pageviews", `${date}T${hour}:00:00+00:00`),
            ];
          }),
      },
    ],
  },
  {
    by: "on call",
    on: "log",
    question: "How often did the server fail yesterday, and on which page?",
    calls: [
      {
        tool: "get_not_found",
        args: { site: blog, status: "5xx", period: "yesterday" },
        facts: () => [
          [
            counted.requests(yesterday, ({ status, path }) => status === 503 && path === "/posts/fast"),
            row("/posts/fast", "requests"),
          ],
        ],
      },
    ],
  },
  {
    by: "on call",
    on: "log",
    question: "Who sent all these people?",
    calls: [
      {
        tool: "get_breakdown",
        args: { site: blog, dimension: "referrers", period: "yesterday" },
        facts: () => [
          [
            counted.from(yesterday, "news.ycombinator.com"),
            row("Hacker News", "visitors", "visitors", "news.ycombinator.com"),
          ],
        ],
      },
      {
        tool: "get_stats",
        args: { site: blog, period: "yesterday", filter: ["referrers=hacker news"] },
        facts: () => [[counted.from(yesterday, "news.ycombinator.com"), whole("visitors")]],
      },
    ],
  },
  {
    by: "on call",
    on: "log",
    question: "Was yesterday unusual for a Friday?",
    calls: [
      {
        tool: "compare_periods",
        args: { site: blog, period: "yesterday", against: daysAgo(8)[0] },
        facts: () => [
          [counted.visitors(yesterday), total("visitors", "current", "current.visitors")],
          [counted.visitors(daysAgo(8)), total("visitors", "previous", "previous.visitors")],
        ],
        said: ["Compared with the same weekday a week before."],
      },
    ],
  },
  {
    by: "on call",
    on: "log",
    question: "Compared with the day before?",
    calls: [
      {
        tool: "compare_periods",
        args: { site: blog, period: "yesterday" },
        facts: () => [[counted.visitors(daysAgo(2)), total("visitors", "previous", "previous.visitors")]],
        said: ["Friday is compared with Thursday."],
      },
    ],
  },
  {
    by: "on call",
    on: "log",
    question: "Is anybody there right now, and what do they look at?",
    calls: [
      {
        tool: "get_realtime",
        args: { site: blog },
        facts: () => [[counted.active(), whole("visitors")]],
      },
      {
        tool: "get_realtime",
        args: { site: blog, dimension: "pages" },
        refused: ["What active visitors look at is not listed"],
      },
    ],
  },
  {
    by: "on call",
    on: "log",
    question: "How many so far today?",
    calls: [
      {
        tool: "get_stats",
        args: { site: blog, days: 1 },
        facts: () => [
          [counted.visitors(daysAgo(0)), whole("visitors")],
          [counted.views(daysAgo(0)), whole("pageviews")],
        ],
        said: ["Today, Saturday, is incomplete (data to 04:05)."],
      },
    ],
  },
  {
    by: "blog",
    on: "log",
    question: "How many read the blog in the last seven days, without today?",
    calls: [
      {
        tool: "get_stats",
        args: { site: blog, period: "last_7_days" },
        facts: () => {
          const visits = counted.visits(daysAgo(7, 1));
          const bounces = visits.filter(({ length }) => length === 1).length;
          return [
            [counted.visitors(daysAgo(7, 1)), whole("visitors")],
            [visits.length, whole("visits")],
            [percentOf(bounces, visits.length), whole("bounce_rate")],
          ];
        },
      },
    ],
  },
  {
    by: "blog",
    on: "log",
    question: "And with today?",
    calls: [
      {
        tool: "get_stats",
        args: { site: blog, days: 7 },
        facts: () => [[counted.visitors(daysAgo(6, 0)), whole("visitors")]],
      },
    ],
  },
  {
    by: "blog",
    on: "log",
    question: "How many readers does the blog have?",
    calls: [
      {
        tool: "get_stats",
        args: { site: blog },
        // Whole weeks, so that each weekday counts as often.
        facts: () => [[counted.visitors(daysAgo(27, 0)), whole("visitors")]],
      },
    ],
  },
  {
    by: "blog",
    on: "log",
    question: "Which article was read most last week?",
    calls: [
      {
        tool: "get_breakdown",
        args: { site: blog, dimension: "pages", period: "last_week" },
        facts: () =>
          ["/posts/fast", "/posts/slow", "/about"].map((path): Fact => {
            const visitors = counted.visitors(weekBefore, (request) => request.path === path);
            return [visitors, row(path, "visitors")];
          }),
      },
    ],
  },
  {
    by: "blog",
    on: "log",
    question: "Which articles does nobody read?",
    calls: [
      {
        tool: "get_breakdown",
        args: { site: blog, dimension: "unread_pages" },
        refused: ["Only what somebody viewed is listed"],
      },
    ],
  },
  {
    by: "blog",
    on: "log",
    question: "Which dead link on our own pages should I mend?",
    calls: [
      {
        tool: "get_not_found",
        args: { site: blog, period: "last_week" },
        facts: () => [
          [counted.requests(weekBefore, ({ status }) => status === 404), row("/old-post", "requests")],
        ],
      },
    ],
  },
  {
    by: "blog",
    on: "log",
    question: "How often does OpenAI's bot come?",
    calls: [
      {
        tool: "get_crawlers",
        args: { site: blog, period: "last_28_days" },
        facts: () => [[counted.requests(daysAgo(28, 1), counted.bot), row("GPTBot", "requests")]],
      },
    ],
  },
];

// As somebody asks who knows the names of the tools alone: the first call is a guess, the next follows what the refusal says.
const untaughtQuestions: PlainQuestion[] = [
  {
    by: "marketing",
    on: "demo",
    question: "How many visitors did Google bring us last month?",
    untaught: true,
    calls: [
      {
        tool: "get_stats",
        args: { site: main, period: "last month", source: "google" },
        refused: ['Use filter: ["referrers=google"].'],
      },
      {
        tool: "get_stats",
        args: { site: main, period: "last month", filter: ["referrers=google"] },
        facts: (count) => [[count(main).visitors("last month", ["referrers=google.com"]), whole("visitors")]],
        said: ["referrers=google means referrers=google.com (Google)."],
      },
    ],
  },
  {
    by: "marketing",
    on: "demo",
    question: "Do Germans who land on the plans leave at once?",
    untaught: true,
    calls: [
      {
        tool: "get_stats",
        args: { site: main, period: "30d", country: "Germany", entry_page: "/plans" },
        refused: ['Use filter: ["countries=Germany"].'],
      },
      {
        tool: "get_stats",
        args: { site: main, period: "30d", filter: ["countries=Germany", "entry_page=/plans"] },
        facts: (count) => {
          const conditions = ["countries=DE", "entry_pages=/plans"];
          const of = rateVisits(count(main).total("2026-10-22 to 2026-11-20", conditions));
          return [
            [of.visits, whole("visits")],
            [of.bounce_rate, whole("bounce_rate")],
          ];
        },
      },
    ],
  },
  {
    by: "marketing",
    on: "demo",
    question: "Did we have more visitors on phones last week than the week before?",
    untaught: true,
    calls: [
      {
        tool: "compare_periods",
        args: { site: main, period: "last week", device: "phone" },
        refused: ["Use filter: ["],
      },
      {
        tool: "compare_periods",
        args: { site: main, period: "last week", filter: ["devices=phone"] },
        refused: ["it can be desktop, mobile, tablet"],
      },
      {
        tool: "compare_periods",
        args: { site: main, period: "last week", filter: ["devices=mobile"] },
        facts: (count) => {
          const countPhones = (span: Span) => count(main).visitors(span, ["devices=mobile"]);
          const [now, before] = [countPhones(WEEK), countPhones("2026-11-02 to 2026-11-08")];
          return [
            [now, total("visitors", "current", "current.visitors")],
            [before, total("visitors", "previous", "previous.visitors")],
            [change(now, before), total("visitors", "percent", "change.visitors.percent")],
          ];
        },
      },
    ],
  },
  {
    by: "shop",
    on: "demo",
    question: "Do people on phones buy less than those at a computer?",
    untaught: true,
    calls: [
      {
        tool: "get_conversions",
        args: { site: shop, goal: "purchase", breakdown: "device", period: "last month" },
        refused: ["Use by, such as by=channels."],
      },
      {
        tool: "get_conversions",
        args: { site: shop, goal: "purchase", by: "device", period: "last month" },
        refused: ["such as events=signup or pages=/thanks*"],
      },
      {
        tool: "get_conversions",
        args: { site: shop, goal: "events=purchase", by: "device", period: "last month" },
        facts: (count) =>
          ["mobile", "desktop"].flatMap((device): Fact[] => {
            const [all, bought] = [[], ["events=purchase"]].map(
              (conditions) => count(shop).row("last month", "devices", device, conditions).visitors,
            ) as [number, number];
            return [
              [bought, row(device, "converted")],
              [percentOf(bought, all), row(device, "conversion_rate")],
            ];
          }),
      },
    ],
  },
  {
    by: "shop",
    on: "demo",
    question: "How many bought something on each of the last three days?",
    untaught: true,
    calls: [
      {
        tool: "get_timeseries",
        args: { site: shop, period: "last 3 days", event: "purchase" },
        refused: ['Use filter: ["events=purchase"].'],
      },
      {
        tool: "get_timeseries",
        args: { site: shop, period: "last 3 days", filter: ["events=purchase"] },
        // A day without a purchase is 0, not left out.
        facts: (count) =>
          count(shop)
            .days("2026-11-18 to 2026-11-20", ["events=purchase"])
            .map(({ date, visitors }): Fact => {
              const at = `${date} ${weekdayOf(date).slice(0, 3)}`;
              return [visitors, row(at, "visitors", "visitors", date)];
            }),
      },
    ],
  },
  {
    by: "on call",
    on: "demo",
    question: "Is today any different from yesterday at this time?",
    untaught: true,
    calls: [
      {
        tool: "compare_periods",
        args: { site: main, period: "today", against: "yesterday" },
        refused: ["period today has no complete day yet"],
      },
      {
        tool: "get_overview",
        args: { site: main },
        facts: (count) => {
          // Whole hours: it is past five in Berlin.
          const countViews = (day: Span) =>
            count(main)
              .hours(day)
              .slice(0, 5)
              .reduce((sum, { pageviews }) => sum + pageviews, 0);
          return [
            [countViews("today"), whole("pageviews_until_then", "today.hours.pageviews_until_then")],
            [countViews("yesterday"), whole("yesterday_until_then", "today.hours.yesterday_until_then")],
          ];
        },
      },
    ],
  },
  {
    by: "on call",
    on: "log",
    question: "Was yesterday's rush one browser, such as a script?",
    untaught: true,
    calls: [
      {
        tool: "get_breakdown",
        args: { site: blog, dimension: "user_agent", period: "yesterday" },
        refused: ["dimension must be one of pages,", "browsers"],
      },
      {
        tool: "get_breakdown",
        args: { site: blog, dimension: "browsers", period: "yesterday" },
        facts: () =>
          ["Firefox", "Chrome"].map((browser): Fact => {
            const visitors = counted.visitors(yesterday, ({ agent }) => agent.includes(`${browser}/`));
            return [visitors, row(browser, "visitors")];
          }),
      },
    ],
  },
  {
    by: "blog",
    on: "log",
    question: "How many have read the fast post since Monday?",
    untaught: true,
    calls: [
      {
        tool: "get_stats",
        args: { site: blog, from: "monday", page: "/posts/fast" },
        refused: ["Use period, such as 2026-11-01/2026-11-15.", 'Use filter: ["pages=/posts/fast"].'],
      },
      {
        tool: "get_stats",
        args: { site: blog, period: "2026-11-16/2026-11-21", filter: ["pages=/posts/fast"] },
        facts: () => {
          const isFast = ({ path }: { path: string }) => path === "/posts/fast";
          return [
            [counted.visitors(daysAgo(5, 0), isFast), whole("visitors")],
            [counted.views(daysAgo(5, 0), isFast), whole("pageviews")],
          ];
        },
        said: ["Today, Saturday, is incomplete (data to 04:05)."],
      },
    ],
  },
  {
    by: "blog",
    on: "log",
    question: "Did the blog grow from September to October?",
    untaught: true,
    calls: [
      {
        tool: "compare_periods",
        args: { site: blog, period: "october", against: "september" },
        facts: () => {
          const [now, before] = [counted.visitors(daysAgo(51, 21)), counted.visitors(daysAgo(70, 52))];
          const perDay = (visitors: number, days: number) => Math.round((10 * visitors) / days) / 10;
          return [
            [now, total("visitors", "current", "current.visitors")],
            [before, total("visitors", "previous", "previous.visitors")],
            [null, total("visitors", "percent", "change.visitors.percent")],
            [perDay(now, 31), total("visitors a day", "current", "per_day.visitors.current")],
            [perDay(before, 19), total("visitors a day", "previous", "per_day.visitors.previous")],
          ];
        },
        said: [
          "The site's data begins on 2026-09-12, perhaps in the middle of the day. The earlier period has data on 19 of its 30 days: changes are of averages per day with data, without a percentage.",
        ],
      },
    ],
  },
];

export const plainQuestions: readonly PlainQuestion[] = [
  ...demoQuestions,
  ...logQuestions,
  ...untaughtQuestions,
];
