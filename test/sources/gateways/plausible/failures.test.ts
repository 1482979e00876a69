import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { AnalyticsError } from "../../../../src/errors.ts";
import type { DataSource, Span } from "../../../../src/sources/data-source.ts";
import { LOG_NOW } from "../../../support/logs.ts";
import { KEY, openSource, startPlausible } from "./plausible-server.ts";

let server: Awaited<ReturnType<typeof startPlausible>>;
let span: Span;
beforeAll(async () => {
  server = await startPlausible(["2026-11-19"]);
  span = { site: await findSite(await server.open()), from: "2026-11-19", to: "2026-11-19", now: LOG_NOW };
});
beforeEach(() => {
  server.state.spoil = undefined;
  server.state.asked.length = 0;
});
afterAll(() => server.close());

async function findSite(source: DataSource, domain = "example.com") {
  const site = await source.site?.(domain);
  if (site === undefined) throw new Error(`There is no ${domain}.`);
  return site;
}

/** The failure of a question, in which the key must not be. */
async function fail(ask: () => Promise<unknown>): Promise<AnalyticsError> {
  const error = await ask().then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof AnalyticsError)) throw error ?? new Error("Nothing failed.");
  expect(JSON.stringify([error.message, error.hint, error.cause])).not.toContain(KEY);
  return error;
}

const html = "<!DOCTYPE html><html><title>Just a moment...</title></html>";
const ask = async () => (await server.open()).days(span);

it("tells a wrong key from a site that the key may not see", async () => {
  const wrong = await server.open({ key: "another-key" });
  expect(await fail(() => wrong.days(span))).toMatchObject({
    code: "invalid_api_key",
    message: "Plausible does not accept the API key, or the key may not see this site.",
  });
  expect(await fail(() => wrong.sites())).toMatchObject({ code: "invalid_api_key" });
  const removed = await server.open({ siteTimezones: { "removed.example": "Europe/Berlin" } });
  expect(await fail(async () => removed.site?.("removed.example"))).toMatchObject({
    code: "site_not_found",
    message: "This key may not see removed.example in Plausible.",
  });
  expect(await fail(() => removed.sites())).toMatchObject({ code: "site_not_found" });
});

it("says both where Plausible does not let them be told apart", async () => {
  server.state.spoil = (query, respond) => {
    if (query.site_id === undefined) respond(500, html, "text/html");
    else respond(401, JSON.stringify({ error: "Invalid API key or site ID." }));
    return true;
  };
  expect(await fail(ask)).toMatchObject({
    code: "invalid_api_key",
    message: "Plausible does not accept the API key, or the key may not see this site.",
  });
});

it("lists the other sites if one was removed, and none if the service fails", async () => {
  const siteTimezones = { "removed.example": "UTC", "example.com": "Europe/Berlin" };
  const source = await server.open({ siteTimezones });
  expect((await source.sites()).map(({ domain }) => domain)).toEqual(["example.com"]);
  server.state.spoil = ({ site_id }, respond) => {
    if (site_id === "example.com") respond(402, JSON.stringify({ error: "This site is locked" }));
    return site_id === "example.com";
  };
  const later = await server.open({ siteTimezones });
  expect(await fail(() => later.sites())).toMatchObject({ status: 402 });
});

it("finds sites by name, with a timezone for all, and none that was not named", async () => {
  const source = await server.open({ siteTimezones: { "www.Example.com": "Europe/Berlin" } });
  expect(await findSite(source)).toMatchObject({ domain: "example.com", timezone: "Europe/Berlin" });
  expect(await source.site?.("docs.example.com")).toBeUndefined();
  const any = await server.open({ siteTimezones: { "*": "Europe/Berlin" } });
  expect(await findSite(any)).toMatchObject({ domain: "example.com", id: span.site.id });
  expect(await any.site?.("site_0123456789ab")).toBeUndefined();
  expect(await fail(() => any.sites())).toMatchObject({ code: "usage" });
});

it.each([
  ["Africa/Lagos", "on 2025-07-01, its clocks show UTC+02:00"],
  ["America/New_York", "its clocks show UTC+01:00"],
])("refuses %s for a site in Berlin", async (timezone, detail) => {
  const source = await server.open({ siteTimezones: { "example.com": timezone } });
  const error = await fail(async () => source.site?.("example.com"));
  expect(error.code).toBe("usage");
  expect(error.message).toContain(detail);
  expect(error.hint).toMatch(/Reporting timezone\. To save it: analytics-mcp login --service plausible/);
});

it.each<[name: string, status: number, body: string, code: string, said: RegExp]>([
  ["no plan", 402, '{"error":"... does not have access to Stats API."}', "invalid_api_key", /no Stats API/],
  ["a locked site", 402, '{"error":"This Plausible site is locked"}', "invalid_api_key", /locked/],
  ["the limit", 429, '{"error":"Too many API requests."}', "rate_limited", /limit of requests an hour/],
  ["a refusal", 400, '{"error":"Metric `x` is unknown."}', "bad_answer", /Metric `x` is unknown\./],
  ["a page", 200, html, "bad_answer", /is text\/html, not JSON/],
  ["no such path", 404, html, "not_found", /404/],
  ["a failure", 500, html, "internal_error", /500/],
  ["a bad gateway", 502, html, "internal_error", /502/],
  ["an error as an answer", 200, '{"error":"no"}', "bad_answer", /lacks "results"/],
  ["nothing", 200, "", "bad_answer", /not complete JSON/],
])("explains %s", async (_name, status, body, code, said) => {
  server.state.spoil = (_query, respond) => {
    respond(status, body, body.startsWith("<") ? "text/html" : "application/json");
    return true;
  };
  const error = await fail(ask);
  expect(error.code).toBe(code);
  expect(error.message).toMatch(said);
});

it("says no more of a refusal than a message may have", async () => {
  server.state.spoil = (_query, respond) => {
    respond(400, JSON.stringify({ error: "x".repeat(100_000) }));
    return true;
  };
  expect((await fail(ask)).message.length).toBeLessThan(400);
});

const echo = (from = "2026-11-19T00:00:00+01:00", to = "2026-11-19T23:59:59+01:00") => ({
  date_range: [from, to],
});
const row = { dimensions: ["2026-11-19"], metrics: [3, 4, 5] };

it.each<[name: string, answer: unknown, said: RegExp]>([
  ["no rows", { query: echo() }, /lacks "results"/],
  ["rows as objects", { results: [{ date: "2026-11-19", visitors: 1 }], query: echo() }, /lacks/],
  ["a negative number", { results: [{ ...row, metrics: [-1, 0, 0] }], query: echo() }, /metrics/],
  ["half a visitor", { results: [{ ...row, metrics: [0.5, 0, 0] }], query: echo() }, /metrics/],
  ["too few numbers", { results: [{ ...row, metrics: [1] }], query: echo() }, /other columns/],
  ["too many values", { results: [{ ...row, dimensions: ["a", "b"] }], query: echo() }, /other columns/],
  ["no echo", { results: [row] }, /lacks "query"/],
  ["other days", { results: [row], query: echo("2026-11-18T00:00:00+01:00") }, /other days/],
  ["no days", { results: [row], query: echo("7d", "today") }, /do not say which days/],
])("takes an answer with %s for none", async (_name, answer, said) => {
  server.state.spoil = (_query, respond) => {
    respond(200, JSON.stringify(answer));
    return true;
  };
  const error = await fail(ask);
  expect(error.code).toBe("bad_answer");
  expect(error.message).toMatch(said);
});

it("takes days in another timezone for wrong ones", async () => {
  server.state.spoil = (_query, respond) => {
    respond(
      200,
      JSON.stringify({ results: [row], query: echo("2026-11-19T00:00:00Z", "2026-11-19T23:59:59Z") }),
    );
    return true;
  };
  const error = await fail(ask);
  expect(error.code).toBe("usage");
  expect(error.message).toContain("clocks show UTC.");
});

it("says that the service is down, and that it is slow", async () => {
  const gone = await startPlausible([]);
  gone.close();
  const source = await openSource(gone.origin, { siteTimezones: {}, clock: () => LOG_NOW });
  expect(await fail(() => source.days(span))).toMatchObject({ code: "unreachable" });
  server.state.spoil = () => true;
  const slow = await server.open({ limits: { deadline: 150 } });
  expect(await fail(() => slow.days(span))).toMatchObject({ code: "timeout" });
  const controller = new AbortController();
  const asked = fail(async () => (await server.open()).days(span, controller.signal));
  controller.abort();
  expect(await asked).toMatchObject({ code: "cancelled" });
});

it("keeps Plausible's limit, and says so before a question that would pass it", async () => {
  const clock = { now: LOG_NOW };
  const source = await server.open({ clock: () => clock.now });
  server.state.spoil = (_query, respond) => {
    respond(200, JSON.stringify({ results: [row], meta: { total_rows: 1 }, query: echo() }));
    return true;
  };
  for (let minute = 0; minute < 595; minute++) {
    // Nothing is asked twice.
    clock.now += 1;
    await source.days({ ...span, filter: [{ ...condition, alternatives: [[`/${minute}`]] }] });
  }
  server.state.spoil = undefined;
  const before = server.state.asked.length;
  const error = await fail(() => source.breakdown(span, "entry_pages", 10));
  expect(error).toMatchObject({ code: "rate_limited", quota: { requests: 600, seconds: 3_600 } });
  expect(error.message).toMatch(/^This question takes \d+ requests to Plausible, .* 3 are left\.$/);
  expect(error.hint).toBe("Ask for at most 3 entry_pages.");
  expect(server.state.asked.length).toBe(before + 2);
  await source.breakdown(span, "countries", 10);
  await source.breakdown(span, "devices", 10);
  await source.breakdown(span, "browsers", 10);
  expect(await fail(() => source.breakdown(span, "cities", 10))).toMatchObject({ code: "rate_limited" });
  clock.now += 3_600_000;
  expect((await source.breakdown(span, "cities", 10)).rows.length).toBeGreaterThan(0);
});

const condition = { dimension: "pages", ofVisit: false, isNot: false } as const;
