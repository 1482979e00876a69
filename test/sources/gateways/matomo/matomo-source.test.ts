import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { unpackDays } from "../../../../bench/services/sample-visits.ts";
import { AnalyticsError } from "../../../../src/errors.ts";
import { parseFilter } from "../../../../src/operations/filter.ts";
import { breakdown, realtime, sites, stats, timeseries } from "../../../../src/operations/index.ts";
import { findQuery } from "../../../../src/reports/queries.ts";
import type { DataSource, SourceSite } from "../../../../src/sources/data-source.ts";
import { openMatomo } from "../../../../src/sources/gateways/matomo/matomo-source.ts";
import { createLocalCall } from "../../../../src/sources/local-call.ts";
import { conformSource, readExceptions } from "../../../support/conform-source.ts";
import { compareAnswers } from "../../../support/matomo-checks.ts";
import {
  createMatomoContext,
  RECORDED_TOKENS,
  type RecordedAnswer,
  type ReplayedAnswer,
  startMatomoReplay,
} from "../../../support/matomo-replay.ts";

const readLines = (name: string): unknown[] =>
  readFileSync(new URL(`recorded/${name}`, import.meta.url), "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));

// What a real Matomo 4.12.3 answered, and the visits that had been sent to it: `node bench/run.js services/matomo --record`.
const [{ now }, ...answers] = readLines("answers.ndjson") as [{ now: number }, ...RecordedAnswer[]];
const days = unpackDays(readLines("visits.ndjson"));
const [FROM, TO] = ["2026-10-24", "2026-10-27"] as const;
const SPAN = { site: "example.com", days: 30, span: { from: FROM, to: TO } };

let replay: Awaited<ReturnType<typeof startMatomoReplay>>;
let source: DataSource;
let site: SourceSite;

beforeAll(async () => {
  replay = await startMatomoReplay(answers);
  source = openMatomo(createMatomoContext(replay.url, now));
  const found = (await source.sites()).find(({ domain }) => domain === "example.com");
  if (found === undefined) throw new Error("There is no example.com.");
  site = found;
});

afterAll(async () => {
  await replay.close();
});

/** Calls a Matomo that gives some other answers. */
async function callChanged(
  change: (method: string, name: string) => ReplayedAnswer | "silence" | undefined,
  run: (call: ReturnType<typeof createLocalCall>, asked: typeof replay.asked) => Promise<void>,
  apiKey: string = RECORDED_TOKENS.viewer,
) {
  const changed = await startMatomoReplay(answers, change);
  try {
    const context = createMatomoContext(changed.url, now, apiKey);
    await run(
      createLocalCall(
        async () => openMatomo(context),
        () => now,
      ),
      changed.asked,
    );
  } finally {
    await changed.close();
  }
}

const LOG = "Live.getLastVisitsDetails";

const call = createLocalCall(
  async () => source,
  () => now,
);
const ask = ({ span, ...params }: typeof SPAN, rest: { filter?: string[] } = {}, asked = call) =>
  asked(stats, params, { span, ...(rest.filter && { filter: parseFilter(rest.filter) }) });

describe("what a real Matomo answered", () => {
  it("is what had been sent to it", async () => {
    for (const { name, said, known } of await compareAnswers(source, site, days, now))
      expect([name, said]).toEqual([name, known]);
  });

  it("has the sites, with the ids and timezones that Matomo has", async () => {
    const { sites: listed } = await call(sites, {});
    expect(listed).toMatchObject([
      { id: "1", domain: "example.com", timezone: "Europe/Berlin", data_since: "2026-10-22" },
      // Matomo's UTC+2.
      { id: "2", domain: "shop.example.net", timezone: "Etc/GMT-2" },
    ]);
  });

  it("has all sites and all addresses of one, however many there are", async () => {
    const list = Array.from({ length: 304 }, (_, index) => ({
      idsite: index + 1,
      name: `Site ${index}`,
      main_url: `https://s${index}.example`,
      ts_created: "2026-01-01 00:00:00",
      timezone: "UTC",
    }));
    const addresses = Array.from({ length: 150 }, (_, index) => `https://h${index}.example`);
    const change = (method: string) => {
      if (method === "SitesManager.getSitesWithAtLeastViewAccess") return { body: list };
      return method === "SitesManager.getSiteUrlsFromId" ? { body: addresses } : undefined;
    };
    await callChanged(change, async (changed, asked) => {
      expect((await changed(sites, {})).sites).toHaveLength(304);
      // Not recorded, as no other of these sites is.
      const params = { ...SPAN, site: "s250.example" };
      await expect(ask(params, { filter: ["visit:pages=/"] }, changed)).rejects.toThrow("status 418");
      expect(asked.map(({ name }) => name).join("\n")).toContain("h149.example");
    });
  });

  it("was asked with the token in the form alone", () => {
    expect(replay.asked.length).toBeGreaterThan(30);
    expect(new Set(replay.asked.map(({ url }) => url))).toEqual(new Set(["/index.php"]));
    expect(replay.asked.filter(({ authorization }) => authorization !== undefined)).toEqual([]);
  });

  it("was never asked two things at once", async () => {
    let [open, most] = [0, 0];
    const { fetch, ...target } = createMatomoContext(replay.url, now).target;
    const counting: typeof fetch = async (url, init) => {
      most = Math.max(most, ++open);
      return fetch(url, init).finally(() => open--);
    };
    const context = { ...createMatomoContext(replay.url, now), target: { ...target, fetch: counting } };
    const counted = createLocalCall(
      async () => openMatomo(context),
      () => now,
    );
    await Promise.all(
      ["countries=DE", "utm_sources=google"].map((filter) => ask(SPAN, { filter: [filter] }, counted)),
    );
    expect(most).toBe(1);
  });

  it("has who is there now", async () => {
    expect(await call(realtime, { site: "example.com" })).toMatchObject({ visitors: 1 });
  });

  it("makes a day of 25 hours one day", async () => {
    const { points } = await call(
      timeseries,
      { site: "example.com", days: 30 },
      { span: { from: FROM, to: TO } },
    );
    expect(points.map((point) => "date" in point && point.date)).toEqual(days.map(({ date }) => date));
  });

  it("counts those who reach a goal, though Matomo chooses whole visits", async () => {
    const query = findQuery("conversions");
    const params = query.params.parse({
      site: "example.com",
      period: `${FROM}/${TO}`,
      goal: "events=signup",
    });
    const { result } = await query.ask(call, params, {});
    const reached = days.map(
      ({ visits }) =>
        new Set(
          visits
            .filter(({ hits }) => hits.some(({ event }) => event === "signup"))
            .map(({ visitor }) => visitor),
        ),
    );
    const converted = reached.reduce((sum, { size }) => sum + size, 0);
    expect(converted).toBeGreaterThan(3);
    expect(result).toMatchObject({ goal: "events=signup", converted });
    expect(result).not.toHaveProperty("warnings");
  });
});

it("keeps the contract behind `reference`, but for what Matomo means otherwise", async () => {
  const clock = { now };
  const context = createMatomoContext(replay.url, now);
  const { rules } = await conformSource(openMatomo({ ...context, clock: () => clock.now }), clock);
  const broken = rules.filter(({ verdict }) => verdict === "fail").map(({ id }) => id);
  expect(broken.length).toBeGreaterThan(0);
  expect(broken.sort()).toEqual(readExceptions("Matomo").sort());
});

describe("what Matomo means otherwise", () => {
  const askRows = (
    dimension: "countries" | "pages" | "exit_pages" | "channels" | "referrers" | "events",
    name = "example.com",
    asked = call,
  ) => asked(breakdown, { site: name, dimension, limit: 10, days: 30 }, { span: { from: FROM, to: TO } });

  it("is named: actions for page views", async () => {
    const { warnings = [] } = await askRows("countries");
    expect(warnings.map(({ detail }) => detail)).toEqual([
      expect.stringMatching(/^The page views of these rows are Matomo's actions: of all \d+, 19 are events/),
    ]);
  });

  it("is not mentioned where nothing differs", async () => {
    expect((await askRows("events")).warnings).toBeUndefined();
    const change = (method: string) => (method === LOG ? { body: [] } : undefined);
    await callChanged(change, async (changed) => {
      expect((await askRows("pages", "example.com", changed)).warnings).toBeUndefined();
    });
  });

  it("is named: a page on several hosts, which no row shows with more visitors than there are", async () => {
    const { totals, warnings = [] } = await askRows("pages");
    expect(warnings.map(({ detail }) => detail)).toEqual([expect.stringContaining("on several hosts")]);
    const change = (method: string) => {
      if (method === LOG) return { body: [] };
      const url = "https://example.com/a";
      const row = { label: "/a", url, nb_hits: 300, sum_daily_nb_uniq_visitors: 2 * (totals?.visitors ?? 0) };
      return method === "Actions.getPageUrls" ? { body: [row] } : undefined;
    };
    await callChanged(change, async (changed) => {
      expect(await askRows("pages", "example.com", changed)).toMatchObject({
        rows: [{ value: "/a", visitors: totals?.visitors, percentage: 100 }],
        warnings: [{ code: "near", detail: expect.stringContaining("on several hosts") }],
      });
    });
  });

  it.each(["exit_pages", "channels", "referrers"] as const)("is named: %s", async (dimension) => {
    const { warnings = [] } = await askRows(dimension);
    expect(warnings.map(({ detail }) => detail)).toMatchSnapshot();
  });

  it("is named: rows that Matomo did not keep", async () => {
    const { rows, totals, warnings = [] } = await askRows("pages", "shop.example.net");
    const other = rows.filter((row) => row.other);
    expect(other).toHaveLength(1);
    expect(other[0]?.visitors).toBeLessThanOrEqual(totals?.visitors ?? 0);
    expect(warnings.map(({ code }) => code)).toEqual(["folded"]);
    const referrers = await askRows("referrers", "shop.example.net");
    expect(referrers.rows.filter((row) => row.other)).toHaveLength(1);
    expect(referrers.warnings?.map(({ code }) => code)).toEqual(["near_pageviews", "near", "folded"]);
  });

  it("is named in an overview, of what it shows", async () => {
    const query = findQuery("overview");
    const params = query.params.parse({ site: "example.com", period: `${FROM}/${TO}` });
    const recorded = new Set(answers.map(({ request }) => request));
    // It also asks for today and for the days before, which had no visits.
    const change = (_: string, name: string) =>
      name.includes("period=day") && !recorded.has(name) ? { body: {} } : undefined;
    await callChanged(change, async (changed) => {
      const { result } = await query.ask(changed, params, {});
      expect(Object(result).warnings).toMatchObject([
        { code: "near", detail: expect.stringMatching(/^Pages of this site are on several hosts/) },
        { code: "near", detail: expect.stringMatching(/^Search engines/) },
        { code: "near", detail: expect.stringMatching(/^Channels/) },
      ]);
    });
  });

  it("is named: pages on other hosts", async () => {
    const { warnings = [] } = await ask(SPAN, { filter: ["visit:pages=/plans"] });
    expect(warnings.map(({ detail }) => detail)).toEqual([
      expect.stringContaining("looks at example.com alone"),
    ]);
  });

  it("is named: another major version", async () => {
    const change = (method: string) =>
      method === "API.getMatomoVersion" ? { body: { value: "6.0.1" } } : undefined;
    await callChanged(change, async (changed) => {
      const { warnings = [] } = await ask(SPAN, {}, changed);
      expect(warnings.map(({ detail }) => detail)).toEqual([expect.stringContaining("Matomo 6.0.1")]);
    });
  });
});

describe("reports that Matomo has not counted", () => {
  const FILTER = { filter: ["countries=FI"] };
  const VISIT = [{ serverTimestamp: Math.floor(now / 1000) - 86_400 }];
  const CLOSED = { result: "error", message: "Visits log is deactivated." };
  /** Answers with zeros whatever has a segment, as with browser_archiving_disabled_enforce, and something of the log. */
  const uncounted = (log: unknown) => (method: string, name: string) => {
    if (method === LOG) return { body: log };
    return name.includes("segment=") ? { body: {} } : undefined;
  };

  it("are no zeros of a filter", async () => {
    await callChanged(uncounted(VISIT), async (changed) => {
      await expect(ask(SPAN, FILTER, changed)).rejects.toMatchObject({
        code: "unavailable",
        message: expect.stringContaining("answers 0 for this filter, but its log has visits"),
        hint: expect.stringContaining("browser_archiving_disabled_enforce"),
      });
    });
    await callChanged(uncounted(CLOSED), async (changed) => {
      await expect(ask(SPAN, FILTER, changed)).rejects.toMatchObject({
        message: expect.stringContaining("its log of visits, which could confirm that, is closed"),
      });
    });
    await callChanged(uncounted([]), async (changed, asked) => {
      expect(await ask(SPAN, FILTER, changed)).toMatchObject({
        visitors: 0,
        warnings: [{ code: "no_such_value" }],
      });
      expect(asked.filter(({ name }) => name.includes(LOG)).length).toBeLessThanOrEqual(1);
    });
  });

  it("are no conversion rate of 0", async () => {
    const query = findQuery("conversions");
    const given = { site: "example.com", period: `${FROM}/${TO}`, goal: "events=signup" };
    await callChanged(uncounted(VISIT), async (changed) => {
      const refused = query.ask(changed, query.params.parse(given), {});
      await expect(refused).rejects.toMatchObject({ code: "unavailable" });
    });
  });

  it.each(["2026-10-25", TO])("are no zeros of a day: %s", async (date) => {
    const empty = { nb_uniq_visitors: 0, nb_visits: 0, nb_actions: 0, bounce_count: 0, sum_visit_length: 0 };
    const change = (method: string, name: string) => {
      if (method === LOG) return { body: VISIT };
      const days = ["VisitsSummary.get", "Actions.get", "Events.getCategory"].includes(method);
      const known = days ? answers.find(({ request }) => request === name)?.body : undefined;
      if (known === undefined) return undefined;
      return { body: { ...known, [date]: method === "VisitsSummary.get" ? empty : [] } };
    };
    await callChanged(change, async (changed) => {
      expect((await ask(SPAN, {}, changed)).warnings).toMatchObject([
        {
          code: "gap",
          detail: expect.stringContaining(`has not counted ${date}, though its log has visits`),
          values: { days: 1, from: date, to: date },
        },
      ]);
      const series = { site: "example.com", days: 30 };
      const { points } = await changed(timeseries, series, { span: SPAN.span });
      const missing = points.flatMap((point) => ("date" in point && point.missing ? point.date : []));
      expect(missing).toEqual([date]);
    });
  });
});

describe("what Matomo cannot answer is refused by name", () => {
  it.each([
    ["pages=/plans", "write visit:pages=/plans"],
    ["events=signup", "write visit:events=signup"],
    ["pages!=/plans", "cannot choose the visits in which a page was not viewed"],
    ["pages=*plans", "finds a page by its path"],
    ["visit:pages!=/plans", "cannot choose the visits in which a page was not viewed"],
    ["visit:pages=*plans", "finds a page by its path"],
    ["operating_systems=Windows", "cannot choose visits by operating_systems"],
    ["cities=Berlin", "cannot choose visits by cities"],
    ["regions=DE-BE|FR-IDF", "only one region at once"],
    ["channels=Organic Search", "it can be Direct Entry, Search Engines"],
    ["devices=phone", 'has no value "phone" in devices'],
    ["countries=Germany", "the nearest is DE"],
    ["utm_sources=goo*", "by whole values"],
    ["hostnames=example.com", "hostnames, which this source does not record"],
  ])("%s", async (filter, reason) => {
    const refused = ask(SPAN, { filter: [filter] });
    await expect(refused).rejects.toMatchObject({
      code: "invalid_parameter",
      message: expect.stringContaining(reason),
    });
  });

  it("two conditions of visits' hits", async () => {
    const refused = ask(SPAN, { filter: ["visit:pages=/plans", "visit:events=signup"] });
    await expect(refused).rejects.toMatchObject({
      message: expect.stringContaining("only one can be given"),
    });
  });

  it("hours, and hostnames", async () => {
    const hours = call(timeseries, { site: "example.com", days: 1, interval: "hour" } as never);
    await expect(hours).rejects.toMatchObject({ message: expect.stringContaining("only has days") });
    const hosts = call(breakdown, { site: "example.com", dimension: "hostnames", limit: 10, days: 30 });
    await expect(hosts).rejects.toMatchObject({
      message: expect.stringContaining("it has pages, entry_pages"),
    });
  });

  it("a goal of what only hits have", async () => {
    const query = findQuery("conversions");
    const given = {
      site: "example.com",
      period: `${FROM}/${TO}`,
      goal: "pages=/plans",
      filter: ["visit:events=signup"],
    };
    const refused = query.ask(call, query.params.parse(given), { filter: parseFilter(given.filter) });
    await expect(refused).rejects.toMatchObject({
      message: expect.stringMatching(/^goal .*only one can be given/),
    });
  });

  it("and nothing refused is proposed", async () => {
    const query = findQuery("breakdown");
    const propose = async (dimension: string) => {
      const given = { site: "example.com", period: `${FROM}/${TO}`, dimension };
      return (await query.ask(call, query.params.parse(given), {})).ofFirst;
    };
    expect(await propose("countries")).toMatchObject({ filter: ["countries=DE"] });
    expect(await propose("pages")).toBeUndefined();
  });

  it("campaigns' sources without the plugin that keeps them", async () => {
    const change = (method: string) =>
      method === "API.isPluginActivated" ? { body: { value: false } } : undefined;
    await callChanged(change, async (changed) => {
      const sources = changed(breakdown, {
        site: "example.com",
        dimension: "utm_sources",
        limit: 10,
        days: 30,
      });
      await expect(sources).rejects.toMatchObject({
        message: expect.stringContaining("channels, utm_campaigns, countries"),
      });
      await expect(ask(SPAN, { filter: ["utm_sources=google"] }, changed)).rejects.toMatchObject({
        code: "invalid_parameter",
      });
    });
  });
});

describe("faults", () => {
  const outage: [name: string, answer: ReplayedAnswer, code: string][] = [
    [
      "down for an update",
      {
        body: { result: "error", message: "Database Upgrade Required. Your Matomo database is out-of-date" },
      },
      "unavailable",
    ],
    [
      "in maintenance",
      { status: 503, type: "text/html", body: "<h1>Matomo is in scheduled maintenance</h1>" },
      "unavailable",
    ],
    ["a web page", { type: "text/html", body: "<!doctype html><title>Sign in</title>" }, "bad_answer"],
    ["half an answer", { body: '{"2026-10-24":{"nb_uniq' }, "bad_answer"],
    ["other columns", { body: { "2026-10-24": { visitors: 3 } } }, "bad_answer"],
    [
      "too many wrong tokens",
      {
        body: {
          result: "error",
          message: "You are currently not allowed to log in as you had too many failed logins",
        },
      },
      "rate_limited",
    ],
    [
      "too many requests",
      { status: 429, headers: { "retry-after": "0" }, body: { result: "error", message: "slow down" } },
      "rate_limited",
    ],
    [
      "an error of its own",
      { body: { result: "error", message: "Segment 'x' is not a supported segment." } },
      "bad_answer",
    ],
    ["an error of PHP", { status: 500, type: "text/html", body: "Fatal error" }, "internal_error"],
  ];
  it.each(outage)("%s", async (_, answer, code) => {
    await callChanged(
      (method) => (method === "VisitsSummary.get" ? answer : undefined),
      async (changed) => {
        const failed: unknown = await ask(SPAN, {}, changed).catch((error: unknown) => error);
        expect(failed).toBeInstanceOf(AnalyticsError);
        expect(failed).toMatchObject({ code });
        expect(JSON.stringify([failed, Object(failed).message, Object(failed).hint])).not.toContain(
          RECORDED_TOKENS.viewer,
        );
      },
    );
  });

  it("nobody there", async () => {
    const gone = await startMatomoReplay(answers);
    await gone.close();
    const changed = createLocalCall(
      async () => openMatomo(createMatomoContext(gone.url, now)),
      () => now,
    );
    await expect(ask(SPAN, {}, changed)).rejects.toMatchObject({ code: "unreachable" });
  });

  it("a limit in the middle is waited for", async () => {
    let refusals = 0;
    const change = (method: string): ReplayedAnswer | undefined => {
      if (method !== "Actions.get" || refusals > 0) return undefined;
      refusals++;
      return { status: 429, headers: { "retry-after": "0" }, body: {} };
    };
    await callChanged(change, async (changed) => {
      expect(await ask(SPAN, {}, changed)).toMatchObject({ visitors: (await ask(SPAN)).visitors });
      expect(refusals).toBe(1);
    });
  });

  it("too slow", async () => {
    const silent = await startMatomoReplay(answers, (method) =>
      method === "VisitsSummary.get" ? "silence" : undefined,
    );
    try {
      const context = { ...createMatomoContext(silent.url, now), limits: { deadline: 200, attempts: 1 } };
      const changed = createLocalCall(
        async () => openMatomo(context),
        () => now,
      );
      await expect(ask(SPAN, {}, changed)).rejects.toMatchObject({ code: "timeout" });
    } finally {
      await silent.close();
    }
  });

  it("a status 401 that explains nothing", async () => {
    const change = () => ({ status: 401, type: "text/html", body: "Unauthorized" });
    await callChanged(change, async (changed) => {
      await expect(changed(sites, {})).rejects.toMatchObject({
        code: "invalid_api_key",
        hint: expect.stringContaining("Auth tokens"),
      });
    });
  });

  it.each(["stranger", "unknown"] as const)("the token of a %s", async (who) => {
    await callChanged(
      () => undefined,
      async (changed) => {
        await expect(changed(sites, {})).rejects.toMatchObject({ code: "invalid_api_key" });
      },
      RECORDED_TOKENS[who],
    );
  });

  it("a site that was removed since it was listed", async () => {
    await expect(source.days({ site: { ...site, id: "99" }, from: FROM, to: TO, now })).rejects.toMatchObject(
      {
        code: "site_not_found",
      },
    );
  });

  it("reports that contradict each other are asked for again", async () => {
    const empty: ReplayedAnswer = { body: { "2026-10-25": [] } };
    const known = await ask(SPAN);
    const isAgain = (name: string) => name.includes("again=1");
    const recorded = (name: string) =>
      answers.find(({ request }) => request === name.replace("again=1&", ""))?.body;
    const changeOnce = (method: string, name: string) =>
      isAgain(name) ? { body: recorded(name) } : method === "VisitsSummary.get" ? empty : undefined;
    await callChanged(changeOnce, async (changed) => {
      expect(await ask(SPAN, {}, changed)).toEqual(known);
    });
    const changeAlways = (method: string, name: string) =>
      method === "VisitsSummary.get" ? empty : isAgain(name) ? { body: recorded(name) } : undefined;
    await callChanged(changeAlways, async (changed) => {
      await expect(ask(SPAN, {}, changed)).rejects.toMatchObject({
        code: "unavailable",
        message: expect.stringContaining("2026-10-24: it has 41 page views and 4 events, but only 0 actions"),
      });
    });
  });

  it("texts that are no codes", async () => {
    const counts = { nb_visits: 2, nb_uniq_visitors: 1, nb_actions: 2, bounce_count: 0, sum_visit_length: 5 };
    const odd = ["%E0%A4%A", "x".repeat(100_000), "constructor", "de\u0000"];
    const body = odd.map((code) => ({ ...counts, label: code, code, segment: `languageCode==${code}` }));
    await callChanged(
      (method) => (/getCountry|getLanguageCode/.test(method) ? { body } : undefined),
      async (changed) => {
        for (const dimension of ["countries", "languages"] as const) {
          const { rows } = await changed(
            breakdown,
            { site: "example.com", dimension, limit: 10, days: 30 },
            { span: SPAN.span },
          );
          expect(rows).toMatchObject([{ value: null, visitors: 4 }]);
        }
      },
    );
  });

  it("a date that is none", async () => {
    const body = [{ idsite: 1, name: "a", main_url: "", ts_created: "2026-99-99 00:00:00", timezone: "UTC" }];
    const change = (method: string) => (method.startsWith("SitesManager") ? { body } : undefined);
    await callChanged(change, async (changed) => {
      await expect(changed(sites, {})).rejects.toMatchObject({ code: "bad_answer" });
    });
  });

  it("rows without the column that counts visitors", async () => {
    const change = (method: string) =>
      method === "UserCountry.getCountry"
        ? { body: [{ label: "Germany", code: "de", nb_visits: 3, nb_actions: 5 }] }
        : undefined;
    await callChanged(change, async (changed) => {
      const asked = changed(
        breakdown,
        { site: "example.com", dimension: "countries", limit: 10, days: 30 },
        { span: SPAN.span },
      );
      await expect(asked).rejects.toMatchObject({
        code: "bad_answer",
        message: expect.stringContaining("nb_uniq_visitors"),
      });
    });
  });
});

describe("sites", () => {
  const list = (...changes: object[]): ReplayedAnswer => ({
    body: changes.map((change, index) => ({
      idsite: index + 1,
      name: "Example",
      main_url: "https://www.example.com/shop",
      ts_created: "2026-03-01 23:30:00",
      timezone: "Europe/Berlin",
      ...change,
    })),
  });
  const withSites = (answer: ReplayedAnswer, run: Parameters<typeof callChanged>[1]) =>
    callChanged((method) => (method.startsWith("SitesManager.getSitesWith") ? answer : undefined), run);

  it("are found by id if two have the same domain", async () => {
    await withSites(list({}, {}), async (changed) => {
      await expect(changed(realtime, { site: "example.com" })).rejects.toMatchObject({
        code: "usage",
        hint: expect.stringContaining("1, 2"),
      });
      expect(await changed(realtime, { site: "1" })).toMatchObject({ visitors: 1 });
    });
  });

  it("begin on a day at the site, not in UTC", async () => {
    await withSites(list({}), async (changed) => {
      expect(await changed(sites, {})).toMatchObject({
        sites: [{ domain: "example.com", data_since: "2026-03-02" }],
      });
    });
  });

  it("with a timezone without a name are refused alone", async () => {
    await withSites(list({}, { main_url: "https://other.example", timezone: "UTC+5.5" }), async (changed) => {
      expect(await changed(sites, {})).toMatchObject({
        sites: [{ domain: "example.com" }],
        warnings: [
          {
            code: "not_listed",
            detail: expect.stringMatching(/^other\.example is not listed: .*"UTC\+5\.5"/),
          },
        ],
      });
      await expect(changed(stats, { site: "other.example", days: 1 })).rejects.toMatchObject({
        message: expect.stringContaining("UTC+5.5"),
      });
    });
  });

  it("without an address have their name", async () => {
    await withSites(list({ main_url: "", name: "App" }, { main_url: "", name: "" }), async (changed) => {
      expect(await changed(sites, {})).toMatchObject({
        sites: [
          { id: "1", domain: "App" },
          { id: "2", domain: "site-2" },
        ],
      });
    });
  });
});
