import { expect, it } from "vitest";
import type { Call } from "../../src/operations/call.ts";
import { demo } from "../../src/sources/demo.ts";
import { createLocalCall } from "../../src/sources/local-call.ts";
import { serveView, type ViewServer } from "../../src/view/view-server.ts";
import { createSmallService, describeParameters, NOON } from "../sources/described/small-service.ts";
import { NOW } from "../support/api.ts";
import { combined, createLogFolder, joinLines, LOG_NOW, openTestLogs } from "../support/logs.ts";

const FIELDS = { days: { type: "integer", minimum: 1, maximum: 90 } };

/** It answers for at most 90 days, and has lists only of 7, 30 or 90 up to today. */
const few = () =>
  createSmallService({
    "/openapi.json": () =>
      describeParameters({
        "/stats": FIELDS,
        "/timeseries": FIELDS,
        "/breakdown": { days: { type: "integer", enum: [7, 30, 90] } },
      }),
  }).call;

/** It counts each visitor once in all days that it is asked for, and its lists take no days. */
const once = () =>
  createSmallService({
    "/stats": (query) => {
      const days = Number(query.get("days") ?? 30);
      return { visitors: days === 1 ? 10 : 8 * days, pageviews: 20 * days };
    },
  }).call;

async function show(
  call: Call,
  addresses: readonly string[],
  { site = "acme.example", now = NOON } = {},
): Promise<string[]> {
  const server: ViewServer = await serveView({
    call,
    source: [],
    screen: { width: 80, height: 40, color: false, pictures: false, locale: "en-US" },
    format: async (_, format) => format,
    port: 0,
    clock: () => now,
    pause: 10_000,
    wait: (_, signal) => new Promise((resolve) => signal.addEventListener("abort", () => resolve())),
  });
  const pages: string[] = [];
  try {
    for (const address of addresses)
      pages.push(await (await fetch(`${server.address}${site}${address}`)).text());
  } finally {
    await server.close();
  }
  return pages.map((page) => page.slice(page.indexOf("<nav")));
}

const readText = (page: string) =>
  page
    .replaceAll(/<[^>]*>/g, " ")
    .replaceAll("&#39;", "'")
    .replaceAll(/\s+/g, " ");

const commandOf = (page: string) => /<code>(.*?)<\/code>/.exec(page)?.[1];

it("fits the days of a button to a service that has others, and says so", { timeout: 30_000 }, async () => {
  const until = "so this covers the";
  const expected: readonly [address: string, said: string][] = [
    ["?period=last_91_days", "reaches back only to 2026-08-23, so this covers 89 days, not 91."],
    ["?period=this_year", "reaches back only to 2026-08-23, so this covers 89 days, not 323."],
    ["/timeseries?period=this_year", "back only to 2026-08-23, so this covers 90 days, not 324."],
    ["/pages", `does not answer for 2026-10-23 to 2026-11-19, ${until} 30 days until 2026-11-20.`],
    ["/pages?period=last_7_days", `${until} 7 days until 2026-11-20.`],
    ["/pages?period=today", `does not answer for 2026-11-20, ${until} 7 days until 2026-11-20.`],
    ["/pages?period=2026-11-12%2F2026-11-19", `${until} 30 days until 2026-11-20.`],
    ["/pages?period=2026-11-02%2F2026-11-04", `${until} 30 days until 2026-11-20.`],
    ["/pages?period=2026-08-10%2F2026-09-05", `${until} 90 days until 2026-11-20.`],
    ["/pages?days=14", "lists only of 7, 30 or 90 days, so this covers 30, not 14."],
    [
      "/timeseries?period=2026-08-10%2F2026-09-05",
      "back only to 2026-08-23, so this covers 14 days, not 27.",
    ],
    ["?period=2026-08-10%2F2026-09-05", "back only to 2026-08-23, so this covers 14 days, not 27."],
    ["/conversions?goal=%2Fpricing&period=yesterday", `${until} 7 days until 2026-11-20.`],
    ["/conversions?goal=%2Fpricing&period=2026-11-02", `${until} 30 days until 2026-11-20.`],
    ["/compare?period=this_year", "so this compares 42 days."],
    [
      "/compare?period=last_91_days",
      "This service reaches back only to 2026-08-23, so this compares 42 days.",
    ],
    ["/conversions", "Most frequent pages / /pricing"],
    ["/conversions?period=2026-11-02", "Most frequent pages / /pricing"],
    ["?period=2026-11-02%2F2026-11-04", "Lists of the last 30 days: Pages"],
  ];
  const pages = await show(
    few(),
    expected.map(([address]) => address),
  );
  for (const [index, [address, said]] of expected.entries()) {
    const text = readText(pages[index] ?? "");
    expect([address, text]).toEqual([address, expect.stringContaining(said)]);
    expect([address, pages[index]]).not.toEqual([address, expect.stringContaining('role="alert"')]);
  }
  expect(commandOf(pages[4] ?? "")).toContain("--period 2026-11-14/2026-11-20");
  const pageOf = (address: string) => pages[expected.findIndex(([each]) => each === address)] ?? "";
  expect(commandOf(pageOf("/compare?period=last_91_days"))).toContain("--period last_42_days");
  expect(pageOf("?period=2026-11-02%2F2026-11-04")).toMatch(/href="[^"]*\/pages\?days=30">Pages<\/a>/);
  // Days of which there are none are refused.
  const asked = "?period=2026-08-02%2F2026-08-04";
  for (const page of await show(few(), [asked, `/pages${asked}`, `/timeseries${asked}`]))
    expect(page).toMatch(/reaches back no further\. <a href="[^"]*\?period=all">All days<\/a>/);
});

it("shifts the days of a button whose visitors do not add up, and no dates of one's own", async () => {
  const [week = "", year = "", dates = "", list = "", compared = "", all = "", when = ""] = await show(
    once(),
    [
      "?period=last_7_days",
      "?period=this_year",
      "?period=2026-11-02%2F2026-11-04",
      "/pages?period=today",
      "/compare",
      "/pages?period=all",
      "/when?period=this_year",
    ],
  );
  expect(readText(week)).toContain("so this covers the 7 days until 2026-11-20.");
  expect(readText(year)).toContain("2026 · 324 days");
  expect(readText(year)).not.toContain("so this covers");
  // January 1 alone is no week.
  expect(readText(year)).toMatch(/Most: 10 a day, Jan 2\W*8/);
  expect(readText(dates)).toContain("Visitors are missing: this service seems to count");
  expect(dates).toMatch(
    /Lists of the service(?:'|&#39;)s own days: <a href="[^"]*\/pages\?[^"]*">Pages<\/a>/,
  );
  // Page views of as many days are compared by their sums.
  expect(readText(dates)).toMatch(/Page views 60 no change before: 60 Compared/);
  expect(readText(list)).toContain("(period not stated by the service)");
  expect(commandOf(list)).not.toContain("--period");
  expect(readText(list)).toContain("The days above do not apply to this list");
  expect(readText(all)).toContain("(period not stated by the service)");
  expect(when).toContain('period=last_91_days">The last 91 days</a>');
  expect(readText(compared)).toContain("Visitors a day 10 a day, before: 10");
  expect(compared).not.toContain("Biggest changes");
});

it("has tabs of the pages that the source has, and of the one that is open", async () => {
  const tabsOf = (page = "") => readText(/aria-label="Pages">(.*?)<\/nav>/s.exec(page)?.[1] ?? "").trim();
  const [, service, open] = await show(once(), ["", "", "/crawlers"]);
  expect(tabsOf(service)).toBe("Overview Days Compare");
  expect(tabsOf(open)).toBe("Overview Days Compare Crawlers");
  const [, counted] = await show(few(), ["", ""]);
  expect(tabsOf(counted)).toBe("Overview Days Compare Conversions");
  const clock = () => NOW;
  const made = createLocalCall(() => demo.open({ clock, environment: {}, flags: {} }), clock);
  const [all, compared = ""] = await show(made, ["", "/compare"], { site: "example.com", now: NOW });
  // A page has no options.
  expect(readText(compared)).toContain("Today is not over");
  expect(readText(compared)).not.toContain("--dimension");
  expect(tabsOf(all)).toBe("Overview Days When Compare Conversions Not found Crawlers");
  const without = Object.assign((...asked: Parameters<typeof made>) => made(...asked), made, {
    mayOffer: () => Promise.reject(new Error("It cannot be opened.")),
  });
  const [failed] = await show(without as Call, ["/crawlers"], { site: "example.com", now: NOW });
  expect(tabsOf(failed)).toBe(tabsOf(all));
});

it("has a link where a comparison has no days before, and no button for one that cannot have any", async () => {
  const [today, compared = "", september] = await show(few(), [
    "?period=today",
    "/compare?period=all",
    "/compare?period=2026-09",
  ]);
  // Today has no days before: the tab says which days it has instead.
  expect(today).toMatch(/<a href="[^"?]*\/compare"[^>]*>Compare 28 days/);
  expect(september).toMatch(/>Compare</);
  expect(readText(compared)).not.toMatch(/Today|\bAll 91/);
  for (const page of [compared, september])
    expect(page).toMatch(/period=last_7_days">The last 7 days with the 7 before<\/a>/);
});

it("takes no day after today at the site, and has no link to all sites where there is one", async () => {
  const [other, first, page] = await show(few(), ["acme.example", "", "acme.example"], { site: "" });
  for (const each of [first, page]) expect(each).toContain('max="2026-11-20"');
  expect([other, first, page].map((each) => each?.includes("All sites"))).toEqual([true, false, false]);
});

it("offers no goals where none can be answered", async () => {
  const pages = await show(once(), ["/conversions", "/conversions?goal=%2Fpricing"]);
  for (const page of pages) {
    expect(readText(page)).toContain("this service's lists take no days");
    expect(page).not.toContain('class="chips"');
  }
});

it("says how to add countries to logs", async () => {
  const log = createLogFolder({ "access.log": joinLines(combined()) });
  const { source } = openTestLogs({ logs: [log.path("access.log")], site: ["example.com"], timezone: "UTC" });
  const call = createLocalCall(
    async () => source,
    () => LOG_NOW,
  );
  const [page = ""] = await show(call, [""], { site: "example.com", now: LOG_NOW });
  expect(readText(page)).toContain("Not shown: countries. To add them: npm install -g");
});

it("has no shares in lists of other days, whose visitors are not shown", async () => {
  const { ask } = createSmallService({
    "/openapi.json": () => describeParameters({ "/breakdown": { days: { enum: [7, 30, 90] } } }),
  });
  const sharesOf = ({ top }: Awaited<ReturnType<typeof ask>>) =>
    top.flatMap(({ rows }: { rows: object[] }) => rows.filter((row) => "percentage" in row)).length;
  const { rows } = await ask("breakdown", { dimension: "pages", days: 7 });
  expect(rows[0]).toHaveProperty("percentage");
  const overview = await ask("overview", { period: "yesterday" });
  expect(overview.top[0].rows[0]).toHaveProperty("visitors");
  expect(sharesOf(overview)).toBe(0);
});
