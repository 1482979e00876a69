import { describe, expect, it } from "vitest";
import { NOW } from "../support/api.ts";
import { pick } from "../support/seed.ts";
import { type Body, type Breach, edit, on } from "./breach.ts";
import { offersNeither } from "./breaches/filters.ts";
import { offersOnlyDays } from "./breaches/hours.ts";
import { differences } from "./differences.ts";
import { check, createService as createFullService, limitVisitors, type Service } from "./service.ts";

/** Enough that no rule lacks any. The test that is about many visitors takes them all. */
const fixtures = limitVisitors(290, 30);
/** Enough for rules that look at no numbers, at moments at which no other run asks. */
const few = limitVisitors(40, 20);
/** Enough for most rules. */
const growing = limitVisitors(120, 30);
const createService = (start?: number) => createFullService(start, fixtures);

/** The first key lists only one site. */
const onlySharedSite: Breach = edit(
  ({ path }) => path === "/sites",
  (body) => {
    body.sites = body.sites.filter(({ id }: Body) => id === "site_7f3k" || id === "site_glbx");
  },
);

/** Both organizations have a site of this domain, with the ids that `name` gives. */
const shareDomain =
  (name: (id: string) => string): Breach =>
  (service) =>
  async (request, sent) => {
    const url = new URL(request.url);
    const isGlobex = request.headers.get("authorization")?.includes("globex") ?? false;
    const [own, domain] = isGlobex ? ["site_glbx", "globex.example"] : ["site_7f3k", "example.com"];
    const asked = url.searchParams.get("site") ?? "";
    const hidden = ["globex.example", "site_glbx", "site_7f3k"].includes(asked);
    if (asked === name(own) && url.searchParams.getAll("site").length === 1)
      url.searchParams.set("site", own);
    else if (hidden) url.searchParams.set("site", "conform.invalid");
    else if (isGlobex && asked === "example.com") url.searchParams.set("site", domain);
    const response = await service(new Request(url, request), sent);
    if (response.body === null) return response;
    const text = (await response.text())
      .replaceAll(`"${domain}"`, '"example.com"')
      .replaceAll(`"id":"${own}"`, `"id":"${name(own)}"`);
    return new Response(text, response);
  };

describe("a service may differ where the contract allows it", () => {
  it.each([
    ["ids that are unique everywhere", (id: string) => `${id}-x`, true],
    // Then every name of a site is a name in the other organization, too.
    ["the same ids", () => "1", false],
    ["domains as ids", () => "example.com", false],
  ])("two organizations with a site of one domain, with %s", async (_, name, isChecked) => {
    const { failed, skipped, report } = await check(
      shareDomain(name)(onlySharedSite(createFullService(undefined, few))),
      { only: ["sites", "isolation"] },
    );
    expect(failed).toEqual([]);
    expect(skipped.includes("isolation.other-organization")).toBe(!isChecked);
    expect(report.rules.find(({ id }) => id === "isolation.lists-apart")?.verdict).toBe("pass");
  });

  it.each(pick(Object.entries(differences), 1))("%s", async (_, differ) => {
    const { failed, skipped } = await check(differ(createService()));
    expect({ failed, skipped }).toEqual({ failed: [], skipped: [] });
  });

  const sites = [
    "docs.example.com",
    "shop.example.net",
    "news.example.org",
    "site_7f3k",
    "https://www.example.com/",
  ];
  it.each(pick(sites, 1))("the site %s", async (site) => {
    const { failed } = await check(createService(), { site });
    expect(failed).toEqual([]);
  });

  it("a service without filters and visits: their rules are skipped, and say why", async () => {
    const { failed, skipped, report } = await check(offersNeither(createService()));
    expect(failed).toEqual([]);
    const optional = report.rules.filter(
      ({ section, id }) => /^(filters|visits)$/.test(section) || /^(hours|isolation)\.filter$/.test(id),
    );
    expect(skipped).toEqual(optional.map(({ id }) => id));
    for (const { detail } of optional)
      expect(detail).toMatch(/^the service does not (offer filter( on \/[a-z]+)?|count visits)$/);
    expect(report.summary.incomplete).toBe(null);
  });

  it("a service without hours: their rules are skipped, and say why", async () => {
    const { failed, skipped, report } = await check(offersOnlyDays(createService()));
    expect(failed).toEqual([]);
    const optional = report.rules.filter(
      ({ section, id }) => section === "hours" || id === "isolation.hours",
    );
    expect(skipped).toEqual(optional.map(({ id }) => id));
    for (const { detail } of optional) expect(detail).toBe("the service does not offer interval");
  });

  it("a site without data, in a timezone with a quarter hour: rules that need visits are skipped", async () => {
    const { failed, skipped, report } = await check(createService(), { site: "parked.example" });
    expect(failed).toEqual([]);
    expect(skipped).toContain("breakdown.pages-add-up");
    expect(report.rules.find(({ id }) => id === "breakdown.pages-add-up")?.detail).toMatch(
      /^the site parked\.example has no visits in the last 30 days$/,
    );
  });

  it("a summary from a cache, in which the visitors of the last minute are missing", async () => {
    const lag = edit(on("/stats", { days: "1", site: "example.com" }), (body) => {
      if (Date.parse(body.period.as_of) < NOW + 60_000) body.visitors = 0;
    });
    const { failed, waits } = await check(lag(createService()), { only: ["realtime.within-days"] });
    expect(failed).toEqual([]);
    expect(waits).toEqual([65_000]);
  });

  it("a site with dashes and digits in its name", async () => {
    const [ours, theirs] = ["example.com", "my-2nd-shop.xn--bcher-kva.example"];
    const rename: Breach = (service) => async (request, sent) => {
      const url = new URL(request.url);
      const pairs = [...url.searchParams].map(([name, value]) => {
        const spell = (found: string) => (found === theirs ? ours : ours.toUpperCase());
        return [name, value.replace(new RegExp(theirs, "i"), spell)] as [string, string];
      });
      url.search = pairs.length === 0 ? "" : `?${new URLSearchParams(pairs)}`;
      const response = await service(new Request(url, request), sent);
      if (response.body === null) return response;
      const text = (await response.text()).replaceAll(`"domain":"${ours}"`, `"domain":"${theirs}"`);
      return new Response(text, response);
    };
    const { failed } = await check(rename(createService()), { site: theirs });
    expect(failed).toEqual([]);
  });

  it("without a second key, isolation is not checked", async () => {
    const { failed, skipped } = await check(createService(), { otherKey: undefined });
    expect(failed).toEqual([]);
    const rest = skipped.filter((id) => !id.startsWith("isolation."));
    // The clock of this service stands still.
    expect(rest).toEqual(["headers.etag-of-content"]);
    expect(skipped.length).toBeGreaterThan(5);
  });
});

describe("no verdict depends on the moment", () => {
  // Each request is at a moment of its own, so that no answer is there already.
  const createGrowing = (start: number) => createFullService(start, growing);
  const moments: [string, string, string, ((start: number) => Service)?][] = [
    ["minutes before midnight in Berlin", "2026-11-20T22:59:30Z", "example.com"],
    ["right after midnight in Berlin", "2026-11-20T23:00:00Z", "example.com"],
    ["before the clock is set back", "2026-10-25T00:58:30Z", "example.com"],
    ["at the end of a day of 23 hours", "2026-03-29T21:59:40Z", "example.com"],
    ["before midnight in New York, at the end of a year", "2027-01-01T04:59:20Z", "docs.example.com"],
    ["before midnight in Auckland", "2026-06-10T11:59:10Z", "news.example.org"],
    ["at noon, with many visitors", "2026-11-18T11:00:00Z", "example.com", createFullService],
  ];
  it.each(pick(moments, 1))("%s, while time passes", async (_, start, site, create = createGrowing) => {
    for (const pace of pick([173, 1_000], 1)) {
      const moment = Date.parse(start);
      const { failed, skipped } = await check(create(moment), { start: moment, pace, site });
      expect(failed).toEqual([]);
      expect(skipped.length).toBeLessThanOrEqual(pace === 173 ? 2 : 6);
    }
  });
});
