import { type Question, question } from "../question.ts";
import { completeDays, nameOf, noteOn } from "../reading.ts";
import { first, percentOf, rateVisits } from "../truth.ts";

const at = "a Saturday morning";

/** Complete days compared with complete days, and what changed most. */
export const comparisons: Question[] = [
  question({
    question: "Did traffic go up or down over the last seven days?",
    at,
    calls: [{ tool: "compare_periods", args: { site: "docs.example.com", days: 7 } }],
    read: ([{ current, previous, change }]) => [
      current.from,
      current.to,
      current.visitors,
      previous.from,
      previous.to,
      previous.visitors,
      change.visitors.absolute,
      change.visitors.percent,
      change.pageviews.absolute,
    ],
    expect: (count) => {
      const docs = count("docs.example.com");
      const [now, before] = [docs.total("last 7 complete days"), docs.total("the 7 complete days before")];
      const gained = now.visitors - before.visitors;
      return [
        ...docs.dates("last 7 complete days"),
        now.visitors,
        ...docs.dates("the 7 complete days before"),
        before.visitors,
        gained,
        percentOf(gained, before.visitors),
        now.pageviews - before.pageviews,
      ];
    },
  }),
  question({
    question: "Which page lost the most visitors in the last two weeks, and how many?",
    at,
    calls: [{ tool: "compare_periods", args: { site: "example.com", days: 14, dimension: "pages" } }],
    read: ([{ dimensions }]) => {
      const loss = dimensions[0]?.movers.find(({ change }) => (change?.absolute ?? 0) < 0);
      return [nameOf(loss), loss?.change?.absolute];
    },
    expect: (count) => {
      const [before, after] = ["the 14 complete days before", "last 14 complete days"] as const;
      const worst = first(count("example.com").moves(before, after, "pages"));
      return [worst.value, worst.visitors];
    },
    shell: true,
  }),
  question({
    question: "How much more did the pages move that are not shown?",
    at,
    calls: [{ tool: "compare_periods", args: { site: "example.com", days: 14, dimension: "pages" } }],
    read: ([{ dimensions, receipt }]) => [
      dimensions[0]?.more,
      receipt.notes.some((note) => note.startsWith(`pages: ${dimensions[0]?.more.count} more changed`)),
    ],
    expect: (count) => {
      const [before, after] = ["the 14 complete days before", "last 14 complete days"] as const;
      const steps = count("example.com")
        .moves(before, after, "pages")
        .map(({ visitors }) => Math.abs(visitors))
        .filter((step) => step > 0)
        .sort((a, b) => b - a);
      return [{ count: steps.length - 10, most: steps[10] ?? 0 }, true];
    },
  }),
  question({
    question: "Which page of the docs gained the most visitors yesterday, compared with the day before?",
    at,
    calls: [{ tool: "compare_periods", args: { site: "docs.example.com", days: 1, dimension: "pages" } }],
    read: ([{ dimensions }]) => {
      const gain = dimensions[0]?.movers.find(({ change }) => (change?.absolute ?? 0) > 0);
      return [nameOf(gain), gain?.current, gain?.change?.absolute];
    },
    expect: (count) => {
      const docs = count("docs.example.com");
      const best = first(docs.moves("the 1 complete days before", "yesterday", "pages").reverse());
      return [best.value, docs.row("yesterday", "pages", best.value).visitors, best.visitors];
    },
  }),
  question({
    question: "Which channel of the main site grew the most in the last thirty days?",
    at,
    calls: [{ tool: "compare_periods", args: { site: "example.com", days: 30, dimension: "channels" } }],
    read: ([{ dimensions }]) => {
      const gain = dimensions[0]?.movers.find(({ change }) => (change?.absolute ?? 0) > 0);
      return [nameOf(gain), gain?.change?.absolute];
    },
    expect: (count) => {
      const [before, after] = ["the 30 complete days before", "last 30 complete days"] as const;
      const best = first(count("example.com").moves(before, after, "channels").reverse());
      return [best.value, best.visitors];
    },
  }),
  question({
    question: "What changed, and where?",
    at,
    calls: [{ tool: "compare_periods", args: { site: "shop.example.net" } }],
    // One fact of each main dimension: what changed most, up or down.
    read: ([{ dimensions }]) =>
      dimensions.map(({ dimension, movers }) => [dimension, Math.abs(movers[0]?.change?.absolute ?? 0)]),
    expect: (count) =>
      (["pages", "referrers", "channels", "countries"] as const).map((dimension) => [
        dimension,
        Math.max(
          ...count("shop.example.net")
            .moves("the 7 complete days before", "last 7 complete days", dimension)
            .map(({ visitors }) => Math.abs(visitors)),
        ),
      ]),
  }),
  question({
    question: "Do more people come from AI assistants than a month ago?",
    at,
    calls: [{ tool: "compare_periods", args: { site: "docs.example.com", days: 30, dimension: "channels" } }],
    read: ([{ dimensions }]) => {
      const mover = dimensions[0]?.movers.find(({ value }) => value === "AI assistants");
      return [mover?.previous, mover?.current, mover?.change?.percent];
    },
    expect: (count) => {
      const docs = count("docs.example.com");
      const before = docs.row("the 30 complete days before", "channels", "AI assistants").visitors;
      const now = docs.row("last 30 complete days", "channels", "AI assistants").visitors;
      return [before, now, percentOf(now - before, before)];
    },
  }),
  question({
    question: "By how many percent did the new site grow over last week?",
    at: "a Monday morning",
    calls: [{ tool: "compare_periods", args: { site: "news.example.org", days: 7 } }],
    // It did not exist in the week before, so there is no percentage.
    read: ([comparison]) => ({
      before: comparison.previous.visitors,
      now: comparison.current.visitors,
      percent: comparison.change.visitors.percent,
      caveat: noteOn(comparison, /nothing to compare/) !== null,
    }),
    expect: (count) => ({
      before: null,
      now: count("news.example.org").visitors("last 7 complete days"),
      percent: null,
      caveat: true,
    }),
  }),
  question({
    question: "How did the new site do, compared with its first three days?",
    at,
    calls: [
      {
        tool: "compare_periods",
        args: { site: "news.example.org", period: "last_3_days", against: "2026-11-11/2026-11-13" },
        covers: ["last 3 complete days", "2026-11-11 to 2026-11-13"],
      },
    ],
    // Its first day need not be a whole one, so there is no percentage.
    read: (comparison) => {
      const [{ previous, change, comparable }] = comparison;
      const said = noteOn(comparison[0], /data begins on/);
      return [previous.from, change.visitors, comparable, said?.includes("no percentage")];
    },
    expect: (count) => {
      const news = count("news.example.org");
      const absolute = news.visitors("last 3 complete days") - news.visitors("2026-11-11 to 2026-11-13");
      return ["2026-11-11", { absolute, percent: null }, false, true];
    },
  }),
  question({
    question: "Which pages of the news site are new?",
    at: "a Monday morning",
    calls: [{ tool: "compare_periods", args: { site: "news.example.org", days: 7, dimension: "pages" } }],
    // All of them: it did not exist before, so nothing is compared.
    read: ([comparison]) => [
      comparison.dimensions[0]?.movers ?? null,
      noteOn(comparison, /nothing to compare/) !== null,
    ],
    expect: () => [[], true],
  }),
  question({
    question: "The news site changed since the day before yesterday: is that news?",
    at,
    calls: [{ tool: "compare_periods", args: { site: "news.example.org", days: 1 } }],
    read: ([comparison]) => ({
      yesterday: comparison.current.visitors,
      before: comparison.previous.visitors,
      caveat: noteOn(comparison, /due to chance/) !== null,
    }),
    expect: (count) => ({
      yesterday: count("news.example.org").visitors("yesterday"),
      before: count("news.example.org").visitors("the 1 complete days before"),
      caveat: true,
    }),
  }),
  question({
    question: "Wie geht es der Nachrichtenseite?",
    at,
    calls: [{ tool: "get_overview", args: { site: "news.example.org", days: 1 } }],
    read: ([overview]) => ({
      today: overview.today?.visitors,
      change: overview.comparison?.visitors.absolute,
      caveat: noteOn(overview, /due to chance/) !== null,
    }),
    expect: (count) => {
      const news = count("news.example.org");
      const change = news.visitors("yesterday") - news.visitors("the 1 complete days before");
      return { today: news.visitors("today"), change, caveat: true };
    },
  }),
  question({
    question: "And the parked domain: up or down?",
    at,
    calls: [{ tool: "compare_periods", args: { site: "parked.example", days: 7 } }],
    read: ([{ change, dimensions }]) => ({
      ...change.visitors,
      moved: dimensions.flatMap(({ movers }) => movers.length),
    }),
    expect: () => ({ absolute: null, percent: null, moved: [0, 0, 0, 0] }),
  }),
  question({
    question: "When did it drop last week?",
    at,
    calls: [{ tool: "get_timeseries", args: { site: "example.com", days: 29 } }],
    // Each complete day compared with the same weekday a week before.
    read: ([series]) => {
      const days = completeDays(series);
      const drops = days.slice(7).map(({ date, visitors }, index) => ({
        date,
        drop: (days[index]?.visitors ?? 0) - visitors,
      }));
      return drops.toSorted((a, b) => b.drop - a.drop).slice(0, 3);
    },
    expect: (count) => {
      const days = count("example.com").days("last 28 complete days");
      const drops = days.slice(7).map(({ date, visitors }, index) => ({
        date,
        drop: (days[index]?.visitors ?? 0) - visitors,
      }));
      return drops.toSorted((a, b) => b.drop - a.drop).slice(0, 3);
    },
  }),
  question({
    question: "How are the docs doing?",
    at,
    calls: [{ tool: "get_overview", args: { site: "docs.example.com", days: 7 } }],
    read: ([{ visitors, pageviews, events, active_now, comparison, top, ...answer }]) => ({
      visitors,
      pageviews,
      events,
      visits: answer.visits,
      bounce_rate: answer.bounce_rate,
      views_per_visit: answer.views_per_visit,
      seconds_per_visit: answer.seconds_per_visit,
      active_now,
      change: comparison?.visitors.absolute,
      top: top
        .filter(({ dimension }) => ["pages", "referrers", "countries"].includes(dimension))
        .map(({ rows }) => [nameOf(rows[0]), rows[0]?.visitors]),
    }),
    expect: (count) => {
      const docs = count("docs.example.com");
      const { visitors, pageviews, events, ...visits } = docs.total("last 7 complete days");
      return {
        visitors,
        pageviews,
        events,
        ...rateVisits({ pageviews, ...visits }),
        active_now: docs.active(),
        change: docs.visitors("last 7 complete days") - docs.visitors("the 7 complete days before"),
        top: [
          [
            docs.top("last 7 complete days", "pages").value,
            docs.top("last 7 complete days", "pages").visitors,
          ],
          ["(direct or none)", docs.row("last 7 complete days", "referrers", null).visitors],
          ["United States", docs.row("last 7 complete days", "countries", "US").visitors],
        ],
      };
    },
    shell: true,
  }),
  question({
    question: "Gib mir einen schnellen Überblick über den Shop.",
    at: "a Sunday evening",
    calls: [{ tool: "get_overview", args: { site: "shop.example.net", days: 14 } }],
    read: ([{ visitors, period, trend, comparison, top }]) => [
      visitors,
      trend.from,
      trend.visitors,
      period.to,
      comparison?.previous.visitors,
      top[0]?.rows[0]?.visitors,
    ],
    expect: (count) => {
      const shop = count("shop.example.net");
      return [
        shop.visitors("last 14 complete days"),
        "2026-11-09",
        shop.days("last 14 complete days").map((day) => day.visitors),
        "2026-11-22",
        shop.visitors("the 14 complete days before"),
        shop.top("last 14 complete days", "pages").visitors,
      ];
    },
  }),
];
