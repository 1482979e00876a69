import { describe, expect, it } from "vitest";
import { createHttpClient } from "../../src/client/http-client.ts";
import { AnalyticsError } from "../../src/errors.ts";
import { nameReferrer } from "../../src/names/referrers.ts";
import type { Call } from "../../src/operations/call.ts";
import { createMatch } from "../../src/operations/filter-matching.ts";
import { formatNotes } from "../../src/operations/note.ts";
import { listNotes, listWarnings } from "../../src/operations/view.ts";
import { findLike } from "../../src/reports/named-values.ts";
import { findQuery } from "../../src/reports/queries.ts";
import type { DataSource, RankedRow } from "../../src/sources/data-source.ts";
import { createLocalCall } from "../../src/sources/local-call.ts";
import { createTestApi, DEMO_KEY, NOW } from "../support/api.ts";
import { createWideSource } from "../support/wide-source.ts";

/** The reference API over HTTP, and the paths that were asked for: its description aside. */
function connect(edit = async (_url: string, response: Response) => response) {
  const { api, time } = createTestApi();
  const asked: string[] = [];
  const { call } = createHttpClient({
    clock: () => time.now,
    readTarget: () => ({
      baseUrl: "https://x.test/api/v1",
      apiKey: DEMO_KEY,
      fetch: async (url, init) => {
        const [, path = ""] = /\/v1\/([\w-]+)\?/.exec(url) ?? [];
        if (path !== "") asked.push(path);
        return edit(url, await api(new Request(url, init)));
      },
    }),
    limits: { attempts: 1 },
  });
  return { call, asked };
}

const { call } = connect();
const DAYS = { site: "example.com", days: 7 };

async function ask(call: Call, name: string, params: Record<string, unknown>) {
  const query = findQuery(name);
  const answer = await query.ask(call, query.params.parse(params), {});
  const said = answer.empty === undefined ? listWarnings(answer.views) : [answer.empty];
  return {
    ...answer,
    warnings: formatNotes(said, "models").filter((text) => !text.startsWith("Today")),
  };
}

const count = async (filter: string[], from = call) => {
  const { result, warnings } = await ask(from, "stats", { ...DAYS, filter });
  return { visitors: result.visitors, filter: result.filter, warnings };
};

const refuse = async (asked: Promise<unknown>): Promise<AnalyticsError> => {
  const error = await asked.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (error instanceof AnalyticsError) return error;
  throw new TypeError("It was not refused.");
};

describe("a name of a row is the value of the row", () => {
  it.each([
    ["referrers=Reddit", "referrers=reddit.com", "referrers=Reddit means referrers=reddit.com (Reddit)."],
    ["referrers!=Google", "referrers!=google.com", "referrers=Google means referrers=google.com (Google)."],
    [
      "referrers=www.Google.com",
      "referrers=google.com",
      "referrers=www.Google.com means referrers=google.com (Google).",
    ],
    ["cities=Paris", "cities=2988507", 'cities=Paris means cities=2988507 ("Paris, France").'],
    [
      "cities=paris, france",
      "cities=2988507",
      '"cities=paris, france" means cities=2988507 ("Paris, France").',
    ],
    ["utm_campaigns!=(none)", "utm_campaigns!=", '"utm_campaigns=(none)" means utm_campaigns= (no value).'],
    ["referrers=(Direct or none)", "referrers=", '"referrers=(Direct or none)" means referrers= (no value).'],
    ["browsers!=chrome", "browsers!=Chrome", "browsers=chrome means browsers=Chrome."],
    ["countries=germany", "countries=DE", "countries=germany means countries=DE (Germany)."],
    ["countries=usa", "countries=US", 'countries=usa means countries=US ("United States").'],
    ["countries!=UK", "countries!=GB", 'countries=UK means countries=GB ("United Kingdom").'],
    ["regions=berlin", "regions=DE-BE", "regions=berlin means regions=DE-BE (Berlin)."],
    [
      "channels!=organic search",
      "channels!=Organic Search",
      '"channels=organic search" means "channels=Organic Search".',
    ],
    ["visit:pages!=/Plans", "visit:pages!=/plans", "pages=/Plans means pages=/plans."],
    ["languages=Dutch", "languages=nl-NL", 'languages=Dutch means languages=nl-NL ("Dutch (Netherlands)").'],
  ])("%s", async (named, exact, says) => {
    const expected = await count([exact]);
    expect(expected.warnings).toEqual([]);
    expect(expected.visitors).toBeGreaterThan(0);
    expect(await count([named])).toEqual({ ...expected, warnings: [says] });
  });

  it("each alternative and each condition for itself", async () => {
    const exact = await count(["referrers=bing.com|google.com", "browsers!=Firefox"]);
    const { warnings, ...named } = await count(["referrers=Google|bing.com", "browsers!=firefox"]);
    expect(named).toEqual({ visitors: exact.visitors, filter: exact.filter });
    expect(warnings).toEqual([
      "browsers=firefox means browsers=Firefox.",
      "referrers=Google means referrers=google.com (Google).",
    ]);
  });

  it("in a goal", async () => {
    const exact = await ask(call, "conversions", { ...DAYS, goal: "events=signup", by: "channels" });
    const named = await ask(call, "conversions", { ...DAYS, goal: "event=SignUp", by: "channels" });
    expect(exact.result.converted).toBeGreaterThan(0);
    expect(named.result).toEqual({
      ...exact.result,
      warnings: [expect.objectContaining({ code: "named_value" })],
    });
    expect(named.warnings).toEqual(["events=SignUp means events=signup."]);
    expect(named.params.goal).toBe("events=signup");
  });

  it("in every query, whose answer, parameters and proposals have the value", async () => {
    const asked = { ...DAYS, filter: ["referrer=Google"] };
    const ranked = await ask(call, "breakdown", { ...asked, dimension: "pages" });
    expect([ranked.params.filter, ranked.result.filter]).toEqual([
      ["referrers=google.com"],
      ["referrers=google.com"],
    ]);
    expect(ranked.ofFirst?.filter).toContain("referrers=google.com");
    for (const name of ["overview", "compare", "timeseries"]) {
      const { result, warnings } = await ask(call, name, asked);
      expect(result).toMatchObject({ filter: ["referrers=google.com"] });
      expect(result.warnings).toContainEqual(expect.objectContaining({ code: "named_value" }));
      expect(warnings).toContain("referrers=Google means referrers=google.com (Google).");
    }
    const now = await ask(call, "realtime", { site: "example.com", filter: ["browsers!=chrome"] });
    expect(now.result.filter).toEqual(["browsers!=Chrome"]);
  });
});

describe("a value that occurs nowhere", () => {
  it.each([
    ["browsers=Crome", "Nothing in these days has browsers=Crome. Nearest: Chrome."],
    [
      "browsers!=Crome",
      "Nothing in these days has browsers=Crome, so leaving it out changes nothing. Nearest: Chrome.",
    ],
    ["events=sign", "Nothing in these days has events=sign. Nearest: signup."],
    [
      "events!=sign",
      "Nothing in these days has events=sign, so leaving it out changes nothing. Nearest: signup.",
    ],
    ["operating_systems=iphone", "Nothing in these days has operating_systems=iphone. Nearest: iOS."],
    ["cities=Lond", 'Nothing in these days has cities=Lond. Nearest: 2643743 ("London, United Kingdom").'],
    [
      "referrers=images.google.com",
      "Nothing in these days has referrers=images.google.com. Nearest: google.com (Google).",
    ],
    ["events=signup_*", "Nothing in these days has events=signup_*. Nearest: signup."],
    [
      "pages=/blog/cookies",
      "Nothing in these days has pages=/blog/cookies. Nearest: /blog/cookieless-analytics.",
    ],
    [
      "pages=/blog/cookies*",
      "Nothing in these days has pages=/blog/cookies*. Nearest: /blog/cookieless-analytics.",
    ],
    ["pages=/blog/cats", "Nothing in these days has pages=/blog/cats."],
    [
      "pages!=/blgo/*",
      "Nothing in these days has pages=/blgo/*, so leaving it out changes nothing. Nearest: /blog.",
    ],
    ["events=buy", "Nothing in these days has events=buy. Most frequent: outbound_link, signup, download."],
    [
      "operating_systems=BeOS",
      "Nothing in these days has operating_systems=BeOS. Most frequent: Windows, macOS, Android, iOS, Linux.",
    ],
    ["pages=/no-such-page", "Nothing in these days has pages=/no-such-page."],
  ])("%s", async (filter, says) => {
    const { warnings, filter: echoed } = await count([filter]);
    expect([warnings, echoed]).toEqual([[says], [filter]]);
  });

  it.each([
    "page=/pricing AND source=Google",
    "page=/pricing and source=Google",
    "pages=/pricing,source=Google",
    "page=/pricing&source=Google",
    "page=/pricing; source=Google",
  ])("is refused if it reads as several conditions: %s", async (text) => {
    await expect(ask(call, "stats", { ...DAYS, filter: [text] })).rejects.toMatchObject({
      message: "filter takes one condition at a time: pages=/pricing, referrers=Google.",
      parameters: [{ parameter: "filter", allowed: ["pages=/pricing", "referrers=Google"] }],
    });
  });

  it("is no condition more if nothing is named as one is", async () => {
    const { warnings } = await count(["pages=/a, b=c and d"]);
    expect(warnings).toEqual([expect.stringMatching(/^Nothing in these days has/)]);
  });

  it.each([
    [["page=/pricing", "page!=/pricing"], "pages!=/pricing and pages=/pricing"],
    [["country=DE", "country!=DE|FR"], "countries!=DE|FR and countries=DE"],
  ])("is refused where a filter leaves out all that it keeps: %s", async (filter, both) => {
    const { message, hint } = await refuse(count(filter));
    expect([message, hint]).toEqual([
      `filter has ${both}, which nothing meets at once.`,
      "Leave out one of them.",
    ]);
  });

  it("is not refused where something is left", async () => {
    const { visitors } = await count(["page=/pricing|/", "page!=/pricing", "country!=DE"]);
    expect(visitors).toBeGreaterThan(0);
  });

  it("has a sentence in place of zeros, whose numbers programs still get", async () => {
    const nothing = "Nothing in these days has pages=/nope.";
    for (const name of ["overview", "timeseries", "breakdown"]) {
      const given = { ...DAYS, filter: ["pages=/nope"], ...(name === "breakdown" && { dimension: "pages" }) };
      const { empty, result, views } = await ask(call, name, given);
      expect([name, empty, listNotes(views)]).toEqual([name, nothing, []]);
      if (name === "overview")
        expect(result).toMatchObject({ visitors: 0, comparison: { visitors: { absolute: 0 } } });
    }
    const { empty } = await ask(call, "stats", {
      ...DAYS,
      filter: ["pages=/nope|/", "pages!=/"],
    });
    expect(empty).toBeUndefined();
  });

  it("is what a site was once called", () => {
    const values = ["x.com", "google.com"].map((value) => ({ value, label: nameReferrer(value) }));
    expect(findLike("referrers", "Twitter", values)).toEqual([{ value: "x.com", label: "X" }]);
  });

  it("is named also beside one that occurs, and in the result", async () => {
    const { result } = await ask(call, "stats", { ...DAYS, filter: ["referrers=google.com|gogle.com"] });
    expect(result.visitors).toBeGreaterThan(0);
    expect(result.warnings).toEqual([
      {
        code: "no_such_value",
        detail: "Nothing in these days has referrers=gogle.com. Nearest: google.com (Google).",
        values: { filter: "referrers=gogle.com" },
      },
    ]);
  });
});

describe("the requests", () => {
  it.each([
    ["a value that occurs", ["countries=DE"], ["stats"]],
    ["a value to leave out", ["countries!=DE"], ["stats", "breakdown"]],
    ["a pattern that occurs, and none", ["pages=/*", "referrers!="], ["stats"]],
    ["a pattern to leave out", ["pages!=/blog/*"], ["stats", "breakdown"]],
    ["a name", ["referrers=Google"], ["stats", "breakdown", "stats"]],
    ["the name of a country, which is known", ["countries=Germany"], ["stats", "stats"]],
  ])("of %s", async (_, filter, expected) => {
    const { call, asked } = connect();
    await count(filter, call);
    expect(asked).toEqual(expected);
  });

  it("where the quota does not allow to look a name up: known ones are taken, others refused", async () => {
    const { call } = connect(async (url, response) =>
      url.includes("/breakdown")
        ? Response.json({ code: "rate_limited", detail: "Too many requests." }, { status: 429 })
        : response,
    );
    expect(await count(["referrers!=Google"], call)).toMatchObject({ filter: ["referrers!=google.com"] });
    const error = await refuse(count(["cities!=Paris"], call));
    expect(error).toMatchObject({ code: "rate_limited" });
    expect(`${error.message} ${error.hint}`).toMatch(/whether cities has Paris.*Later, list the cities\./);
  });
});

/** A source with these rows in every dimension: as many visitors on each, and in all. */
function createRows(rows: readonly Pick<RankedRow, "value" | "label">[]): Call {
  const named: DataSource = {
    ...createWideSource([]),
    filters: "any-values",
    days: async ({ from, filter = [] }) => {
      const meets = filter.map(createMatch);
      const visitors = rows.filter(({ value }) => meets.every((isMet) => isMet(value))).length;
      return [{ date: from, visitors, pageviews: visitors, events: 0 }];
    },
    breakdown: async (_span, _dimension, limit) => ({
      rows: rows.slice(0, limit).map((row) => ({ ...row, visitors: 1, hits: 1 })),
      totalRows: rows.length,
    }),
  };
  return createLocalCall(
    async () => named,
    () => NOW,
  );
}
const askRows = (filter: string, ...rows: [value: string, label?: string][]) =>
  ask(createRows(rows.map(([value, label = value]) => ({ value, label }))), "stats", {
    site: "wide.test",
    period: "2026-11-20",
    filter: [filter],
  });

describe("a name of several values", () => {
  it.each([
    ["referrers!=Google", "google.com (Google), google.de (Google)"],
    ["cities=Paris", '1 ("Paris, France"), 2 ("Paris, United States")'],
    ["languages=german", "de-DE, de-AT"],
    ["pages=/ABOUT", "/About, /about"],
  ])("%s is refused with all of them", async (filter, values) => {
    const { message } = await refuse(
      askRows(
        filter,
        ["google.com", "Google"],
        ["google.de", "Google"],
        ["1", "Paris, France"],
        ["2", "Paris, United States"],
        ["de-DE"],
        ["de-AT"],
        ["/About"],
        ["/about"],
      ),
    );
    expect(message).toContain(`are called: ${values}; give the value of one`);
  });

  it("is none if one of them is exactly it, or differs by its letters alone", async () => {
    const exact = await askRows("pages!=/about", ["/About"], ["/about"]);
    expect(exact.result).toMatchObject({ filter: ["pages!=/about"], visitors: 1 });
    expect(exact.warnings).toEqual([]);
    const spelled = await askRows("referrers!=google", ["google.com", "Google"], ["Google"]);
    expect(spelled.result).toMatchObject({ filter: ["referrers!=Google"], visitors: 1 });
  });
});

it("of values beyond the end of a list, says that one does not occur only if it was asked for", async () => {
  const rows = Array.from({ length: 1_001 }, (_, index): [string] => [`/${index}`]);
  expect((await askRows("pages!=/1000", ...rows)).warnings).toEqual([]);
  expect((await askRows("pages!=/gone", ...rows)).warnings).toEqual([
    "pages=/gone is not among the first 1000 pages of these days, so leaving it out changes nothing.",
  ]);
});

describe("conditions that nothing can meet at once", () => {
  it.each([
    [["countries=US", "countries=CA"], /countries=CA and countries=US, .*countries=CA\|US keeps either\.$/],
    [["countries=Austria", "countries=Germany"], /countries=AT and countries=DE/],
    [
      ["events=signup", "events=download"],
      /events=download\|signup keeps either; visit:events=download with visit:events=signup keeps visits that have both\.$/,
    ],
  ])("%j are refused, with what can be asked", async (filter, sentence) => {
    const error = await count(filter).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(AnalyticsError);
    const { message, hint } = error as AnalyticsError;
    expect(`${message} ${hint}`).toMatch(sentence);
  });

  it.each([
    [["countries=DE|US", "countries=US"]],
    [["pages=/docs*", "pages=/docs/install"]],
    [["visit:pages=/", "visit:pages=/plans"]],
    [["countries=US", "countries!=CA"]],
  ])("%j are asked", async (filter) => {
    expect((await count(filter)).visitors).toBeGreaterThan(0);
  });
});

it("a page's address as it is pasted means its path", async () => {
  const { visitors } = await count(["pages=/plans"]);
  for (const address of ["https://example.com/plans", "http://www.example.com/plans?utm_source=x#top"]) {
    const found = await count([`pages=${address}`]);
    expect(found).toMatchObject({ visitors, filter: ["pages=/plans"] });
    expect(found.warnings.join()).toContain("means pages=/plans");
  }
});
