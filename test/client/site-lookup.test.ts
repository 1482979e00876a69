import { describe, expect, it } from "vitest";
import { createHttpClient } from "../../src/client/http-client.ts";
import { createUnknownSiteError } from "../../src/client/site-errors.ts";
import { askForSite } from "../../src/client/site-lookup.ts";
import { AnalyticsError } from "../../src/errors.ts";
import type { Call } from "../../src/operations/call.ts";
import { stats } from "../../src/operations/index.ts";
import { parseParams } from "../../src/operations/parameters.ts";
import { suggestSite } from "../../src/suggest.ts";
import { createTestApi, DEMO_KEY, GLOBEX_KEY, NOW } from "../support/api.ts";

function connect(apiKey: string, site?: string): Call {
  const { api } = createTestApi();
  const fetch = async (url: string, init: RequestInit) => api(new Request(url, init));
  const target = { baseUrl: "https://x.test/api/v1", apiKey, fetch, site };
  return createHttpClient({ clock: () => NOW, readTarget: () => target }).call;
}

const ask = (call: Call, input: Record<string, unknown>) =>
  askForSite(call, input, {}, (params) => call(stats, parseParams(stats.params, params)));

const domains = ["docs.example.com", "example.com", "news.example.org", "parked.example", "shop.example.net"];

describe("a query about a site", () => {
  it.each([
    ["that it names", DEMO_KEY, "docs.example.com", { site: "example.com" }, "example.com"],
    ["that was chosen before", DEMO_KEY, "docs.example.com", {}, "docs.example.com"],
    ["that is the only one", GLOBEX_KEY, undefined, {}, "globex.example"],
  ])("uses the site %s", async (_, key, chosen, input, domain) => {
    expect((await ask(connect(key, chosen), input)).site.domain).toBe(domain);
  });

  it("keeps its other parameters", async () => {
    expect((await ask(connect(GLOBEX_KEY), { days: 3 })).period.days).toBe(3);
  });

  it("that names none of several sites is refused, with all of them", async () => {
    await expect(ask(connect(DEMO_KEY), {})).rejects.toMatchObject({
      code: "missing_parameter",
      message: `Which site? You have 5: ${domains.join(", ")}.`,
      hint: "Give one of them as site.",
      parameters: [{ parameter: "site", detail: "is required", allowed: domains }],
    });
  });

  it("finds it by the name that its owner gave it, if only one has it", async () => {
    const named = (...names: string[]) => {
      const all = names.map((name, index) => ({ domain: `s${index}.example`, name }));
      const list = async () => ({ sites: all });
      return askForSite(
        Object.assign(list, {}) as unknown as Call,
        { site: "shop" },
        {},
        async ({ site }) => {
          if (site === "shop") throw new AnalyticsError("site_not_found", "There is no such site.");
          return site;
        },
      );
    };
    expect(await named("Blog", "Shop")).toBe("s1.example");
    await expect(named("Shop", "Shop")).rejects.toMatchObject({ code: "site_not_found" });
  });

  it("that names an unknown site is refused, with the known ones", async () => {
    await expect(ask(connect(DEMO_KEY), { site: "elsewhere.net" })).rejects.toMatchObject({
      code: "site_not_found",
      message: 'You have no site "elsewhere.net".',
      status: 404,
      hint: `Your sites are: ${domains.join(", ")}.`,
      cause: expect.any(AnalyticsError),
    });
  });

  it.each([
    ["acme", ["acme.example", "docs.acme.example"], "Did you mean acme.example? "],
    ["docs", ["acme.example", "docs.acme.example"], "Did you mean docs.acme.example? "],
    ["acme", ["docs.acme.example", "shop.acme.example"], ""],
    ["example", ["acme.example"], ""],
    ["com", ["commerce.example", "x.com"], "Did you mean commerce.example? "],
  ])("%s of %j may be meant by a part of its name, not by its ending alone", (word, known, question) => {
    expect(suggestSite(word, known)).toBe(question);
  });

  it("is refused with why there is no site at all, if the source says it", async () => {
    const detail = "The data has no visit to the sites of this key: shop.example.";
    const list = async () => ({ sites: [], warnings: [{ code: "not_listed", detail }] });
    const call = Object.assign(list, {}) as unknown as Call;
    await expect(ask(call, {})).rejects.toMatchObject({
      message: "There is no site to ask about.",
      hint: detail,
    });
    const refuse = () => Promise.reject(new AnalyticsError("site_not_found", "There is no such site."));
    await expect(askForSite(call, { site: "shop.example" }, {}, refuse)).rejects.toMatchObject({
      message: 'You have no site "shop.example".',
      hint: detail,
    });
  });

  it("passes on other errors", async () => {
    const input = { site: "example.com", days: 0 };
    await expect(ask(connect(DEMO_KEY), input)).rejects.toMatchObject({ code: "invalid_parameter" });
    const broken = askForSite(connect(DEMO_KEY), input, {}, () => Promise.reject(new TypeError("a fault")));
    await expect(broken).rejects.toThrow(new TypeError("a fault"));
  });
});

describe("the list of sites in a hint", () => {
  const many = (count: number) => Array.from({ length: count }, (_, index) => `site-${index}.test`);
  it.each([
    [0, "There are no sites yet."],
    [1, "Your sites are: site-0.test."],
    [20, `Your sites are: ${many(20).join(", ")}.`],
    [22, `Your sites are: ${many(20).join(", ")} and 2 more.`],
  ])("for %d sites has the first twenty", (count, hint) => {
    expect(createUnknownSiteError("a.test", many(count))).toMatchObject({ hint, status: undefined });
  });

  it.each([
    ["shop", "Did you mean shop.test? Your sites are: "],
    ["site-25.tset", "Did you mean site-25.test? Your sites are: "],
    ["site", "Your sites are: "],
    ["op", "Your sites are: "],
    ["stop.test", "Did you mean shop.test? Your sites are: "],
    ["chap.test", "Your sites are: "],
    ["shop.text", "Did you mean shop.test? Your sites are: "],
    ["sho", "Did you mean shop.test? Your sites are: "],
  ])("begins with the one that %s is nearest to or part of", (word, start) => {
    const { hint } = createUnknownSiteError(word, [...many(30), "shop.test"]);
    expect(hint?.slice(0, start.length)).toBe(start);
  });
});
